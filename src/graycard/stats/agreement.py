"""How far two tools agree over several devices or loads: Bland and Altman's bias and limits, on log ratios.

One ratio a device and load, never one a repeat. Limits of agreement m ± 1.96 s hold 95 % of further ratios (Bland and
Altman, Lancet 327, 1986); their intervals are exact for normal log ratios (Carkeet, Optometry and Vision Science 92,
2015): √n (limit − m) / s has the noncentral t distribution of n − 1 degrees of freedom and shift 1.96 √n. The usual
approximation m ± 1.96 s ± t √3 s / √n covers too seldom where n is small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev

from graycard.model import Estimate
from graycard.stats.between import LEVEL_RATIO
from graycard.stats.contrast import ratio_of
from graycard.stats.distributions import falling_root, normal_quantile, t_quantile
from graycard.stats.power import noncentral_t_tail

LEAST_COUNT = 3
# 95 % of further ratios.
AGREEMENT_RATIO = 0.95


@dataclass(frozen=True, slots=True)
class Limits:
    """Ratios other over base: the mean one, and the two that 95 % of such ratios lie between."""

    bias: Estimate
    low: Estimate
    high: Estimate


def limits_of_agreement(ratios: Sequence[float], level: float = LEVEL_RATIO) -> Limits | None:
    """Bias and limits with their intervals at `level`; None below 3 ratios. ValueError for a ratio that is not > 0."""
    if any(not (math.isfinite(ratio) and ratio > 0) for ratio in ratios):
        raise ValueError("a ratio must be finite and above 0")
    count = len(ratios)
    if count < LEAST_COUNT:
        return None
    logs = [math.log(ratio) for ratio in ratios]
    mean, deviation = fmean(logs), stdev(logs)
    half = t_quantile((1 + level) / 2, count - 1) * deviation / math.sqrt(count)
    near, far = (deviation * factor for factor in limit_factors(count, level))
    reach = normal_quantile((1 + AGREEMENT_RATIO) / 2) * deviation

    def estimate(value: float, low: float, high: float, method: str) -> Estimate:
        return Estimate(ratio_of(value), ratio_of(low), ratio_of(high), "ratio", count, level, method)

    exact = f"limit of agreement of {count} log ratios (mean ± 1.96 s), exact interval by the noncentral t distribution"
    return Limits(
        bias=estimate(mean, mean - half, mean + half, f"geometric mean of {count} ratios, Student-t interval"),
        low=estimate(mean - reach, mean - far, mean - near, exact),
        high=estimate(mean + reach, mean + near, mean + far, exact),
    )


@lru_cache(maxsize=256)
def limit_factors(count: int, level: float) -> tuple[float, float]:
    """The ends of the interval of a limit, in standard deviations from the mean; `count` >= 3."""
    shift = normal_quantile((1 + AGREEMENT_RATIO) / 2) * math.sqrt(count)

    def quantile(tail: float) -> float:
        return falling_root(lambda t: noncentral_t_tail(t, count - 1, shift), tail, 0.0, shift + 2)

    half = (1 - level) / 2
    return quantile(1 - half) / math.sqrt(count), quantile(half) / math.sqrt(count)
