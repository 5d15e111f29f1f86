"""The columns of a report's table: the unit in each name, and how each is read from a result and one of its runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from graycard.facts import value
from graycard.model import Estimate, FactValue, Result, Run, Verdict
from graycard.stats.latency import carries, percentile_ns

# What of the six factors and the medium tells two set-ups apart.
FACT_COLUMNS = (
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

Cell = FactValue | datetime
Column = Callable[[Result, Run | None], Cell]


def _of_trial(field: str) -> Column:
    return lambda result, _run: getattr(result.trial, field) if result.trial else None


def _of_task(field: str) -> Column:
    return lambda result, _run: getattr(result.task, field)


def _of_pace(field: str) -> Column:
    return lambda result, _run: getattr(result.task.pace, field) if result.task.pace else None


def _of_samples(field: str) -> Column:
    return lambda _result, run: getattr(run.samples, field) if run else None


def _of_fact(name: str) -> Column:
    return lambda result, _run: value(result.facts, name)


def _of_rate(field: str) -> Column:
    return lambda result, _run: getattr(result.summary.rate, field) if result.summary else None


def _of_run_latency(percentile: float) -> Column:
    """Of the run's own operations, where enough of them lie above the percentile."""

    def read(_result: Result, run: Run | None) -> Cell:
        histogram = run.samples.latency if run else None
        if histogram is None or not carries(histogram.ops_count, percentile):
            return None
        return percentile_ns(histogram, percentile)

    return read


def _run_latency_max(_result: Result, run: Run | None) -> Cell:
    return run.samples.latency.max_ns if run and run.samples.latency else None


def _of_result_latency(percentile: float) -> Column:
    """Of the operations of all runs, as published."""

    def read(result: Result, _run: Run | None) -> Cell:
        published = result.summary.latency_ns if result.summary else ()
        found: list[Estimate] = [each.latency for each in published if each.percentile == percentile]
        return found[0].value if found else None

    return read


def _verdict(result: Result, _run: Run | None) -> Cell:
    verdicts = {check.verdict for check in result.summary.checks} if result.summary else set()
    return next((verdict.value for verdict in _WORST_FIRST if verdict in verdicts), None)


def _run_count(result: Result, _run: Run | None) -> Cell:
    return len(result.runs) or (result.summary.rate.n_count if result.summary else 0)


_TASK_COLUMNS = (
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
_RUN_COLUMNS = ("elapsed_ns", "ops_count", "moved_bytes", "rate_bytes_per_s", "ops_per_s")

COLUMNS: dict[str, Column] = {
    "result_id": lambda result, _run: result.id,
    "measurement_id": lambda result, _run: result.measurement_id,
    "created_at": lambda result, _run: result.created_at,
    "experiment_id": _of_trial("experiment_id"),
    "experiment": _of_trial("experiment"),
    "configuration": _of_trial("configuration"),
    "randomised": _of_trial("randomised"),
    "tool": lambda result, _run: result.origin.tool,
    "tool_version": lambda result, _run: result.origin.tool_version,
    "engine": lambda result, _run: result.origin.engine,
    "path": lambda result, _run: result.target.path,
    "task": lambda result, _run: result.task.label,
    **{name: _of_task(name) for name in _TASK_COLUMNS},
    "pace_frames_per_s": _of_pace("frames_per_s"),
    "pace_frame_bytes": _of_pace("frame_bytes"),
    "run_index": lambda _result, run: run.repeat_index if run else None,
    "run_started_at": lambda _result, run: run.started_at if run else None,
    **{f"run_{name}": _of_samples(name) for name in _RUN_COLUMNS},
    "run_latency_p50_ns": _of_run_latency(50),
    "run_latency_p99_ns": _of_run_latency(99),
    "run_latency_p99_9_ns": _of_run_latency(99.9),
    "run_latency_max_ns": _run_latency_max,
    "run_flush_ns": _of_samples("flush_ns"),
    "run_late_count": _of_samples("late_count"),
    "run_error_count": _of_samples("error_count"),
    "result_run_count": _run_count,
    "result_rate_bytes_per_s": _of_rate("value"),
    "result_rate_low_bytes_per_s": _of_rate("low"),
    "result_rate_high_bytes_per_s": _of_rate("high"),
    "result_rate_level_ratio": _of_rate("level_ratio"),
    "result_latency_p50_ns": _of_result_latency(50),
    "result_latency_p99_ns": _of_result_latency(99),
    "result_latency_p99_9_ns": _of_result_latency(99.9),
    "result_latency_max_ns": _of_result_latency(100),
    "result_steadiness": lambda result, _run: result.summary.steadiness.verdict.value if result.summary else None,
    "result_verdict": _verdict,
    **{name: _of_fact(name) for name in FACT_COLUMNS},
}
