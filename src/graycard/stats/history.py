"""How a new result stands to those before it of the same set-up, judged in the order in which they came.

The expectation is a robust prediction interval of one more result, on logarithms, from the last 20 results at most:
outliers are left out by their distance to the median (Hampel's identifier, JASA 69, 1974), and the rest gives
mean ± t(.995, k - 1) s sqrt(1 + 1/k). What that does to devices of known truth is V11 in docs/method.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from graycard.model import Estimate, Standing
from graycard.stats.distributions import t_quantile

LEVEL_RATIO = 0.99
# Fewer results have no expectation; more than the last 20 would hold on to a level that is long gone.
LEAST_COUNT = 5
MOST_COUNT = 20
# Two in a row beyond the interval by more than this are a change of level.
MATERIAL_RATIO = 0.05
# A result this many deviations from the median is an outlier; 1.4826 = 1 / normal quantile(3/4) makes a deviation of
# the median absolute deviation, and 1 + 1/m undoes most of its bias in few values.
_OUTLIER_DEVIATIONS = 3.0
_DEVIATION_OF_MAD = 1.4826
# A run of 0.1 s timed to a nanosecond: results that scatter by less are equal.
_RESOLUTION_RATIO = 1e-8


@dataclass(frozen=True, slots=True)
class Expected:
    """Where one more result is expected, in logarithms, from `kept_count` of the last `count` results.

    `scatter_known` is False where more than half of them are equal: then the half-width is no statistic, but 5 %.
    """

    centre: float
    half_width: float
    count: int
    kept_count: int
    scatter_known: bool = True

    def estimate(self, unit: str) -> Estimate:
        """As a number with its 99 % interval; without a level where the scatter is not known."""
        low, high = (math.exp(self.centre + sign * self.half_width) for sign in (-1, 1))
        level = LEVEL_RATIO if self.scatter_known else None
        return Estimate(math.exp(self.centre), low, high, unit, self.count, level, self._method())

    def _method(self) -> str:
        if not self.scatter_known:
            return f"median of {self.count} results and 5 % around it: too many are equal to know how they scatter"
        left_out = self.count - self.kept_count
        outliers = f" without {left_out} outlier{'s' * (left_out > 1)}" if left_out else ""
        return f"prediction interval of one more from {self.count} results{outliers}, Student-t on their logarithms"


@dataclass(frozen=True, slots=True)
class Placed:
    """One result beside what was expected before it came; `off_ratio` is result ÷ expectation - 1.

    `in_a_row` counts the results up to this one that lie beyond the interval on one side.
    """

    standing: Standing
    expected: Expected | None
    off_ratio: float | None
    in_a_row: int = 0


@dataclass(slots=True)
class Level:
    """The results of one series so far: `place` takes them one by one, the oldest first.

    Results beyond the interval on one side wait in `_beyond`. A usual one shows that they were outliers, and they join
    the others; five in a row are the new level, from which alone is expected from then on.
    """

    _newest: deque[float] = field(default_factory=deque)
    _ordered: list[float] = field(default_factory=list)
    _beyond: list[float] = field(default_factory=list)
    _last_off: float = 0.0

    def place(self, value: float) -> Placed:
        """Judge a result by those before it, and remember it. `value` is above 0, else ValueError."""
        log = math.log(value)
        expected = self.expected()
        if expected is None:
            standing = Standing.TOO_SHORT if self._newest else Standing.FIRST
            self._join((log,))
            return Placed(standing, None, None)
        off = log - expected.centre
        standing = self._standing(off, expected.half_width)
        in_a_row = self._settle(log) if standing is Standing.USUAL else self._wait(log, off)
        return Placed(standing, expected, math.expm1(off), in_a_row)

    def expected(self) -> Expected | None:
        """What the next result is judged by; None below 5 results."""
        ordered, count = self._ordered, len(self._ordered)
        if count < LEAST_COUNT:
            return None
        centre = _middle(ordered)
        deviation = _DEVIATION_OF_MAD * (1 + 1 / count) * _middle(sorted([abs(value - centre) for value in ordered]))
        if deviation < _RESOLUTION_RATIO:
            return Expected(centre, math.log1p(MATERIAL_RATIO), count, count, scatter_known=False)
        reach = _OUTLIER_DEVIATIONS * deviation
        kept = ordered[bisect_left(ordered, centre - reach) : bisect_right(ordered, centre + reach)]
        return _prediction(kept, count)

    def _standing(self, off: float, half_width: float) -> Standing:
        if abs(off) <= half_width:
            return Standing.USUAL
        smallest = min(abs(math.expm1(off)), abs(math.expm1(self._last_off)))
        if off * self._last_off <= 0 or smallest <= MATERIAL_RATIO:
            return Standing.UNUSUAL
        return Standing.IMPROVEMENT if off > 0 else Standing.REGRESSION

    def _settle(self, log: float) -> int:
        """Take a usual result, and with it those that waited; 0 in a row."""
        self._join((*self._beyond, log))
        self._beyond.clear()
        self._last_off = 0.0
        return 0

    def _wait(self, log: float, off: float) -> int:
        """Keep a result beyond the interval; how many in a row now lie on its side."""
        if off * self._last_off < 0:
            self._join(self._beyond)
            self._beyond.clear()
        self._beyond.append(log)
        self._last_off = off
        count = len(self._beyond)
        if count == LEAST_COUNT:
            self._newest.clear()
            self._ordered.clear()
            self._join(self._beyond)
            self._beyond.clear()
            self._last_off = 0.0
        return count

    def _join(self, logs: Sequence[float]) -> None:
        for log in logs:
            if len(self._newest) == MOST_COUNT:
                del self._ordered[bisect_left(self._ordered, self._newest.popleft())]
            self._newest.append(log)
            insort(self._ordered, log)


def _prediction(kept: list[float], count: int) -> Expected:
    """The interval of one more value. Half of the values lie within one MAD of the median, so 3 or more are kept."""
    size = len(kept)
    mean = math.fsum(kept) / size
    variance = math.fsum([(value - mean) ** 2 for value in kept]) / (size - 1)
    reach = t_quantile((1 + LEVEL_RATIO) / 2, size - 1) * math.sqrt(variance * (1 + 1 / size))
    return Expected(mean, reach, count, size)


def _middle(ordered: list[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
