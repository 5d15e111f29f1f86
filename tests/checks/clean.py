"""Evidence of a clean, quiet measurement on a real drive, and one change at a time to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from graycard.checks import CheckEvidence, run_checks
from graycard.facts import TERMS, fact
from graycard.model import (
    Bucket,
    Check,
    Fact,
    FactValue,
    Histogram,
    IoTask,
    Operation,
    Pattern,
    Point,
    Run,
    Samples,
    Series,
    Tick,
)

OPS_COUNT, BLOCK_BYTES, ELAPSED_NS, DEPTH_COUNT = 100_000, 4096, 2_000_000_000, 8
MOVED_BYTES = OPS_COUNT * BLOCK_BYTES
RUNS_COUNT = 3
SPAN_BYTES = 4 << 30

FACTS: dict[str, FactValue] = {
    "file_system": "ext4",
    "bus": "nvme",
    "driver": "nvme",
    "compression": "off",
    "encryption": "off",
    "copy_on_write": False,
    "link_ceiling_bytes_per_s": 4e9,
    "link_bits_per_s": 32e9,
    "virtual_machine": "none",
    "cpu_count": 8,
    "used_ratio": 0.4,
    "temperature_limit_celsius": 80,
    "write_cache": "write back",
    "queue_limit_count": 1023,
    "volume_compresses": False,
}
FILE: dict[str, FactValue] = {
    "file_size_bytes": SPAN_BYTES,
    "file_unwritten_bytes": 0,
    "file_hole_bytes": 0,
    "file_encoded_bytes": 0,
    "file_cached_bytes": 0,
    "direct_requested": True,
    "direct_align_bytes": 512,
    "direct_misaligned_refused": True,
    "file_dirty_bytes": 0,
    "nocow": False,
}
INSTRUMENT: dict[str, FactValue] = {
    "ceiling_ops_per_s": 5e6,
    "generator_bytes_per_s": 8e9,
    "clock_step_ns": 29,
    "clock_cost_ns": 40,
}
BEFORE: dict[str, FactValue] = {name: 10**12 for name, term in TERMS.items() if term.factor == "counter"}
INCREASES: dict[str, int] = {
    "clock_monotonic_ns": ELAPSED_NS + 3_000_000,
    "clock_realtime_ns": ELAPSED_NS + 3_000_100,
    "clock_boottime_ns": ELAPSED_NS + 3_000_050,
    "device_ops_count": OPS_COUNT,
    "device_busy_ns": ELAPSED_NS,
    "device_queue_ns": int(7.5 * ELAPSED_NS),
    "cpu_total_ns": 8 * ELAPSED_NS,
    "cpu_idle_ns": 7 * ELAPSED_NS,
    "cpu_own_ns": ELAPSED_NS // 2,
    "pressure_io_ns": ELAPSED_NS,
}
LEVELS: dict[str, FactValue] = {"dirty_bytes": 5 << 20, "writeback_bytes": 0, "temperature_celsius": 45}

Change = Callable[[CheckEvidence], CheckEvidence]


def clean(operation: Operation = Operation.READ, **task: Any) -> CheckEvidence:
    """A 4 KiB random load of depth 8 at 205 MB/s through direct I/O; three equal runs."""
    fields: dict[str, Any] = {"depth_count": DEPTH_COUNT, "time_ns": ELAPSED_NS, **task}
    run = clean_run(operation)
    return CheckEvidence(
        task=IoTask(operation, Pattern.RANDOM, BLOCK_BYTES, SPAN_BYTES, **fields),
        facts=facts_of(FACTS),
        runs=tuple(replace(run, repeat_index=index) for index in range(RUNS_COUNT)),
        file_before=facts_of(FILE),
        file_after=facts_of(FILE),
        instrument=facts_of(INSTRUMENT),
        others_count=0,
    )


def clean_run(operation: Operation) -> Run:
    moved = ("own_read_bytes", "device_read_bytes")
    if operation is Operation.WRITE:
        moved = ("own_written_bytes", "device_written_bytes")
    increases = {**INCREASES, **dict.fromkeys(moved, MOVED_BYTES)}
    after = {name: 10**12 + increases.get(name, 0) for name in BEFORE}
    started_at = datetime(2026, 1, 1, tzinfo=UTC)
    return Run(0, 0, started_at, clean_samples(), facts_of({**BEFORE, **LEVELS}), facts_of({**after, **LEVELS}))


def clean_samples() -> Samples:
    sum_ns = int(0.99 * DEPTH_COUNT * ELAPSED_NS)
    latency = Histogram(0.004, (Bucket(150_000, OPS_COUNT),), sum_ns, 100_000, 9_000_000)
    return Samples(
        engine="native",
        elapsed_ns=ELAPSED_NS,
        ops_count=OPS_COUNT,
        moved_bytes=MOVED_BYTES,
        ticks=(Tick(0, OPS_COUNT, MOVED_BYTES), Tick(10_000_000, 0, 0)),
        tick_ns=10_000_000,
        latency=latency,
        submit_ns=ELAPSED_NS // 10,
        drain_ns=500_000,
        flush_ns=2_000_000,
        close_ns=10_000,
        cpu_ns=ELAPSED_NS // 4,
        gap_ns=30_000_000,
        reap_gap_ns=1_000_000,
    )


def facts_of(values: dict[str, FactValue]) -> tuple[Fact, ...]:
    return tuple(fact(name, value, "test") for name, value in values.items())


def one(evidence: CheckEvidence, name: str) -> Check:
    """The check of that name."""
    return next(check for check in run_checks(evidence) if check.name == name)


def applied(evidence: CheckEvidence, *changes: Change) -> CheckEvidence:
    for change in changes:
        evidence = change(evidence)
    return evidence


def known(**values: FactValue) -> Change:
    """The volume has these facts instead."""
    return lambda evidence: replace(evidence, facts=_with(evidence.facts, values))


def measured_file(**values: FactValue) -> Change:
    """The file has these facts instead, before and after."""
    return lambda evidence: replace(
        evidence, file_before=_with(evidence.file_before, values), file_after=_with(evidence.file_after, values)
    )


def afterwards(**values: FactValue) -> Change:
    """The file has these facts instead after the last run."""
    return lambda evidence: replace(evidence, file_after=_with(evidence.file_after, values))


def tool(**values: FactValue) -> Change:
    """The instrument has these facts instead."""
    return lambda evidence: replace(evidence, instrument=_with(evidence.instrument, values))


def task(**fields: Any) -> Change:
    return lambda evidence: replace(evidence, task=replace(evidence.task, **fields))


def counted(run_index: int = 1, **increases: int | None) -> Change:
    """In one run these counters increase by so much instead; None: they are not there."""

    def change(run: Run) -> Run:
        values = {name: None if more is None else 10**12 + more for name, more in increases.items()}
        return replace(run, after=_with(run.after, values))

    return in_run(run_index, change)


def level(run_index: int = 1, **values: FactValue) -> Change:
    """After one run these levels stand."""
    return in_run(run_index, lambda run: replace(run, after=_with(run.after, values)))


def sampled(run_index: int = 1, **fields: Any) -> Change:
    """In one run the engine delivered these figures instead."""
    return in_run(run_index, lambda run: replace(run, samples=replace(run.samples, **fields)))


def latency(run_index: int = 1, **fields: Any) -> Change:
    def change(run: Run) -> Run:
        assert run.samples.latency is not None
        histogram = replace(run.samples.latency, **fields)
        return replace(run, samples=replace(run.samples, latency=histogram))

    return in_run(run_index, change)


def watched(name: str, *values: float, run_index: int = 1) -> Change:
    """One run was watched, ten times a second."""
    points = tuple(Point(index * 100_000_000, value) for index, value in enumerate(values))
    series = Series(name, "count", "test", points)
    return in_run(run_index, lambda run: replace(run, monitor=(*run.monitor, series)))


def evidence(**fields: Any) -> Change:
    return lambda found: replace(found, **fields)


def in_run(run_index: int, change: Callable[[Run], Run]) -> Change:
    def apply(found: CheckEvidence) -> CheckEvidence:
        runs = list(found.runs)
        runs[run_index] = change(runs[run_index])
        return replace(found, runs=tuple(runs))

    return apply


def every_run(change: Callable[[int], Change]) -> Change:
    """The same change in every run: `change` takes the index."""
    return lambda found: applied(found, *(change(index) for index in range(len(found.runs))))


def _with(facts: tuple[Fact, ...], values: dict[str, FactValue]) -> tuple[Fact, ...]:
    kept = tuple(each for each in facts if each.name not in values)
    return (*kept, *facts_of(values))
