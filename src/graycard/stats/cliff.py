"""Where the level of a run changes for good: a cache that is full, a drive that gets hot.

Block means of 1 s, never raw samples (99.5 % false alarms there); the largest |t| over the split points against
its own critical value; and a material size, for significance alone would report every drift. The size is
also estimated with the noise's correlation taken into account, which makes it surer where that is strong.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from graycard.stats.critical import CRITICAL_T
from graycard.stats.locate import levels, locate, mean
from graycard.stats.slots import Slots

SHORTEST_NS = 10_000_000_000
MATERIAL_RATIO = 0.15
PHASE_LIMIT = 3
_LONG_NS = 60_000_000_000
_BLOCK_NS = 1_000_000_000
# Blocks on each side of a split: 2 s, and 4 s in a run of 60 s or more.
_SIDE_COUNT = 2
_REACH_COUNT = 5
_COUNTS = [count for count, _ in CRITICAL_T]


def phase_starts(slots: Slots) -> tuple[int, ...]:
    """Indices of the slots at which a phase begins, the first 0; up to 3 phases; one phase below 10 s."""
    cuts = [0]
    if slots.duration_ns < SHORTEST_NS:
        return tuple(cuts)
    block_ns = _BLOCK_NS * (2 if slots.duration_ns >= _LONG_NS else 1)
    factor = max(1, block_ns // slots.width_ns)
    blocks = slots.wider(factor).moved_bytes
    while len(cuts) < PHASE_LIMIT:
        found = _best_split(slots.moved_bytes, blocks, [*cuts, len(blocks)], factor)
        if found is None:
            break
        cuts = sorted([*cuts, found])
    starts = [cut * factor for cut in cuts]
    return tuple(_located(slots.moved_bytes, starts, index, factor) for index in range(len(starts)))


def critical_t(count: int) -> float:
    """The 1 % critical value of the largest |t| among `count` independent blocks; infinite below 4 blocks.

    Between the simulated counts it is interpolated over the logarithm of the count.
    """
    if count < _COUNTS[0]:
        return math.inf
    above = bisect_right(_COUNTS, count)
    if above == len(_COUNTS):
        return CRITICAL_T[-1][1]
    (low, at_low), (high, at_high) = CRITICAL_T[above - 1], CRITICAL_T[above]
    return at_low + (at_high - at_low) * math.log(count / low) / math.log(high / low)


def largest_t(values: Sequence[float]) -> tuple[float, int]:
    """The largest |t| of the two-sample test (pooled variance) over all splits, and its split index; (0, 0) if none."""
    count = len(values)
    totals = [0.0, *accumulate(values)]
    total = totals[-1]
    squares = math.fsum((value - total / count) ** 2 for value in values) if count else 0.0
    best, split = 0.0, 0
    for index in range(_SIDE_COUNT, count - _SIDE_COUNT + 1):
        between = _between_squares(totals[index], index, total, count)
        if between > best:
            best, split = between, index
    if not split:
        return 0.0, 0
    rest = squares - best
    return (math.sqrt(best * (count - 2) / rest) if rest > 1e-12 * squares else math.inf), split


def _best_split(values: Sequence[float], blocks: Sequence[float], edges: list[int], factor: int) -> int | None:
    """The most significant material split of any segment, as an index of the blocks of `factor` values, or None."""
    best, found = 1.0, None
    for start, end in pairwise(edges):
        t, split = largest_t(blocks[start:end])
        excess = t / critical_t(end - start)
        if excess > best and _material(values[start * factor : end * factor], split * factor, factor):
            best, found = excess, start + split
    return found


def _material(values: Sequence[float], near: int, block: int) -> bool:
    """Whether the higher of the two levels that change near there is at least 15 % above the lower.

    By the means, which also tell of a slow fall, or where correlated noise makes those unsure by the step itself.
    """
    place = locate(values, near, _reach(near, len(values) - near, block))
    return _differ(mean(values[:near]), mean(values[near:])) or _differ(*levels(values, place))


def _differ(first: float, second: float) -> bool:
    low, high = sorted((first, second))
    return high - low >= MATERIAL_RATIO * low


def _located(values: Sequence[float], starts: list[int], index: int, block: int) -> int:
    """A phase's start to the slot, within 5 blocks and less than half a phase of where the blocks show it."""
    if index == 0:
        return 0
    begin, near = starts[index - 1], starts[index]
    end = starts[index + 1] if index + 1 < len(starts) else len(values)
    return begin + locate(values[begin:end], near - begin, _reach(near - begin, end - near, block))


def _reach(before: int, after: int, block: int) -> int:
    """How far from the edge of blocks, with so many values on each side, the change itself may lie."""
    return min(_REACH_COUNT * block, (min(before, after) - 1) // 2)


def _between_squares(left: float, place: int, total: float, count: int) -> float:
    """Sum of squares between the first `place` of `count` values, which sum to `left`, and the others."""
    return (left - total * place / count) ** 2 * count / (place * (count - place))
