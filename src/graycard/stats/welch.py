"""Two groups of runs that were not made in pairs: Welch's t on logarithms (Welch, Biometrika 34, 1947)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from graycard.stats.between import INTERVAL_COUNT
from graycard.stats.contrast import Contrast


def unpaired(base_logs: Sequence[float], other_logs: Sequence[float]) -> Contrast | None:
    """Mean of the other's logarithms less that of the base's; None below 3 runs on either side."""
    counts = (len(base_logs), len(other_logs))
    if min(counts) < INTERVAL_COUNT:
        return None
    deviations = (stdev(base_logs), stdev(other_logs))
    error, df = welch_error(deviations, counts)
    return Contrast(fmean(other_logs) - fmean(base_logs), error, df, deviations, counts)


def welch_error(deviations: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """Standard error and degrees of freedom (Satterthwaite, Biometrics Bulletin 2, 1946) of a difference of means."""
    shares = [deviation**2 / count for deviation, count in zip(deviations, counts, strict=True)]
    variance = math.fsum(shares)
    parts = [share**2 / (count - 1) for share, count in zip(shares, counts, strict=True)]
    below = math.fsum(parts)
    return math.sqrt(variance), variance**2 / below if below > 0 else sum(counts) - len(counts)
