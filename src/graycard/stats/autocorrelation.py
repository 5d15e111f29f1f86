"""Autocorrelation of a series at one lag, as NIST's reference data sets (StRD) certify it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul


def centred(values: Sequence[float]) -> list[float]:
    """The values less their mean."""
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def lag_one(values: Sequence[float]) -> float:
    """Lag-1 autocorrelation of at least one value; 0 for a constant series."""
    return correlation(centred(values), 1)


def correlation(deviations: Sequence[float], lag: int) -> float:
    """Autocorrelation at `lag` of values already less their mean: sum of products over sum of squares."""
    squares = math.fsum(map(mul, deviations, deviations))
    if not squares:
        return 0.0
    return math.fsum(map(mul, deviations, deviations[lag:])) / squares
