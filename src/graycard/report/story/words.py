"""Tasks and figures in the words of a headline."""

from __future__ import annotations

from graycard.model import Estimate, IoTask, Operation, Pattern, Result, Steady, Summary
from graycard.readable import quantity
from graycard.report.figures import plus_minus, rate
from graycard.report.printable import printable
from graycard.units import format_duration, format_rate, format_size


def task_words(task: IoTask) -> str:
    """The load in plain words: "sequential reads of 1 MiB", "random writes of 4 KiB", "rsync copy",
    "3 streams of prores-422-hq/uhd/25 play".
    """
    if task.transfer or task.pace:
        return printable(task.label)
    pattern = "sequential" if task.pattern is Pattern.SEQUENTIAL else "random"
    kind = "reads" if task.operation is Operation.READ else "writes"
    kind = kind if task.read_ratio is None else "reads and writes"
    block = "" if "block_bytes" in task.unstated else f" of {quantity(task.block_bytes, 'bytes')}"
    return f"{pattern} {kind}{block}"


def is_plain(task: IoTask) -> bool:
    """Whether its rate is what reading, or writing, reaches: not that of a mix, of a copy, or of paced frames."""
    return task.read_ratio is None and task.transfer is None and task.pace is None


def frame_words(result: Result) -> str:
    """How many frames of a paced task came in time: "3 of 4500 frames dropped, 12 late"; else nothing."""
    if result.task.pace is None or not result.runs:
        return ""
    dropped, late = _frame_count(result, "dropped_count"), _frame_count(result, "late_count")
    due = sum(run.samples.ops_count for run in result.runs) + (dropped or 0)
    told = (
        f"{due} frames, dropped ones not counted" if dropped is None else f"{dropped or 'none'} of {due} frames dropped"
    )
    return told if late is None else f"{told}, {late or 'none'} late"


def misses_frames(result: Result) -> bool:
    """Whether a frame of a paced task was dropped or late."""
    return any(_frame_count(result, name) for name in ("dropped_count", "late_count"))


def _frame_count(result: Result, name: str) -> int | None:
    """The sum over all runs; None where one cannot tell."""
    counts = [getattr(run.samples, name) for run in result.runs]
    return None if None in counts else sum(counts)


def figure(estimate: Estimate) -> str:
    """A rate that does not travel alone: "2100 MB/s ± 3 %", "48.3 MB/s (single run)"."""
    how = plus_minus(estimate)
    return f"{rate(estimate)} {how}" if how.startswith("±") else f"{rate(estimate)} ({how})"


def manner(summary: Summary) -> str:
    """What must be said right after a rate: " after the first 38.0 GB", ", with stalls of up to 2.00 s"; else nothing.

    How far runs scatter is told by the interval.
    """
    steadiness, stalls = summary.steadiness, summary.stalls
    match steadiness.verdict:
        case Steady.CLIFF:
            return f" after the first {format_size(_cliff_bytes(summary))}"
        case Steady.UNDULATING if steadiness.undulation:
            low, high = steadiness.undulation.low_bytes_per_s, steadiness.undulation.high_bytes_per_s
            return f", swinging between {format_rate(low)} and {format_rate(high)}"
        case Steady.STALLING if stalls:
            return f", with stalls of up to {format_duration(stalls.longest_ns)}"
        case _:
            return ""


def _cliff_bytes(summary: Summary) -> int:
    """The bytes before the last phase of the first run that changed its level: the figure is of what follows them."""
    by_run: dict[int, list[int]] = {}
    for phase in summary.steadiness.phases:
        by_run.setdefault(phase.run_index, []).append(phase.start_bytes)
    return next((starts[-1] for starts in by_run.values() if len(starts) > 1), 0)
