"""Whether the rate swings between two levels, and how long one swing takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from graycard.model import Undulation
from graycard.stats.autocorrelation import correlations
from graycard.stats.slots import Slots

EXPLAINED_RATIO = 0.85
APART_RATIO = 0.25
# A cliff crosses the middle once, a cliff and its recovery twice.
CROSSING_COUNT = 3
# Rarer low visits are stalls, not a level of its own.
LOW_SHARE_RATIO = 0.2
# Fewer slots of plain noise split too well by chance.
SLOT_COUNT = 25
_DIP = -0.1
_PEAK = 0.3
_LAG_LIMIT = 600


@dataclass(frozen=True, slots=True)
class TwoLevels:
    """The best split of values into a low and a high group: `explained_ratio` is eta², the share of the variance."""

    low: float
    high: float
    explained_ratio: float
    low_share_ratio: float
    crossing_count: int


def undulation(slots: Slots) -> Undulation | None:
    """The undulation of a stretch of at least 25 slots, or None where there is none."""
    if len(slots.moved_bytes) < SLOT_COUNT:
        return None
    rates = slots.rates_bytes_per_s
    levels = two_levels(rates)
    if not _swings(levels):
        return None
    lag = period(rates)
    period_ns = None if lag is None else round(lag * slots.width_ns)
    return Undulation(levels.low, levels.high, levels.explained_ratio, period_ns)


def two_levels(values: Sequence[float]) -> TwoLevels:
    """The two-level split of at least two values that explains most of their variance (Fisher 1958, exact)."""
    ordered = sorted(values)
    count = len(ordered)
    totals = [0.0, *accumulate(ordered)]
    total = totals[-1]
    places = range(1, count)
    gains = [(totals[k] - total * k / count) ** 2 * count / (k * (count - k)) for k in places]
    split = max(places, key=lambda k: gains[k - 1])
    low, high = totals[split] / split, (total - totals[split]) / (count - split)
    squares = math.fsum((value - total / count) ** 2 for value in ordered)
    above = [value > (low + high) / 2 for value in values]
    crossings = sum(one != other for one, other in pairwise(above))
    # Below a scatter of a millionth of the mean there is only rounding to explain.
    explained = gains[split - 1] / squares if squares > 1e-12 * total * total / count else 0.0
    return TwoLevels(low, high, explained, split / count, crossings)


def period(values: Sequence[float]) -> float | None:
    """The period in slots from the autocorrelation's first peak after its first dip below -.1, or None.

    The peak must reach .3. Peaks at 2, 4, 8 … periods then sharpen the figure below one slot.
    """
    limit = min(len(values) // 2, _LAG_LIMIT)
    peak = _first_peak(correlations(values, range(limit + 1)))
    if peak is None:
        return None
    sharp, factor = float(peak), 2
    while factor * sharp + 2 <= len(values) // 2:
        # Not so far as to meet the peak beside it, or that of no lag at all.
        reach = min(2, int(sharp / 2))
        near = range(round(factor * sharp) - reach, round(factor * sharp) + reach + 1)
        height, lag = max(zip(correlations(values, near), near, strict=True))
        if height < _PEAK:
            break
        sharp, factor = lag / factor, factor * 2
    return sharp


def _first_peak(correlations: Sequence[float]) -> int | None:
    """The lag of the highest value between the first dip and the next one."""
    dip = next((lag for lag, r in enumerate(correlations) if r < _DIP), None)
    if dip is None:
        return None
    rise = next((lag for lag in range(dip, len(correlations)) if correlations[lag] > 0), None)
    if rise is None:
        return None
    fall = next((lag for lag in range(rise, len(correlations)) if correlations[lag] < _DIP), len(correlations))
    best = max(range(rise, fall), key=lambda lag: correlations[lag])
    return best if correlations[best] >= _PEAK else None


def _swings(levels: TwoLevels) -> bool:
    return (
        levels.explained_ratio > EXPLAINED_RATIO
        and levels.high - levels.low > APART_RATIO * levels.low
        and levels.crossing_count >= CROSSING_COUNT
        and levels.low_share_ratio >= LOW_SHARE_RATIO
    )
