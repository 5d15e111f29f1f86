"""A ratio as an `Estimate`, and the range that stands in its place where there are too few runs for an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graycard.model import Estimate
from graycard.stats.contrast import Contrast, ratio_of
from graycard.stats.crossover import Pairs


def logs(rates: Sequence[float]) -> list[float]:
    """Logarithms of rates above 0."""
    return [math.log(rate) for rate in rates]


def ratio_estimate(contrast: Contrast, level: float, method: str) -> Estimate:
    """The t interval at `level`, back on the scale of ratios."""
    low, high = (ratio_of(contrast.effect + side * contrast.half_width(level)) for side in (-1, 1))
    return Estimate(ratio_of(contrast.effect), low, high, "ratio", sum(contrast.counts), level, method)


def pairs_method(found: Pairs) -> str:
    """How the interval was made, for the reader."""
    kind = "paired" if found.order is None else "two-period crossover,"
    return f"geometric mean ratio of {found.effect.counts[0]} pairs, {kind} Student-t interval of their logarithms"


def pairs_range(log_ratios: Sequence[float]) -> Estimate:
    """Of one pair or two."""
    value = ratio_of(math.fsum(log_ratios) / len(log_ratios))
    if len(log_ratios) == 1:
        return Estimate(value, None, None, "ratio", 1, None, "single pair")
    low, high = ratio_of(min(log_ratios)), ratio_of(max(log_ratios))
    return Estimate(value, low, high, "ratio", 2, None, "geometric mean and range of 2 pairs; an interval needs 3")


def unpaired_range(base_logs: Sequence[float], other_logs: Sequence[float]) -> Estimate:
    """From the slowest other over the fastest base to the reverse; none for one run against one."""
    count = len(base_logs) + len(other_logs)
    value = ratio_of(math.fsum(other_logs) / len(other_logs) - math.fsum(base_logs) / len(base_logs))
    if count == 2:
        return Estimate(value, None, None, "ratio", 2, None, "single run of each")
    low, high = ratio_of(min(other_logs) - max(base_logs)), ratio_of(max(other_logs) - min(base_logs))
    method = "ratio of geometric means, range of all pairings; an interval needs 3 runs of each"
    return Estimate(value, low, high, "ratio", count, None, method)
