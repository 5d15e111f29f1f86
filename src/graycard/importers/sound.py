"""What every result keeps to, so that no later room has to ask: whoever edits or damages an export is told here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from graycard.model import Estimate, Histogram, IoTask, Result, Run, Samples

# Years in nanoseconds and exabytes: beyond any run, and far from where arithmetic overflows.
MOST_COUNT = 1 << 60


def fault(result: Result) -> str | None:
    """What is impossible in the result, in a few words, or None."""
    return next(_faults(result), None)


def _faults(result: Result) -> Iterator[str]:
    yield from _of_task(result.task)
    for number, run in enumerate(result.runs, 1):
        for wrong in _of_run(run):
            yield f"run {number}: {wrong}"
    if result.summary:
        for estimate in (result.summary.rate, result.summary.ops):
            yield from _of_estimate(estimate) if estimate else ()


def _of_task(task: IoTask) -> Iterator[str]:
    for name in ("block_bytes", "span_bytes", "depth_count", "worker_count"):
        if not 0 < getattr(task, name) <= MOST_COUNT:
            yield f"{name} is {getattr(task, name)}"
    if not 0 <= task.compressible_ratio <= 1:
        yield f"compressible_ratio is {task.compressible_ratio}"


def _of_run(run: Run) -> Iterator[str]:
    samples = run.samples
    counts = (samples.elapsed_ns, samples.ops_count, samples.moved_bytes, samples.tick_ns, run.repeat_index)
    if not all(0 <= count <= MOST_COUNT for count in counts):
        yield "a count is negative or absurd"
    elif not samples.elapsed_ns and samples.moved_bytes:
        yield "bytes moved in no time"
    yield from _of_ticks(samples)
    for histogram in (samples.latency, samples.flush_latency):
        if histogram:
            yield from _of_histogram(histogram)


def _of_ticks(samples: Samples) -> Iterator[str]:
    ticks = samples.ticks
    if not ticks:
        return
    if not samples.tick_ns or any(
        after.start_ns - before.start_ns != samples.tick_ns for before, after in pairwise(ticks)
    ):
        yield "its slots of time are not in order"
    if any(tick.ops_count < 0 or tick.moved_bytes < 0 or tick.start_ns < 0 for tick in ticks):
        yield "a slot of time has a negative count"


def _of_histogram(histogram: Histogram) -> Iterator[str]:
    lows = [bucket.low_ns for bucket in histogram.counts]
    if any(low < 0 for low in lows) or any(after <= before for before, after in pairwise(lows)):
        yield "its latencies are not in order"
    if any(bucket.count < 0 for bucket in histogram.counts) or histogram.overflow_count < 0:
        yield "a latency has a negative count"


def _of_estimate(estimate: Estimate) -> Iterator[str]:
    figures = [figure for figure in (estimate.value, estimate.low, estimate.high) if figure is not None]
    if not all(math.isfinite(figure) and figure >= 0 for figure in figures):
        yield "a figure is negative or no number"
