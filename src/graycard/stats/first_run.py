"""Whether the first run differs from the others (a cold cache, a drive that wakes up), by one fixed rule."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graycard.stats.between import log_deviation, log_mean
from graycard.stats.distributions import t_quantile

# Below this many runs the prediction interval is so wide that the rule finds only 62 % of 25 % steps.
RULE_COUNT = 5
PREDICTION_RATIO = 0.99
MATERIAL_RATIO = 0.05


def first_run_differs(values: Sequence[float]) -> bool:
    """True when run 1 lies outside the 99 % prediction interval of the others and is more than 5 % off their mean.

    Needs 5 runs in the order in which they were made, all above 0; else False. The interval is that of one more
    observation, mean log ± t s sqrt(1 + 1/m), from the m others.
    """
    if len(values) < RULE_COUNT or min(values) <= 0:
        return False
    others = values[1:]
    off = math.log(values[0]) - log_mean(others)
    quantile = t_quantile((1 + PREDICTION_RATIO) / 2, len(others) - 1)
    reach = quantile * log_deviation(others) * math.sqrt(1 + 1 / len(others))
    return abs(off) > reach and abs(math.expm1(off)) > MATERIAL_RATIO
