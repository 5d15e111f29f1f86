"""How a new result stands to those before it of the same set-up, judged in the order in which they came.

The expectation is a robust prediction interval of one more result, on logarithms: from the last 20 results at most,
the median, the median absolute deviation (MAD) times 1.4826 (1 + 1/m), Student's t with m - 1 degrees of freedom at
99 %, and sqrt(1 + 1/m). What each rule does to devices of known truth is V11 in docs/method.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass, field

from graycard.model import Estimate, Standing
from graycard.stats.distributions import t_quantile

LEVEL_RATIO = 0.99
# Fewer results have no expectation; more than the last 20 would hold on to a level that is long gone.
LEAST_COUNT = 5
MOST_COUNT = 20
# Two in a row beyond the interval by more than this are a change of level.
MATERIAL_RATIO = 0.05
# The standard deviation of a normal distribution over its MAD: 1 / normal quantile(3/4).
_NORMAL = 1.4826


@dataclass(frozen=True, slots=True)
class Expected:
    """Where one more result is expected, in logarithms; `scatter_known` is False where the MAD is 0."""

    centre: float
    half_width: float
    count: int
    scatter_known: bool = True

    def estimate(self, unit: str) -> Estimate:
        """As a number with its 99 % interval."""
        low, high = (math.exp(self.centre + sign * self.half_width) for sign in (-1, 1))
        level = LEVEL_RATIO if self.scatter_known else None
        return Estimate(math.exp(self.centre), low, high, unit, self.count, level, self._method())

    def _method(self) -> str:
        if self.scatter_known:
            return f"robust prediction interval from the median and MAD of the logarithms of {self.count} results"
        return f"median of {self.count} results; more than half of them are equal, so their scatter is not known: ± 5 %"


@dataclass(frozen=True, slots=True)
class Placed:
    """One result beside what was expected before it came; `off_ratio` is result ÷ expectation - 1."""

    standing: Standing
    expected: Expected | None
    off_ratio: float | None


@dataclass(slots=True)
class Level:
    """The results of one series so far: `place` takes them one by one, the oldest first.

    Results beyond the interval on one side wait in `_beyond`: the next usual one shows them to be outliers, and they
    join the others (the median does not mind); five in a row are the new level, from which is expected from then on.
    """

    _values: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_COUNT))
    _sorted: list[float] = field(default_factory=list)
    _beyond: list[float] = field(default_factory=list)
    _last_off: float = 0.0

    def place(self, value: float) -> Placed:
        """Judge a result above 0 by those before it, and remember it."""
        expected = self.expected()
        log = math.log(value)
        if expected is None:
            standing = Standing.TOO_SHORT if self._values else Standing.FIRST
            self._join(log)
            return Placed(standing, None, None)
        off = log - expected.centre
        standing = self._standing(off, expected)
        self._remember(log, off, usual=standing is Standing.USUAL)
        return Placed(standing, expected, math.expm1(off))

    def expected(self) -> Expected | None:
        """What the next result is judged by; None below 5 results."""
        count = len(self._sorted)
        if count < LEAST_COUNT:
            return None
        centre = _middle(self._sorted)
        mad = median_deviation(self._sorted, centre)
        if not mad:
            return Expected(centre, math.log1p(MATERIAL_RATIO), count, scatter_known=False)
        reach = t_quantile((1 + LEVEL_RATIO) / 2, count - 1) * math.sqrt(1 + 1 / count)
        return Expected(centre, reach * _NORMAL * mad * (1 + 1 / count), count)

    def _standing(self, off: float, expected: Expected) -> Standing:
        if abs(off) <= expected.half_width:
            return Standing.USUAL
        again = off * self._last_off > 0 and min(abs(math.expm1(off)), abs(math.expm1(self._last_off))) > MATERIAL_RATIO
        if not again:
            return Standing.UNUSUAL
        return Standing.IMPROVEMENT if off > 0 else Standing.REGRESSION

    def _remember(self, log: float, off: float, *, usual: bool) -> None:
        if self._beyond and (usual or off * self._last_off < 0):
            for each in self._beyond:
                self._join(each)
            self._beyond.clear()
        self._last_off = 0.0 if usual else off
        if usual:
            self._join(log)
            return
        self._beyond.append(log)
        if len(self._beyond) == LEAST_COUNT:
            self._values.clear()
            self._sorted.clear()
            for each in self._beyond:
                self._join(each)
            self._beyond.clear()
            self._last_off = 0.0

    def _join(self, log: float) -> None:
        if len(self._values) == MOST_COUNT:
            del self._sorted[bisect_left(self._sorted, self._values[0])]
        self._values.append(log)
        insort(self._sorted, log)


def _middle(ordered: list[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def median_deviation(ordered: list[float], centre: float) -> float:
    """The median of the distances to the centre."""
    return _middle(sorted([abs(value - centre) for value in ordered]))
