"""Counters and levels from stored texts of /proc and /sys."""

from __future__ import annotations

from pathlib import Path

import pytest
from host.stored_samples import by_name
from host.trees import Tree

from graycard.facts import TERMS, value
from graycard.host.linux.block import Device
from graycard.host.linux.counters import (
    cpu_wait,
    device_counters,
    dirty_pages,
    fuse_waiting,
    in_flight,
    network_counters,
    own_io,
    pressure,
    processor_time,
    read_counters,
    read_levels,
)
from graycard.host.linux.mounts import Mount
from graycard.host.linux.place import Place

DISKS = """\
   7       0 loop0 11 0 2248 3 22 0 176 10 0 20 14 0 0 0 0 0 0
 254       0 vda 1000 5 20000 300 2000 6 40000 500 3 700 800 40 0 60000 20 9 30
   8       0 sda 10 0 100 1 20 0 200 2 0 3 4
   8       1 sda1 7 0 70 1 10 0 150 2 0 3 4
"""


def test_columns_of_diskstats() -> None:
    facts = by_name(device_counters(DISKS, [Device("vda", "/sys/x/vda")]))
    assert facts == {
        "device_read_bytes": 20000 * 512,
        "device_written_bytes": 40000 * 512,
        "device_discarded_bytes": 60000 * 512,
        "device_ops_count": 1000 + 2000 + 40 + 9,
        "device_busy_ns": 700_000_000,
        "device_queue_ns": 800_000_000,
    }


def test_a_kernel_before_discards_were_counted() -> None:
    facts = by_name(device_counters(DISKS, [Device("sda1", "/sys/x/sda/sda1")]))
    assert (facts["device_read_bytes"], facts["device_ops_count"]) == (70 * 512, 17)
    assert facts["device_discarded_bytes"] is None


def test_several_devices_are_summed_and_a_missing_one_makes_the_sum_unknown() -> None:
    two = [Device("sda", "/a"), Device("vda", "/b")]
    assert value(device_counters(DISKS, two), "device_written_bytes") == (200 + 40000) * 512
    for devices in ([Device("sda", "/a"), Device("gone", "/b")], []):
        assert set(by_name(device_counters(DISKS, devices)).values()) == {None}
    assert set(by_name(device_counters(None, two)).values()) == {None}


def test_own_io() -> None:
    text = "rchar: 99\nwchar: 98\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n"
    assert by_name(own_io(text)) == {"own_read_bytes": 4096, "own_written_bytes": 8192}
    assert by_name(own_io(None)) == {"own_read_bytes": None, "own_written_bytes": None}


def test_network_without_loopback() -> None:
    text = (
        "Inter-|   Receive                            |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop\n"
        "    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n"
        "  eth0:1000 2 0 0 0 0 0 0 70 3 0 0 0 0 0 0\n"
        " wlan0: 11 2 0 0 0 0 0 0 7 3 0 0 0 0 0 0\n"
    )
    assert by_name(network_counters(text)) == {"network_received_bytes": 1011, "network_sent_bytes": 77}
    alone = "x\ny\n    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n"
    assert by_name(network_counters(alone)) == {"network_received_bytes": None, "network_sent_bytes": None}


def test_processor_time_counts_guests_once() -> None:
    facts = by_name(processor_time("cpu  10 1 5 100 20 2 3 4 7 1\ncpu0 1 1 1 1 1 1 1 1 1 1\n"))
    tick_ns = 10_000_000
    assert facts == {"cpu_total_ns": 145 * tick_ns, "cpu_idle_ns": 120 * tick_ns, "cpu_steal_ns": 4 * tick_ns}
    assert set(by_name(processor_time(None)).values()) == {None}


def test_pressure() -> None:
    text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=72630\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
    assert pressure(text).value == 72_630_000
    assert pressure(None).value is None


def test_dirty_pages() -> None:
    text = "MemTotal:  100 kB\nDirty:              1532 kB\nWriteback:             8 kB\nWritebackTmp:          7 kB\n"
    assert by_name(dirty_pages(text)) == {"dirty_bytes": 1532 * 1024, "writeback_bytes": 8 * 1024}
    assert by_name(dirty_pages("")) == {"dirty_bytes": None, "writeback_bytes": None}


def test_in_flight_sums_reads_and_writes_of_all_devices(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.files({"a/inflight": "       3       12\n", "b/inflight": "0 1\n"})
    devices = [Device(name, f"{tree.roots.sys}/{name}") for name in ("a", "b")]
    assert in_flight(devices).value == 16
    assert in_flight([*devices, Device("gone", "/nowhere")]).value is None
    assert in_flight([]).value is None


def test_waiting_for_a_processor_is_that_of_our_own_threads(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    assert cpu_wait(tree.roots).value is None
    threads = {"1": ("python", "50 7 1"), "2": ("iou-wrk-1", "50 900 1"), "3": ("pool", "50 20 1")}
    for thread, (name, times) in threads.items():
        tree.files({f"{thread}/comm": f"{name}\n", f"{thread}/schedstat": f"{times}\n"}, below="proc/self/task")
    assert cpu_wait(tree.roots).value == 27


def test_fuse_requests(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.files({"fs/fuse/connections/46/waiting": "17\n"})
    assert fuse_waiting("46", tree.roots).value == 17
    assert fuse_waiting("47", tree.roots).value is None  # fusectl is not mounted
    assert fuse_waiting(None, tree.roots).value is None


@pytest.mark.parametrize("factor", ["counter", "level"])
def test_every_name_of_the_factor_is_read_and_no_other(factor: str) -> None:
    place = Place(Mount(1, "0:1", "/", "/", ("rw",), "tmpfs", "tmpfs", ()), (), ())
    facts = by_name(read_counters(place) if factor == "counter" else read_levels(place))
    # The frames that a player has in hand are no level of the host.
    assert set(facts) == {name for name, term in TERMS.items() if term.factor == factor} - {"frame_reserve_count"}
