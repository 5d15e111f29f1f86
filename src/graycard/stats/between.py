"""From several runs to one number: the run is the unit, never the sample or the operation.

Student-t interval over the logarithms of the run values; coverage by simulation in docs/method.md (V1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from graycard.model import Estimate
from graycard.stats.distributions import t_quantile

LEVEL_RATIO = 0.95
# The level of the looks of an adaptive stop, and of the interval that such a stop then prints as 95 %: luck in the
# stopping costs up to four points (V7).
LOOK_LEVEL_RATIO = 0.97
# Fewer give no interval: with two, t has one degree of freedom and the interval is 9 s wide each way.
INTERVAL_COUNT = 3
# A run this far below the median of all is not a normal run.
SLOW_RATIO = 0.8
# Runs further apart than this have no common level to speak of.
SCATTERED_RATIO = 0.25


def runs_estimate(values: Sequence[float], unit: str, *, looked: bool = False) -> Estimate:
    """The geometric mean of the runs' values with its 95 % interval. ValueError for no value.

    `looked` says that runs were added until the interval was narrow enough: it is then computed at 97 %.
    One run: no interval. Two: their range. Where a value is 0 no logarithm exists: arithmetic mean and range.
    """
    if not values:
        raise ValueError("an estimate needs at least one run")
    if len(values) == 1:
        return Estimate(values[0], None, None, unit, 1, None, "single run")
    if min(values) <= 0:
        return _range(sum(values) / len(values), values, unit, "mean and range of {} runs; one of them moved nothing")
    centre = math.exp(log_mean(values))
    half = log_half_width(values, LOOK_LEVEL_RATIO if looked else LEVEL_RATIO)
    if half is None:
        return _range(centre, values, unit, "geometric mean and range of {} runs; an interval needs 3")
    method = f"geometric mean of {len(values)} runs, Student-t interval of their logarithms"
    if len(values) == INTERVAL_COUNT:
        method += "; wide because there are only 3"
    if looked:
        method += "; at 97 %, which makes up for looking after each run"
    return Estimate(centre, centre * math.exp(-half), centre * math.exp(half), unit, len(values), LEVEL_RATIO, method)


def log_mean(values: Sequence[float]) -> float:
    """Mean of the logarithms of positive values."""
    return math.fsum(map(math.log, values)) / len(values)


def log_deviation(values: Sequence[float]) -> float:
    """Standard deviation (n - 1) of the logarithms of at least two positive values."""
    centre = log_mean(values)
    return math.sqrt(math.fsum((math.log(value) - centre) ** 2 for value in values) / (len(values) - 1))


def log_half_width(values: Sequence[float], level: float) -> float | None:
    """Half the width of the t interval on the logarithmic scale; None below 3 runs or with a value that is 0."""
    if len(values) < INTERVAL_COUNT or min(values) <= 0:
        return None
    quantile = t_quantile((1 + level) / 2, len(values) - 1)
    return quantile * log_deviation(values) / math.sqrt(len(values))


def spread_ratio(values: Sequence[float]) -> float | None:
    """Largest less smallest over the median; None for fewer than two runs or a median of 0."""
    if len(values) < 2 or not median(values):
        return None
    return (max(values) - min(values)) / median(values)


def slow_count(values: Sequence[float]) -> int:
    """How many runs are more than 20 % slower than the median run."""
    return sum(value < SLOW_RATIO * median(values) for value in values)


def _range(value: float, values: Sequence[float], unit: str, method: str) -> Estimate:
    return Estimate(value, min(values), max(values), unit, len(values), None, method.format(len(values)))
