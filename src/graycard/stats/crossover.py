"""Pairs of runs, one of each set-up, on the logarithm of their ratio.

A two-period crossover (Hills and Armitage, British Journal of Clinical Pharmacology 8, 1979): pairs with the base first
and pairs with the other first are two groups, and the effect is the mean of the two group means. What the second run of
a pair suffers, and a drift that is linear over a pair, has the opposite sign in the two groups and cancels exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graycard.stats.contrast import Contrast

# Fewer give no interval: t with one degree of freedom is 9 s wide each way.
PAIR_COUNT = 3
# Pairs of each order from which on the two orders are told apart.
ORDER_COUNT = 2


@dataclass(frozen=True, slots=True)
class Pairs:
    """`effect` of other over base; `order` of the second run of a pair over the first, None where not told apart."""

    effect: Contrast
    order: Contrast | None


def pairs(log_ratios: Sequence[float], base_first: Sequence[bool]) -> Pairs | None:
    """The crossover where each order occurs twice, else the plain paired t; None below 3 pairs."""
    if len(log_ratios) < PAIR_COUNT:
        return None
    first = [value for value, is_first in zip(log_ratios, base_first, strict=True) if is_first]
    second = [value for value, is_first in zip(log_ratios, base_first, strict=True) if not is_first]
    if min(len(first), len(second)) < ORDER_COUNT:
        return Pairs(_paired(log_ratios), None)
    return _crossover(first, second)


def _crossover(first: Sequence[float], second: Sequence[float]) -> Pairs:
    """With the variance within the two groups, and n - 2 degrees of freedom."""
    count, df = len(first) + len(second), len(first) + len(second) - 2
    deviation = math.sqrt((_squares(first) + _squares(second)) / df)
    error = deviation / 2 * math.sqrt(1 / len(first) + 1 / len(second))
    one, two = _mean(first), _mean(second)
    effect = Contrast((one + two) / 2, error, df, (deviation,), (count,))
    return Pairs(effect, Contrast((one - two) / 2, error, df, (deviation,), (count,)))


def _paired(values: Sequence[float]) -> Contrast:
    count = len(values)
    deviation = math.sqrt(_squares(values) / (count - 1))
    return Contrast(_mean(values), deviation / math.sqrt(count), count - 1, (deviation,), (count,))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _squares(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values)
