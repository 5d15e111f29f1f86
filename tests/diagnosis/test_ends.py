"""Raw samples of both ends become the tracks of the vocabulary."""

from __future__ import annotations

from typing import Any

import pytest

from graycard.diagnosis.ends import End, busiest, end_tracks
from graycard.diagnosis.timeline import of_end, timeline_of
from graycard.model.diagnosis import Timeline
from graycard.why.vocabulary import FAR, MOVED, NAME_TRACKS, NEAR, STEP_NS, TRACKS

STEPS = 8


def sample(number: int, **more: Any) -> dict[str, Any]:
    """A quarter of a second after the other: two cores of 25 ticks each, of which the second works half its time."""
    base: dict[str, Any] = {
        "at_ns": number * STEP_NS,
        "cores": [[0, 0, 0, 25 * number], [12 * number, 5 * number, 1 * number, 25 * number]],
        "disks": {"sda": [0, 1000 * number, 100 * number, 10 * number, 50 * number]},
        "disk": "sda",
        "memory": {"dirty_bytes": 7 * number, "writeback_bytes": 3},
        "pressure_io": [50_000 * number, 0],
        "pressure_cpu": None,
        "interfaces": {"eth0": [100 * number, 5000 * number, 0], "eth1": [1, 1, 0]},
    }
    return {**base, **more}


def connection(number: int, inode: int = 5, **more: int) -> dict[str, int]:
    found = {
        "inode": inode,
        "acked_bytes": 1_000_000 * number,
        "busy_us": 125_000 * number,
        "unacked_count": 4,
        "segment_bytes": 1448,
        "unsent_bytes": 100,
        "rtt_us": 1500,
        "min_rtt_us": 20,
        "retransmit_count": number,
        "segment_count": 700 * number,
    }
    return {**found, **more}


def line(samples: list[dict[str, Any]], name: str = NEAR) -> Timeline:
    end = End(name, "made up", tuple(samples), 100, None)
    return timeline_of("cp", 0, STEPS * STEP_NS, [(0, 0.0), (STEPS * STEP_NS, 8e6)], [end])


def test_every_track_is_in_the_vocabulary_with_its_unit() -> None:
    rows = [{"pid": 1, "name": "smbd", "ticks": 1, "wait_ns": 5, "limit_ratio": 0.15, "throttled_ns": 3}]
    found = line([sample(n, tcp=[connection(n)], services=rows, mounts=rows) for n in range(STEPS + 1)], FAR)
    assert {track.name for track in found.tracks} <= set(TRACKS)
    assert all(track.unit == TRACKS[track.name].unit for track in found.tracks)
    assert {track.name for track in found.names} <= set(NAME_TRACKS)
    assert all(len(track.values) == STEPS for track in found.tracks)
    assert all(len(track.values) == STEPS for track in found.names)


def test_processors_disk_memory_and_interface() -> None:
    found = line([sample(n) for n in range(STEPS + 1)])
    assert found.values("near.cpu_busy_ratio")[3] == pytest.approx(12 / 50)
    assert found.values("near.core_busy_ratio")[3] == pytest.approx(12 / 25)
    assert found.values("near.softirq_ratio")[3] == pytest.approx(5 / 25)
    assert found.values("near.steal_ratio")[3] == pytest.approx(1 / 50)
    assert found.values("near.foreign_cpu_ratio")[3] == pytest.approx(12 / 50)
    assert found.values("near.disk_busy_ratio")[3] == pytest.approx(0.4)
    assert found.values("near.disk_await_ns")[3] == pytest.approx(5e6)
    assert found.values("near.dirty_bytes")[3] == 7 * 4
    assert found.values("near.pressure_io_some_ratio")[3] == pytest.approx(0.2)
    assert found.values("near.interface_sent_bytes")[3] == pytest.approx(5000)
    assert found.values(MOVED)[3] == pytest.approx(1e6)
    assert not found.known("near.tcp_busy_ratio")


def test_the_copy_s_own_connection() -> None:
    other = {"inode": 9, "acked_bytes": 500, "busy_us": 0, "rtt_us": 9}
    found = line([sample(n, tcp=[connection(n), other]) for n in range(STEPS + 1)])
    assert found.values("near.tcp_acked_bytes")[2] == pytest.approx(1e6)
    assert found.values("near.tcp_busy_ratio")[2] == pytest.approx(0.5)
    assert found.values("near.tcp_queue_bytes")[2] == 100 + 4 * 1448
    assert found.values("near.tcp_rtt_ns")[2] == 1.5e6
    assert found.values("near.tcp_retransmit_count")[2] == pytest.approx(1)


def test_a_connection_that_comes_later_counts_from_its_beginning() -> None:
    samples = [sample(n, tcp=[connection(n - 4)] if n >= 4 else []) for n in range(STEPS + 1)]
    found = line(samples)
    assert sum(found.known("near.tcp_acked_bytes")) == pytest.approx(4e6)


def test_the_busiest_process_is_the_service() -> None:
    def rows(n: int) -> list[dict[str, Any]]:
        counted = {"ticks": 20 * n, "wait_ns": 25_000_000 * n, "throttled_ns": 50_000_000 * n}
        return [
            {"pid": 1, "name": "smbd", "ticks": 1000},
            {"pid": 2, "name": "smbd", "limit_ratio": 0.5, **counted},
        ]

    samples = [sample(n, services=rows(n)) for n in range(STEPS + 1)]
    chosen = busiest(samples, "services")
    assert chosen is not None
    assert chosen["pid"] == 2
    found = line(samples, FAR)
    assert found.values("far.service_ratio")[3] == pytest.approx(0.8)
    assert found.values("far.service_wait_ratio")[3] == pytest.approx(0.1)
    assert found.values("far.throttled_ratio")[3] == pytest.approx(0.2)
    assert found.values("far.service_limit_ratio")[3] == 0.5
    assert found.labels("far.service")[0] == "smbd"
    # Its ticks are no load of others: 20 of them and the second core's 12 in one quarter of a second.
    assert found.values("far.foreign_cpu_ratio")[3] == 0


def test_the_other_end_is_put_on_this_clock() -> None:
    ahead = 5_000_000_000
    samples = tuple({**sample(n), "at_ns": n * STEP_NS + ahead} for n in range(STEPS + 1))
    end = of_end(End(FAR, "made up", samples, 100), ahead)
    tracks, _names = end_tracks(end, [0, STEP_NS, 2 * STEP_NS])
    assert next(track.values for track in tracks if track.name == "far.dirty_bytes") == (7, 14)


def test_what_no_end_tells_has_no_track() -> None:
    found = line([{"at_ns": n * STEP_NS, "cores": [], "interfaces": {}} for n in range(STEPS + 1)])
    assert [track.name for track in found.tracks] == [MOVED]
    assert timeline_of("cp", 0, 0, [(0, 0.0)], []).step_count == 0
