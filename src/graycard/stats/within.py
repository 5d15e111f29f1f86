"""How well one run knows its own level: an interval from the effective sample size. Another run may differ more.

Neighbouring samples of a disk are alike, so n samples count as fewer. Gated on duration alone: gating on a calm look
would choose the runs that happened to see no stall (coverage 2 %, docs/method.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from graycard.stats.autocorrelation import lag_one
from graycard.stats.distributions import t_quantile

SHORTEST_NS = 30_000_000_000
# Whole periods that a run must hold before blocks of one period are used.
_PERIOD_COUNT = 5


@dataclass(frozen=True, slots=True)
class Within:
    """Mean rate of a stretch of one run and its 95 % half-width, both in the unit of the samples."""

    mean: float
    half_width: float


def within_run(values: Sequence[float], width_ns: int, period_ns: int | None = None) -> Within | None:
    """Interval of the mean of a stretch of at least 30 s, cut in slots of `width_ns`; None below, or if unbounded.

    With a period, samples are means over whole periods: a part of a period at the end is left out.
    """
    if width_ns * len(values) < SHORTEST_NS:
        return None
    if period_ns and width_ns * len(values) >= _PERIOD_COUNT * period_ns:
        values = period_means(values, period_ns / width_ns)
    return effective_interval(values)


def effective_interval(values: Sequence[float], level: float = 0.95) -> Within | None:
    """Student's t with n_eff - 1 degrees of freedom and the variance over n_eff; None when n_eff <= 1.

    n_eff = T (1 - r) / (1 + r) with the lag-1 autocorrelation r; the variance is divided by (1 - 1/n_eff), since the
    mean of correlated samples follows them (ESS-AR1: Bayley and Hammersley 1946 for an AR(1) process).
    """
    size = effective_count(values)
    if size <= 1:
        return None
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / len(values) / (1 - 1 / size)
    return Within(mean, t_quantile((1 + level) / 2, size - 1) * math.sqrt(variance / size))


def effective_count(values: Sequence[float]) -> float:
    """T (1 - r) / (1 + r) with r = r1 + (1 + 4 r1) / T, clipped to 0 … .99 (bias: Marriott and Pope 1954)."""
    count = len(values)
    if count < 2:
        return 0.0
    first = lag_one(values)
    r = min(max(first + (1 + 4 * first) / count, 0.0), 0.99)
    return count * (1 - r) / (1 + r)


def period_means(values: Sequence[float], period: float) -> list[float]:
    """Means over whole periods of `period` slots (no whole number needed: a slot is shared out evenly)."""
    totals = [0.0, *accumulate(values)]
    count = int(len(values) / period + 1e-9)
    edges = [_interpolated(totals, index * period) for index in range(count + 1)]
    return [(end - start) / period for start, end in pairwise(edges)]


def _interpolated(totals: Sequence[float], place: float) -> float:
    whole = min(int(place), len(totals) - 1)
    rest = place - whole
    return totals[whole] + (rest * (totals[whole + 1] - totals[whole]) if rest > 1e-9 else 0.0)
