"""Counters and levels that were read now and then, as values of even steps of time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

# (time in ns, what was read there); in order of time
Points = Sequence[tuple[int, float]]
Values = tuple[float | None, ...]
# A step further than this from the next reading is not known: a computer stood still, or an answer was late.
FAR_NS = 1_000_000_000


def edges_of(begun_ns: int, step_ns: int, count: int) -> tuple[int, ...]:
    """The borders of `count` steps."""
    return tuple(begun_ns + step_ns * number for number in range(count + 1))


def amounts(points: Points, edges: Sequence[int]) -> Values:
    """The increase of a counter within each step, between readings in proportion to the time. None where unknown."""
    at = [_between(points, edge) for edge in edges]
    return tuple(None if one is None or other is None or other < one else other - one for one, other in pairwise(at))


def _between(points: Points, at_ns: int) -> float | None:
    after = bisect_left(points, (at_ns, float("-inf")))
    if after < len(points) and points[after][0] == at_ns:
        return points[after][1]
    if not 0 < after < len(points):
        return _beside(points, at_ns)
    (one_ns, one), (other_ns, other) = points[after - 1], points[after]
    if other_ns - one_ns > 2 * FAR_NS:
        return None
    return one + (other - one) * (at_ns - one_ns) / (other_ns - one_ns)


def _beside(points: Points, at_ns: int) -> float | None:
    """Before the first and after the last reading: that one, if it is not far."""
    if not points:
        return None
    nearest = points[0] if at_ns < points[0][0] else points[-1]
    return nearest[1] if abs(nearest[0] - at_ns) <= FAR_NS else None


def levels(points: Points, edges: Sequence[int]) -> Values:
    """The last reading before the end of each step; None where there is none for long."""
    return tuple(_last(points, edge) for edge in edges[1:])


def _last(points: Points, at_ns: int) -> float | None:
    index = bisect_right(points, (at_ns, float("inf"))) - 1
    if index < 0 or at_ns - points[index][0] > FAR_NS:
        return None
    return points[index][1]


def shares(points: Points, edges: Sequence[int]) -> Values:
    """The increase of a counter of ns within each step, as a share of the step."""
    return tuple(
        None if amount is None else amount / (other - one)
        for amount, (one, other) in zip(amounts(points, edges), pairwise(edges), strict=True)
    )


def ratio(above: Values, below: Values) -> Values:
    """One over the other; None where nothing was below."""
    return tuple(None if one is None or not other else one / other for one, other in zip(above, below, strict=True))


def largest(values: Iterable[Values]) -> Values:
    """The largest of several in each step."""
    return tuple(
        max((each for each in column if each is not None), default=None) for column in zip(*values, strict=True)
    )


def summed(values: Iterable[float | None]) -> float:
    """Of what is known."""
    return sum(value for value in values if value is not None)
