"""Latency percentiles from merged histograms, with intervals that survive bursts of slow operations.

Order statistics assume independent operations and cover 49-54 % when slow ones come in bursts; the delete-one-run
jackknife of the merged logarithm covers 91-95 % (V12 in docs/method.md). Percentiles are never averaged.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from graycard.model import Bucket, Estimate, Histogram, Percentile
from graycard.stats.distributions import poisson_interval, t_quantile

LEVEL_RATIO = 0.95
# A percentile is printed only with this many operations above it.
ABOVE_COUNT = 10
# What is published of each result; 100 is the maximum.
PERCENTILES = (50.0, 99.0, 99.9, 100.0)


def upper_ns(low_ns: int, error_ratio: float) -> int:
    """The longest latency that falls into the bucket that begins at `low_ns`.

    Log-linear buckets: with b bits, each power of two holds 2^b buckets and values below 2^(b+1) are exact. The
    middle of a bucket is off by at most 2^-(b+1), which is the histogram's `error_ratio`: 1/256 for graycard's own
    (7 bits), 1/128 for fio's (6 bits); 0 means exact values. Other ratios are taken as a width of twice their share.
    """
    if error_ratio <= 0 or low_ns <= 0:
        return low_ns
    bits = -math.log2(2 * error_ratio)
    if bits == int(bits):
        return low_ns + (1 << max(0, low_ns.bit_length() - 1 - int(bits))) - 1
    return max(low_ns, math.ceil(low_ns * (1 + 2 * error_ratio)) - 1)


def merge(histograms: Sequence[Histogram]) -> Histogram:
    """One histogram of all operations: counts are added. ValueError for none."""
    counts: Counter[int] = Counter()
    for histogram in histograms:
        for bucket in histogram.counts:
            counts[bucket.low_ns] += bucket.count
    smallest = [each.min_ns for each in histograms if each.min_ns is not None]
    largest = [each.max_ns for each in histograms if each.max_ns is not None]
    return Histogram(
        error_ratio=max(each.error_ratio for each in histograms),
        counts=tuple(Bucket(low, count) for low, count in sorted(counts.items()) if count),
        sum_ns=sum(each.sum_ns for each in histograms),
        min_ns=min(smallest, default=None),
        max_ns=max(largest, default=None),
        overflow_count=sum(each.overflow_count for each in histograms),
    )


def carries(ops_count: int, percentile: float) -> bool:
    """Whether at least 10 operations lie above the percentile: p99 takes 1,000 operations, p99.9 10,000."""
    return ops_count * (100 - percentile) / 100 >= ABOVE_COUNT - 1e-9


def percentile_ns(histogram: Histogram, percentile: float) -> float | None:
    """Nearest rank: the upper edge of the bucket that holds it, at most the largest latency; None without operations.

    A rank among the overflow is the largest latency, as far as that is known.
    """
    lows = [bucket.low_ns for bucket in histogram.counts]
    totals = list(accumulate(bucket.count for bucket in histogram.counts))
    return _at_rank(histogram, lows, totals, histogram.ops_count, percentile)


def carried_ns(histogram: Histogram, wanted: Sequence[float] = PERCENTILES) -> tuple[float | None, ...]:
    """Percentiles of one histogram, as `percentile_ns`; None for those that its operations cannot carry."""
    lows = [bucket.low_ns for bucket in histogram.counts]
    totals = list(accumulate(bucket.count for bucket in histogram.counts))
    ops_count = (totals[-1] if totals else 0) + histogram.overflow_count
    return tuple(
        _at_rank(histogram, lows, totals, ops_count, each) if carries(ops_count, each) else None for each in wanted
    )


def latencies(histograms: Sequence[Histogram], wanted: Sequence[float] = PERCENTILES) -> tuple[Percentile, ...]:
    """The percentiles of all runs' operations with their 95 % intervals, without those that the data cannot carry.

    One run: no interval. Two: the range of the two. From three: delete-one-run jackknife of the logarithm, t(n - 1),
    at least the bucket wide. Percentile 100 is the maximum, for which no interval exists.
    """
    used = [(each, ops_count) for each in histograms if (ops_count := each.ops_count)]
    if not used:
        return ()
    merged = merge([each for each, _ in used])
    found = ((percentile, _estimate(merged, used, percentile)) for percentile in wanted)
    return tuple(Percentile(percentile, estimate) for percentile, estimate in found if estimate is not None)


def share_over(histograms: Sequence[Histogram], deadline_ns: int) -> Estimate | None:
    """The share of operations that took longer than a deadline, with its 95 % interval; None without operations.

    For tasks with a pace, whose frames have a deadline; no command shows it yet.
    Operations in the deadline's own bucket count as over it. Jackknife over the runs from 3 runs on; where none was
    over it, Garwood's upper limit of no event, which takes the operations as independent.
    """
    used = [each for each in histograms if each.ops_count]
    if not used:
        return None
    over = [_over(each, deadline_ns) for each in used]
    sizes = [each.ops_count for each in used]
    share, count = sum(over) / sum(sizes), len(used)
    if not sum(over):
        high = min(1.0, poisson_interval(0)[1] / sum(sizes))
        return Estimate(0.0, 0.0, high, "ratio", count, LEVEL_RATIO, "none seen; Poisson limit, operations independent")
    if count < 3:
        method = "single run" if count == 1 else "share of all operations of 2 runs"
        return Estimate(share, None, None, "ratio", count, None, method)
    rest = [(sum(over) - o) / (sum(sizes) - n) for o, n in zip(over, sizes, strict=True)]
    half = jackknife_half_width(rest)
    method = f"jackknife over {count} runs"
    return Estimate(share, max(0.0, share - half), min(1.0, share + half), "ratio", count, LEVEL_RATIO, method)


def jackknife_half_width(left_out: Sequence[float]) -> float:
    """Half-width of the 95 % interval from the n estimates that leave one run out each (Tukey 1958): t(n - 1)."""
    count = len(left_out)
    mean = math.fsum(left_out) / count
    variance = (count - 1) / count * math.fsum((each - mean) ** 2 for each in left_out)
    return t_quantile((1 + LEVEL_RATIO) / 2, count - 1) * math.sqrt(variance)


def _estimate(merged: Histogram, runs: Sequence[tuple[Histogram, int]], percentile: float) -> Estimate | None:
    if percentile >= 100:
        return _maximum(merged, len(runs))
    ops_count = sum(count for _, count in runs)
    value = percentile_ns(merged, percentile)
    if value is None or not carries(ops_count, percentile):
        return None
    if len(runs) == 1:
        return Estimate(value, None, None, "ns", 1, None, "single run")
    if len(runs) == 2:
        both = [found for each, _ in runs if (found := percentile_ns(each, percentile)) is not None]
        low, high = min([value, *both]), max([value, *both])
        return Estimate(value, low, high, "ns", 2, None, "merged percentile and range of 2 runs")
    return _jackknifed(merged, runs, percentile, value)


def _jackknifed(merged: Histogram, runs: Sequence[tuple[Histogram, int]], percentile: float, value: float) -> Estimate:
    lows = [bucket.low_ns for bucket in merged.counts]
    counts = [bucket.count for bucket in merged.counts]
    places = {low: index for index, low in enumerate(lows)}
    total = sum(ops_count for _, ops_count in runs)
    logs = []
    for run, ops_count in runs:
        rest = counts.copy()
        for bucket in run.counts:
            if bucket.count:
                rest[places[bucket.low_ns]] -= bucket.count
        found = _at_rank(merged, lows, list(accumulate(rest)), total - ops_count, percentile)
        logs.append(math.log(max(found or value, 1.0)))
    half = jackknife_half_width(logs)
    bucket_low = lows[max(0, bisect_right(lows, value) - 1)] if lows else value
    low, high = min(value * math.exp(-half), bucket_low), value * math.exp(min(half, 700.0))
    method = f"merged percentile, jackknife over {len(runs)} runs"
    return Estimate(value, low, high, "ns", len(runs), LEVEL_RATIO, method)


def _at_rank(
    histogram: Histogram, lows: Sequence[int], totals: Sequence[int], ops_count: int, percentile: float
) -> float | None:
    if not ops_count:
        return None
    # The small step down keeps 99.9 % of 10,000 at rank 9,990 in spite of binary fractions.
    rank = min(max(1, math.ceil(ops_count * percentile / 100 - 1e-9 * ops_count)), ops_count)
    index = bisect_left(totals, rank)
    if index == len(totals):
        return None if histogram.max_ns is None else float(histogram.max_ns)
    upper = upper_ns(lows[index], histogram.error_ratio)
    return float(upper if histogram.max_ns is None else min(upper, histogram.max_ns))


def _maximum(merged: Histogram, run_count: int) -> Estimate | None:
    largest = percentile_ns(merged, 100.0) if merged.max_ns is None else float(merged.max_ns)
    if largest is None:
        return None
    method = f"largest of {merged.ops_count} operations in {run_count} runs; a maximum has no interval"
    return Estimate(largest, None, None, "ns", run_count, None, method)


def _over(histogram: Histogram, deadline_ns: int) -> int:
    over = sum(
        bucket.count for bucket in histogram.counts if upper_ns(bucket.low_ns, histogram.error_ratio) > deadline_ns
    )
    return over + histogram.overflow_count
