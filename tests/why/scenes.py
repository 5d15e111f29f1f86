"""Scenes of copies as they were measured on a wire of 940 Mbit/s between two computers: ceilings and timelines."""

from __future__ import annotations

from dataclasses import replace

from graycard.facts import fact
from graycard.model import Action, Estimate, FactValue
from graycard.model.diagnosis import Ceilings, Evidence, NameTrack, Timeline, ToolCeiling, Track
from graycard.why.vocabulary import MOVED, STEP_NS, TRACKS

MB = 1e6
MS = 1e6
STEPS = 80
STEP_S = STEP_NS / 1e9


def rate(mb_per_s: float, spread: float = 0.05, unit: str = "bytes/s") -> Estimate:
    """Three runs' mean with an interval."""
    value = mb_per_s * MB
    return Estimate(value, value * (1 - spread), value * (1 + spread), unit, 3, 0.95, "made up")


def trip(ms: float) -> Estimate:
    """A round trip."""
    return Estimate(ms * MS, None, None, "ns", 100, None, "made up")


def per_s(count: float) -> Estimate:
    """Files per s."""
    return Estimate(count, None, None, "1/s", 1, None, "made up")


def track(name: str, values: float | tuple[float | None, ...] | None) -> Track:
    """A track of the vocabulary, of one value or of a pattern that repeats."""
    pattern = values if isinstance(values, tuple) else (values,)
    repeated = tuple(pattern[index % len(pattern)] for index in range(STEPS))
    return Track(name, TRACKS[name].unit, "made up", repeated)


def timeline(
    tool: str, names: dict[str, str] | None = None, **levels: float | tuple[float | None, ...] | None
) -> Timeline:
    """`near_tcp_rtt_ns=…` becomes the track "near.tcp_rtt_ns"; `moved` the bytes of the copy."""
    tracks = tuple(
        track(MOVED if name == "moved" else name.replace("_", ".", 1), value) for name, value in levels.items()
    )
    words = tuple(NameTrack(name, "made up", (word,) * STEPS) for name, word in (names or {}).items())
    return Timeline(tool, STEP_NS, tracks, words)


def moving(mb_per_s: float) -> float:
    """Bytes in a step at that rate."""
    return mb_per_s * MB * STEP_S


def flowing(mb_per_s: float) -> dict[str, float | tuple[float | None, ...] | None]:
    """A network that is full: queue 1.4 to 3.2 MB, busy, round trips of 1.5 ms."""
    return {
        "moved": moving(mb_per_s),
        "near_tcp_queue_bytes": 2.0 * MB,
        "near_tcp_unacked_count": 100.0,
        "near_tcp_busy_ratio": 0.96,
        "near_tcp_acked_bytes": moving(mb_per_s),
        "near_tcp_window_limited_ratio": 0.0,
        "near_tcp_buffer_limited_ratio": 0.0,
        "near_tcp_retransmit_count": 0.0,
        "near_tcp_segment_count": moving(mb_per_s) / 1448,
        "near_tcp_rtt_ns": 1.5 * MS,
        "near_tcp_min_rtt_ns": 0.1 * MS,
        "near_core_busy_ratio": 0.3,
        "near_service_ratio": 0.2,
        "near_steal_ratio": 0.02,
        "near_foreign_cpu_ratio": 0.05,
        "near_cpu_busy_ratio": 0.3,
        "near_disk_busy_ratio": 0.1,
        "far_service_ratio": 0.3,
        "far_service_limit_ratio": 1.0,
        "far_throttled_ratio": 0.0,
        "far_steal_ratio": 0.02,
        "far_foreign_cpu_ratio": 0.05,
        "far_cpu_busy_ratio": 0.3,
        "far_disk_busy_ratio": 0.2,
        "far_disk_written_bytes": 0.0,
        "far_dirty_bytes": tuple(30 * MB + index * moving(mb_per_s) for index in range(STEPS)),
        "far_writeback_bytes": 0.0,
        "far_pressure_io_some_ratio": 0.02,
        "far_softirq_ratio": 0.2,
        "near_softirq_ratio": 0.2,
    }


def waiting(mb_per_s: float) -> dict[str, float | tuple[float | None, ...] | None]:
    """A server that answers slowly: queue 0, busy 30 %, 26 to 45 MB in writeback, little dirty at its cap."""
    rising = tuple(30 * MB + min(64 * MB, index * moving(mb_per_s)) for index in range(STEPS))
    return {
        **flowing(mb_per_s),
        "near_tcp_queue_bytes": 0.0,
        "near_tcp_unacked_count": 0.0,
        "near_tcp_busy_ratio": 0.3,
        "far_writeback_bytes": 36 * MB,
        "far_disk_busy_ratio": 0.98,
        "far_disk_await_ns": 1619 * MS,
        "far_pressure_io_some_ratio": 0.51,
        "far_dirty_bytes": rising,
        "far_disk_written_bytes": moving(mb_per_s),
    }


def ceilings(**changed: object) -> Ceilings:
    """A healthy path: 940 Mbit/s, disks of 290 MB/s."""
    healthy = Ceilings(
        source=rate(900),
        network=rate(112),
        network_streams=rate(112),
        network_back=rate(111),
        network_back_streams=rate(112),
        idle_round_trip=trip(0.2),
        loaded_round_trip=trip(1.6),
        raw_retransmit_ratio=0.0,
        server_flushed=rate(290),
        server_burst=rate(900),
        server_read=rate(400),
        mount=rate(100),
        mount_back=rate(100),
        tools=(ToolCeiling("cp", rate(98)), ToolCeiling("smbclient", rate(104))),
        small_files=per_s(700),
    )
    return replace(healthy, **changed)


def evidence(
    ceiling: Ceilings,
    line: Timeline | None,
    tool: str = "cp",
    action: Action = Action.SEND,
    count: int = 1,
    size: float = 2000 * MB,
    path: dict[str, FactValue] | None = None,
    near: dict[str, FactValue] | None = None,
    far: dict[str, FactValue] | None = None,
) -> Evidence:
    """The evidence of a copy."""
    known = {"memory_bytes": 8_000_000_000, "cpu_count": 2}
    here, there, way = ({**known, **(near or {})}, {**known, **(far or {})}, path or {})
    told = (tuple(fact(name, value, "made up") for name, value in facts.items()) for facts in (here, there, way))
    return Evidence(tool, action, count, round(size), ceiling, (line,) if line else (), *told)


def tools(**rates: float) -> tuple[ToolCeiling, ...]:
    """Copy tools by their rates in MB/s."""
    return tuple(ToolCeiling(name, rate(value)) for name, value in rates.items())
