"""The rate of a result that a verdict may rest on: the low end of what is sustained, never a peak."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graycard.facts import value
from graycard.media.suitable import failed_check, is_flushed
from graycard.model import Operation, Phase, Result, Steadiness, Summary, Verdict
from graycard.units import format_duration, format_rate, format_size, percent

_ONE_RUN = "a single run has no interval"


@dataclass(frozen=True, slots=True)
class Basis:
    """What the verdicts of one direction rest on.

    `sustained_bytes_per_s` is the figure that decides, `says` where it comes from. Where `undecided` tells a reason
    (a single run, a failed check), nothing is decided; the figure is None where it is not what it claims to be.
    `caveats` are whole sentences.
    """

    result_id: str
    measurement_id: str
    created_at: datetime
    tool: str
    task_label: str
    operation: Operation
    sustained_bytes_per_s: float | None
    says: str
    undecided: str | None
    longest_stall_ns: int | None
    caveats: tuple[str, ...]


def basis_of(result: Result) -> Basis:
    """The basis that a suitable result gives (see `suitable.unsuitable`); ValueError without a summary."""
    summary = result.summary
    if summary is None:
        raise ValueError("a result without a summary has no figure")
    failed = failed_check(result)
    rate, says = _sustained(summary)
    stalls = summary.stalls
    return Basis(
        result_id=result.id,
        measurement_id=result.measurement_id,
        created_at=result.created_at,
        tool=result.origin.tool,
        task_label=result.task.label,
        operation=result.task.operation,
        sustained_bytes_per_s=None if failed else rate,
        says=says,
        undecided=_undecided(summary, failed),
        longest_stall_ns=stalls.longest_ns if stalls and stalls.count else None,
        caveats=_caveats(result, summary, rate),
    )


def _undecided(summary: Summary, failed: str | None) -> str | None:
    if failed:
        return f"a check failed ({failed.rstrip('.')})"
    rate = summary.rate
    if rate.low is not None and rate.level_ratio is not None:
        return None
    if _phase_with_interval(summary.steadiness):
        return None
    if rate.low is not None:
        return "the range of some runs is no interval"
    return _ONE_RUN if rate.n_count <= 1 else f"it has no interval ({rate.method})"


def _sustained(summary: Summary) -> tuple[float, str]:
    """The lowest of: the interval's low end, the slowest phase of a run that changed its level, the low of a swing."""
    found = [_low_end(summary)]
    slowest = _slowest_phase(summary.steadiness)
    if slowest:
        low = slowest.rate.value if slowest.rate.low is None else slowest.rate.low
        found.append((low, f"the slowest part of a run, after {format_size(slowest.start_bytes)}"))
    swing = summary.steadiness.undulation
    if swing:
        found.append((swing.low_bytes_per_s, "the low level of a rate that swings"))
    low, words = min(found)
    return low, f"{format_rate(low)}, {words}"


def _low_end(summary: Summary) -> tuple[float, str]:
    rate = summary.rate
    if rate.low is not None and rate.level_ratio is not None:
        return rate.low, f"the low end of the {percent(rate.level_ratio)} interval around {format_rate(rate.value)}"
    phase = _phase_with_interval(summary.steadiness)
    if phase and phase.rate.low is not None:
        return phase.rate.low, f"the low end of the interval within one run of {format_rate(rate.value)}"
    return rate.value, "without an interval"


def _phase_with_interval(steadiness: Steadiness) -> Phase | None:
    """The slowest phase, where it has an interval of its own: a long run tells how steady it was."""
    slowest = min(steadiness.phases, key=lambda phase: phase.rate.value, default=None)
    return slowest if slowest and slowest.rate.low is not None else None


def _slowest_phase(steadiness: Steadiness) -> Phase | None:
    """The slowest phase of the runs that have several, or None where no run changed its level."""
    counts: dict[int, int] = {}
    for phase in steadiness.phases:
        counts[phase.run_index] = counts.get(phase.run_index, 0) + 1
    changed = [phase for phase in steadiness.phases if counts[phase.run_index] > 1]
    return min(changed, key=lambda phase: phase.rate.value, default=None)


def _caveats(result: Result, summary: Summary, rate: float) -> tuple[str, ...]:
    found = [check.says for check in summary.checks if check.verdict is Verdict.CAVEAT]
    if summary.stalls and summary.stalls.count:
        longest = format_duration(summary.stalls.longest_ns)
        found.append(f"It stalled {summary.stalls.count} times, for up to {longest}: so much must be buffered.")
    if result.task.operation is Operation.WRITE:
        found += _of_writing(result, rate)
    if summary.rate.low is None and not _undecided(summary, None):
        found.append("It was one run: another may differ more than the interval within it says.")
    return tuple(dict.fromkeys(found))


def _of_writing(result: Result, rate: float) -> list[str]:
    """What a write figure does not say: how long it lasts, and what a flush costs that comes more often."""
    moved = _moved_bytes(result, rate)
    found = []
    if moved is not None:
        found.append(
            f"Each run wrote {format_size(moved)}; whether the rate lasts through longer clips tells graycard sustain."
        )
    if not is_flushed(result.task):
        found.append("No flush is in the time, so a part may not have been on the medium.")
    else:
        found.append("The flush comes once, at the end; who records and flushes more often gets less.")
    if value(result.facts, "throttled"):
        found.append("The drive said that it slows down because of heat.")
    return found


def _moved_bytes(result: Result, rate: float) -> int | None:
    """Bytes of the longest run, or at most so many where the runs are not there."""
    if result.runs:
        return max(run.samples.moved_bytes for run in result.runs)
    task = result.task
    by_time = None if task.time_ns is None or "time_ns" in task.unstated else int(rate * task.time_ns / 1e9)
    limits = [limit for limit in (task.byte_limit, by_time) if limit]
    return min(limits, default=None)
