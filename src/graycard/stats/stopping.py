"""When to stop repeating: looks with the 97 % interval, which is then printed as 95 %.

Looking after every run stops too often by luck: the 97 % interval at the stop covers 94 to 97 %, and the 95 %
interval 91 to 95 % (V7 in docs/method.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graycard.stats.between import LOOK_LEVEL_RATIO, log_deviation, log_half_width
from graycard.stats.distributions import normal_quantile, t_quantile
from graycard.stats.first_run import first_run_differs

# The first look that may stop: three or four runs are too often alike by chance.
LOOK_COUNT = 5
_PREDICTION_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the runs so far.

    `half_width_ratio` is the 97 % half-width as a share of the value (None below 3 runs or with a run of 0);
    `predicted_count` how many runs in all the target will take (None: not known, or more than 10 000).
    """

    enough: bool
    half_width_ratio: float | None
    predicted_count: int | None


def look(values: Sequence[float], target_ratio: float) -> Look:
    """Whether the runs' values, in the order in which they were made, give the interval asked for.

    A first run that differs is left out, as it will be in the result.
    """
    kept = values[1:] if first_run_differs(values) else values
    half = log_half_width(kept, LOOK_LEVEL_RATIO)
    if half is None:
        return Look(enough=False, half_width_ratio=None, predicted_count=None)
    ratio = _sinh(half)
    enough = len(values) >= LOOK_COUNT and ratio <= target_ratio
    predicted = len(values) if enough else _predict(log_deviation(kept), target_ratio)
    if predicted is not None and not enough:
        predicted = max(predicted + len(values) - len(kept), LOOK_COUNT, len(values) + 1)
    return Look(enough, ratio, predicted)


def _predict(deviation: float, target_ratio: float) -> int | None:
    """The first n at which sinh(t s / sqrt n) meets the target, counted up from the normal quantile's n."""
    if target_ratio <= 0:
        return LOOK_COUNT if not deviation else None
    probability, needed = (1 + LOOK_LEVEL_RATIO) / 2, deviation / math.asinh(target_ratio)
    least = (normal_quantile(probability) * needed) ** 2
    if least > _PREDICTION_LIMIT:
        return None
    count = max(LOOK_COUNT, math.ceil(least))
    while (t_quantile(probability, count - 1) * needed) ** 2 > count:
        count += 1
    return count


def _sinh(half: float) -> float:
    """Half the width of exp(±half) as a share of the centre, as `Estimate.half_width_ratio` gives it."""
    return math.sinh(min(half, 700.0))
