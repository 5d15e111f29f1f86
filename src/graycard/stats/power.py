"""What a comparison of so many runs would find, and how many more it takes: the noncentral t distribution.

The distribution is integrated directly, for the series in common use lose their digits far from the centre.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache

from graycard.stats.contrast import Contrast
from graycard.stats.distributions import falling_root, t_quantile
from graycard.stats.welch import welch_error

# "Found in 4 of 5 cases": the convention of Cohen, Statistical Power Analysis, 1988.
POWER_RATIO = 0.8
# Nobody makes more.
MORE_LIMIT = 1000
# Of the narrowest width in the integrand.
_STEP_RATIO = 0.6
_CROSSOVER_COUNT = 4


def noncentral_t_tail(t: float, df: float, shift: float) -> float:
    """P(T > t), t >= 0, for (Z + shift) / sqrt(W / df), Z standard normal, W chi-square with `df` >= 1.

    The mean of P(Z > t sqrt(W / df) - shift) over y = ln(W / df), whose density dies out so fast on both sides that
    the trapezoidal rule is exact to 1e-9.
    """
    half = df / 2
    front = half * math.log(half) - half - math.lgamma(half)
    spread = 9 / math.sqrt(half)
    low, high = -spread - 30 / half, min(spread, math.log1p(spread + 40 / half))
    # The narrower of the density and of the step where the argument of P crosses 0.
    nodes = math.ceil((high - low) * (1 + math.sqrt(half) + abs(shift) / 2) / _STEP_RATIO)
    step = (high - low) / nodes
    total = 0.0
    for node in range(nodes + 1):
        y = low + node * step
        density = math.exp(front + half * (y - math.expm1(y)))
        total += density * 0.5 * math.erfc((t * math.exp(y / 2) - shift) / math.sqrt(2))
    return total * step


def detectable(error: float, df: float, chance: float) -> float:
    """The log ratio that a two-sided test at level `chance` finds with its right sign in 4 of 5 cases.

    `df` is rounded down, which promises a little less and keeps few values to compute.
    """
    return error * _shift(max(1, math.floor(df + 1e-9)), chance)


def ahead(contrast: Contrast, more: int) -> tuple[float, float]:
    """Standard error and degrees of freedom with so many more pairs, or more runs on each side, of the same scatter."""
    if len(contrast.counts) > 1:
        return welch_error(contrast.deviations, [count + more for count in contrast.counts])
    count = contrast.counts[0] + more
    return contrast.deviations[0] / math.sqrt(count), count - (2 if count >= _CROSSOVER_COUNT else 1)


def more_needed(contrast: Contrast, threshold: float, chance: float) -> int | None:
    """How many more pairs, or runs on each side, would find the log ratio `threshold`: 1 at least, None above 1000.

    Pairs come to an even number in all, as half of them begin with the base.
    """

    def excess(more: int) -> float:
        return threshold - detectable(*ahead(contrast, more), chance)

    more = 1 + bisect_left(range(1, MORE_LIMIT + 1), 0.0, key=excess)
    if more > MORE_LIMIT:
        return None
    return more + (contrast.counts[0] + more) % 2 if len(contrast.counts) == 1 else more


@lru_cache(maxsize=4096)
def _shift(df: int, chance: float) -> float:
    """Effect in standard errors at which the upper half of the test has the power asked for."""
    critical = t_quantile(1 - chance / 2, df)
    return falling_root(lambda shift: 1 - noncentral_t_tail(critical, df, shift), 1 - POWER_RATIO, 0.0, critical + 2)
