"""The moving figures: differences between two readings, and the levels watched while a run goes on.

Everything here reads small files of /proc and /sys and never the measured file system, so it cannot hang on it.
Sources: proc(5), Documentation/admin-guide/iostats.rst, Documentation/accounting/psi.rst of the kernel.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from graycard.facts import fact
from graycard.host.linux.block import Device
from graycard.host.linux.place import Place
from graycard.host.linux.roots import HERE, Roots, read_number, read_text
from graycard.model import Fact

_SECTOR_BYTES = 512  # of /proc/diskstats, whatever the device's own sectors
_MS_NS = 1_000_000
_OWN_IO = re.compile(r"^(read_bytes|write_bytes): ([0-9]+)$", re.MULTILINE)
_KERNEL_WORKER = "iou-wrk-"
# Column of each figure in /proc/diskstats, counted after the name, and what one of it means.
_DISK_COLUMNS = {
    "device_read_bytes": ((2,), _SECTOR_BYTES),
    "device_written_bytes": ((6,), _SECTOR_BYTES),
    "device_discarded_bytes": ((13,), _SECTOR_BYTES),
    "device_ops_count": ((0, 4, 11, 15), 1),
    "device_busy_ns": ((9,), _MS_NS),
    "device_queue_ns": ((10,), _MS_NS),
}


def read_counters(place: Place, roots: Roots = HERE) -> tuple[Fact, ...]:
    """All facts of the factor "counter"."""
    return (
        *clocks(),
        *own_io(read_text(f"{roots.proc}/self/io")),
        *device_counters(read_text(f"{roots.proc}/diskstats"), place.devices),
        *network_counters(read_text(f"{roots.proc}/net/dev")),
        *processor_time(read_text(f"{roots.proc}/stat")),
        fact("cpu_own_ns", time.process_time_ns(), "clock_gettime CLOCK_PROCESS_CPUTIME_ID"),
        pressure(read_text(f"{roots.proc}/pressure/io")),
    )


def read_levels(place: Place, roots: Roots = HERE) -> tuple[Fact, ...]:
    """All facts of the factor "level"."""
    return (
        *dirty_pages(read_text(f"{roots.proc}/meminfo")),
        in_flight(place.devices),
        fuse_waiting(place.fuse_connection, roots),
        cpu_wait(roots),
    )


def cpu_wait(roots: Roots = HERE) -> Fact:
    """Time that the living threads of this process waited for a processor: field 2 of schedstat (sched-stats.rst).

    Workers that io_uring adds are left out: how many they are is the kernel's choice, so a sum with them means nothing.
    """
    folder = f"{roots.proc}/self/task"
    try:
        threads = os.listdir(folder)
    except OSError:
        threads = []
    own = (thread for thread in threads if not (read_text(f"{folder}/{thread}/comm") or "").startswith(_KERNEL_WORKER))
    waits = [text.split() for text in (read_text(f"{folder}/{thread}/schedstat") for thread in own) if text]
    known = [int(fields[1]) for fields in waits if len(fields) == 3]
    return fact("cpu_wait_ns", sum(known) if known else None, "/proc/self/task/*/schedstat")


def clocks() -> tuple[Fact, ...]:
    """The three clocks, read as close together as Python can."""
    monotonic, real, boot = (
        time.clock_gettime_ns(clock) for clock in (time.CLOCK_MONOTONIC, time.CLOCK_REALTIME, time.CLOCK_BOOTTIME)
    )
    return (
        fact("clock_monotonic_ns", monotonic, "clock_gettime CLOCK_MONOTONIC"),
        fact("clock_realtime_ns", real, "clock_gettime CLOCK_REALTIME"),
        fact("clock_boottime_ns", boot, "clock_gettime CLOCK_BOOTTIME"),
    )


def own_io(text: str | None) -> tuple[Fact, ...]:
    """What this process with all its threads fetched from storage and sent to it."""
    found = dict(_OWN_IO.findall(text or ""))
    names = {"own_read_bytes": "read_bytes", "own_written_bytes": "write_bytes"}
    return tuple(
        fact(name, int(found[key]) if key in found else None, f"/proc/self/io {key}") for name, key in names.items()
    )


def device_counters(text: str | None, devices: Sequence[Device]) -> tuple[Fact, ...]:
    """Sums over the devices that directly hold the file system; None without a device or a missing column.

    The last columns (discards and flushes) came with kernels 4.18 and 5.5.
    """
    rows = _disk_rows(text or "", {device.name for device in devices})
    source = f"/proc/diskstats {' '.join(device.name for device in devices)}".strip()
    if not rows or len(rows) != len(devices):
        rows = []
    return tuple(fact(name, _sum(rows, columns, each), source) for name, (columns, each) in _DISK_COLUMNS.items())


def network_counters(text: str | None) -> tuple[Fact, ...]:
    """Bytes of all interfaces but loopback, from /proc/net/dev."""
    received, sent, seen = 0, 0, False
    for line in (text or "").split("\n"):
        name, colon, rest = line.partition(":")
        fields = rest.split()
        if not colon or len(fields) < 9 or name.strip() == "lo":
            continue
        received, sent, seen = received + int(fields[0]), sent + int(fields[8]), True
    return (
        fact("network_received_bytes", received if seen else None, "/proc/net/dev"),
        fact("network_sent_bytes", sent if seen else None, "/proc/net/dev"),
    )


def processor_time(text: str | None) -> tuple[Fact, ...]:
    """Of all processors, from the first line of /proc/stat: user nice system idle iowait irq softirq steal.

    The two columns after them (guests) are part of user and nice.
    """
    tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    line = (text or "").partition("\n")[0].split()
    ticks = [int(each) * tick_ns for each in line[1:9]] if line[:1] == ["cpu"] and len(line) >= 9 else None
    return (
        fact("cpu_total_ns", sum(ticks) if ticks else None, "/proc/stat"),
        fact("cpu_idle_ns", ticks[3] + ticks[4] if ticks else None, "/proc/stat"),
        fact("cpu_steal_ns", ticks[7] if ticks else None, "/proc/stat"),
    )


def pressure(text: str | None) -> Fact:
    """Time in which some task waited for I/O; None where the kernel keeps no account (PSI)."""
    found = re.search(r"^some .*total=([0-9]+)", text or "", re.MULTILINE)
    return fact("pressure_io_ns", int(found[1]) * 1000 if found else None, "/proc/pressure/io")


def dirty_pages(text: str | None) -> tuple[Fact, ...]:
    """Pages of the whole system that wait to be written, and that are being written."""
    lines = re.findall(r"^(Dirty|Writeback): +([0-9]+) kB", text or "", re.MULTILINE)
    found = {key: int(value) * 1024 for key, value in lines}
    return (
        fact("dirty_bytes", found.get("Dirty"), "/proc/meminfo Dirty"),
        fact("writeback_bytes", found.get("Writeback"), "/proc/meminfo Writeback"),
    )


def in_flight(devices: Sequence[Device]) -> Fact:
    """Requests now on the devices that directly hold the file system, reads and writes."""
    source = " ".join(f"{device.folder}/inflight" for device in devices) or "no block device"
    texts = [read_text(f"{device.folder}/inflight") for device in devices]
    known = [text for text in texts if text is not None]
    if not known or len(known) != len(texts):
        return fact("device_inflight_count", None, source)
    return fact("device_inflight_count", sum(int(each) for text in known for each in text.split()), source)


def fuse_waiting(connection: str | None, roots: Roots = HERE) -> Fact:
    """Requests waiting for the FUSE server; None for other file systems or where fusectl is not mounted."""
    if connection is None:
        return fact("fuse_waiting_count", None, "not a FUSE file system")
    path = f"{roots.sys}/fs/fuse/connections/{connection}/waiting"
    return fact("fuse_waiting_count", read_number(path), path)


def _disk_rows(text: str, names: set[str]) -> list[list[int]]:
    rows = (line.split() for line in text.split("\n"))
    return [[int(each) for each in row[3:]] for row in rows if len(row) > 3 and row[2] in names]


def _sum(rows: list[list[int]], columns: tuple[int, ...], each: int) -> int | None:
    width = min((len(row) for row in rows), default=0)
    here = [column for column in columns if column < width]
    if not here:
        return None
    return sum(row[column] for row in rows for column in here) * each
