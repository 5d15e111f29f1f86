"""Autocorrelation of a series, as NIST's reference data sets (StRD) certify it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import mul


def lag_one(values: Sequence[float]) -> float:
    """Lag-1 autocorrelation of at least one value: sum of products over sum of squares; 0 for a constant series."""
    return correlations(values, (1,))[0]


def correlations(values: Sequence[float], lags: Iterable[int]) -> list[float]:
    """Autocorrelation at each lag >= 0, all with the same sum of squares below; 0 for a constant series."""
    mean = math.fsum(values) / len(values)
    deviations = [value - mean for value in values]
    squares = math.fsum(map(mul, deviations, deviations))
    if not squares:
        return [0.0 for _ in lags]
    return [math.fsum(map(mul, deviations, deviations[lag:])) / squares for lag in lags]
