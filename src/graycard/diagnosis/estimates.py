"""A few short runs as one figure: the median, with the lowest and highest run as its interval."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from graycard.model import Estimate

SINGLE = "single run"
RANGE = "median of the runs; the interval is from the lowest to the highest run"


def estimate(values: Sequence[float], unit: str = "bytes/s") -> Estimate | None:
    """None where there is no run."""
    if not values:
        return None
    if len(values) == 1:
        return Estimate(values[0], None, None, unit, 1, None, SINGLE)
    return Estimate(median(values), min(values), max(values), unit, len(values), None, RANGE)
