"""Latencies of fio's logs as a histogram, and what a log without bytes tells, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from graycard.importers.fio_bins import BITS, ERROR_RATIO
from graycard.importers.fio_log_rows import Layout
from graycard.importers.fio_log_sums import Sums
from graycard.model import Bucket, Histogram
from graycard.units import format_duration, significant

WHAT = {
    "bw": "bw log",
    "iops": "IOPS log",
    "lat": "lat log",
    "clat": "clat log",
    "slat": "slat log",
    "hist": "histogram log of clat",
    None: "log",
}
_LEVELS = (50.0, 90.0, 95.0, 99.0, 99.9)
# So few requests in flight, read as ns, is not what a job does that is measured: the values are µs then.
_LEAST_DEPTH = 0.1


@dataclass(frozen=True, slots=True)
class Latency:
    """What is known of latencies, in ns; `caveat` where the unit had to be guessed."""

    histogram: Histogram
    mean_ns: float
    caveat: str | None


def latency(sums: Sums, layout: Layout) -> Latency | None:
    """The latencies that a log counted; None where it counted none."""
    if not sums.counts:
        return None
    if layout.bins:
        return _of_bins(sums, layout.bins.step, layout.bins.unit_ns)
    scale, caveat = _scale(sums, layout)
    buckets = tuple(Bucket(low * scale, count) for low, count in sorted(sums.counts.items()))
    histogram = Histogram(ERROR_RATIO, buckets, sums.values * scale, (sums.least or 0) * scale, sums.most * scale)
    return Latency(histogram, sums.values * scale / sums.row_count, caveat)


def percentiles(found: Latency) -> dict[float, float]:
    """By percentile, in ns: the middle of the bin that holds it; 100 is the largest, where it is known."""
    counts = found.histogram.counts
    reached = list(accumulate(bucket.count for bucket in counts))
    levels: dict[float, float] = {}
    largest = found.histogram.max_ns
    for level in _LEVELS:
        index = next((i for i, count in enumerate(reached) if count >= level / 100 * reached[-1]), len(counts) - 1)
        middle = counts[index].low_ns * (1 + found.histogram.error_ratio)
        levels[level] = middle if largest is None else min(middle, largest)
    if largest is not None:
        levels[100.0] = float(largest)
    return levels


def mean_in_words(sums: Sums, layout: Layout) -> str:
    """What an averaged log of operations or latencies tells: its mean."""
    over = f"over {format_duration(sums.end_ms * 1e6)}"
    if layout.kind == "iops":
        ops = significant(sums.ops * 1000 / sums.end_ms) if sums.end_ms else "0"
        return f"an IOPS log counts operations and no bytes, {ops} a second on average {over}"
    mean = sums.values / max(1, sums.row_count)
    told = format_duration(mean)
    old = "" if layout.version_3 else f" if fio was 3.x, {format_duration(mean * 1000)} if it was 2.x"
    return f"a log of latencies holds no bytes; the mean of its {sums.row_count} values is {told}{old}, {over}"


def _of_bins(sums: Sums, step: int, unit_ns: int) -> Latency:
    ordered = sorted(sums.counts.items())
    buckets = tuple(Bucket(low * unit_ns, count) for low, count in ordered)
    error = ERROR_RATIO * step
    total = sum(middle * count for middle, count in _middles(ordered, error)) * unit_ns
    caveat = None if step == 1 else f"{step} neighbouring bins are one in this log: latencies are good to {error:.0%}."
    return Latency(Histogram(error, buckets, round(total), None, None), total / sum(sums.counts.values()), caveat)


def _middles(ordered: list[tuple[int, int]], error: float) -> Iterator[tuple[float, int]]:
    for low, count in ordered:
        # Below 128 each value has a bin of its own.
        yield (low * (1 + error) if low >= 2 << BITS else float(low)), count


def _scale(sums: Sums, layout: Layout) -> tuple[int, str | None]:
    """Ns in the unit of the values, and a sentence where the columns do not tell it."""
    if layout.version_3:
        return 1, None
    depth = sums.values / (sums.end_ms * 1e6) if sums.end_ms else 1.0
    scale, version = (1, "ns, as fio 3.x writes them") if depth >= _LEAST_DEPTH else (1000, "µs, as fio 2.x wrote them")
    return (
        scale,
        f"The log does not tell the unit of its latencies: they are read as {version}, by how many went on at once.",
    )
