"""The columns of a report's table: the unit in each name, and how each is read from a result or one of its runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from graycard.facts import value
from graycard.model import FactValue, Result, Run, Verdict
from graycard.stats.latency import carried_ns

Cell = FactValue | datetime
OfResult = Callable[[Result], Cell]

_TASK = (
    "operation",
    "pattern",
    "block_bytes",
    "span_bytes",
    "depth_count",
    "worker_count",
    "time_ns",
    "byte_limit",
    "cache",
    "durability",
    "compressible_ratio",
    "seed",
)
_SAMPLES = (
    "elapsed_ns",
    "ops_count",
    "moved_bytes",
    "rate_bytes_per_s",
    "ops_per_s",
    "flush_ns",
    "late_count",
    "dropped_count",
    "error_count",
)
_PERCENTILES = {"p50": 50.0, "p99": 99.0, "p99_9": 99.9}
# What of the six factors and the medium tells two set-ups apart.
FACTS = (
    "file_system",
    "file_system_id",
    "allocation_unit_bytes",
    "mount_options",
    "compression",
    "encryption",
    "bus",
    "link_bits_per_s",
    "driver",
    "server",
    "protocol_version",
    "size_bytes",
    "free_bytes",
    "used_ratio",
    "os_name",
    "kernel_version",
    "cpu_model",
    "virtual_machine",
    "power_source",
    "load_average",
    "temperature_celsius",
    "device_model",
    "device_firmware",
    "device_id",
    "rotational",
)
# A result is as good as the worst of its checks.
_WORST_FIRST = (Verdict.FAIL, Verdict.CAVEAT, Verdict.UNKNOWN, Verdict.PASS)


def _of_trial(field: str) -> OfResult:
    return lambda result: getattr(result.trial, field) if result.trial else None


def _of_task(field: str) -> OfResult:
    return lambda result: getattr(result.task, field)


def _of_pace(field: str) -> OfResult:
    return lambda result: getattr(result.task.pace, field) if result.task.pace else None


def _of_fact(name: str) -> OfResult:
    return lambda result: value(result.facts, name)


def _of_rate(field: str) -> OfResult:
    return lambda result: getattr(result.summary.rate, field) if result.summary else None


def _of_latency(percentile: float) -> OfResult:
    """Of the operations of all runs, as published; 100 is the longest."""

    def read(result: Result) -> Cell:
        published = result.summary.latency_ns if result.summary else ()
        return next((each.latency.value for each in published if each.percentile == percentile), None)

    return read


def _verdict(result: Result) -> Cell:
    verdicts = {check.verdict for check in result.summary.checks} if result.summary else set()
    return next((verdict.value for verdict in _WORST_FIRST if verdict in verdicts), None)


def _run_count(result: Result) -> Cell:
    return len(result.runs) or (result.summary.rate.n_count if result.summary else 0)


# What was measured: before the columns of the run.
BEFORE: dict[str, OfResult] = {
    "result_id": lambda result: result.id,
    "measurement_id": lambda result: result.measurement_id,
    "created_at": lambda result: result.created_at,
    "experiment_id": _of_trial("experiment_id"),
    "experiment": _of_trial("experiment"),
    "configuration": _of_trial("configuration"),
    "randomised": _of_trial("randomised"),
    "tool": lambda result: result.origin.tool,
    "tool_version": lambda result: result.origin.tool_version,
    "engine": lambda result: result.origin.engine,
    "path": lambda result: result.target.path,
    "task": lambda result: result.task.label,
    **{name: _of_task(name) for name in _TASK},
    "pace_frames_per_s": _of_pace("frames_per_s"),
    "pace_frame_bytes": _of_pace("frame_bytes"),
}
RUN = (
    "run_index",
    "run_started_at",
    *(f"run_{name}" for name in _SAMPLES),
    *(f"run_latency_{name}_ns" for name in _PERCENTILES),
    "run_latency_max_ns",
)
# What was found in all runs together, and on what: after the columns of the run.
AFTER: dict[str, OfResult] = {
    "result_run_count": _run_count,
    "result_rate_bytes_per_s": _of_rate("value"),
    "result_rate_low_bytes_per_s": _of_rate("low"),
    "result_rate_high_bytes_per_s": _of_rate("high"),
    "result_rate_level_ratio": _of_rate("level_ratio"),
    **{f"result_latency_{name}_ns": _of_latency(percentile) for name, percentile in _PERCENTILES.items()},
    "result_latency_max_ns": _of_latency(100),
    "result_steadiness": lambda result: result.summary.steadiness.verdict.value if result.summary else None,
    "result_verdict": _verdict,
    **{name: _of_fact(name) for name in FACTS},
}
COLUMNS = (*BEFORE, *RUN, *AFTER)


def run_cells(run: Run | None) -> tuple[Cell, ...]:
    """The cells of RUN; all unknown where there is no run. Percentiles are of the run's own operations."""
    if run is None:
        return (None,) * len(RUN)
    samples, latency = run.samples, run.samples.latency
    percentiles = carried_ns(latency, tuple(_PERCENTILES.values())) if latency else (None,) * len(_PERCENTILES)
    counted = (getattr(samples, name) for name in _SAMPLES)
    return (run.repeat_index, run.started_at, *counted, *percentiles, latency.max_ns if latency else None)
