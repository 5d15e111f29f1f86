"""A run as rates in even slots of time: ticks of 10 ms brought to 100 ms, or wider where operations are few."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate, pairwise

from graycard.model import Samples

SLOT_NS = 100_000_000
# Of 100 ms: 28 hours. Two lists of so many figures take some 20 MB.
MOST_COUNT = 1_000_000
_MOST_RATIO = 0.9


@dataclass(frozen=True, slots=True)
class Slots:
    """Bytes and operations in slots of `width_ns`, empty ones kept; slot i begins `i * width_ns` into the run."""

    width_ns: int
    moved_bytes: tuple[int, ...]
    ops_count: tuple[int, ...]

    @property
    def duration_ns(self) -> int:
        """Time that the slots cover."""
        return self.width_ns * len(self.moved_bytes)

    @property
    def rates_bytes_per_s(self) -> tuple[float, ...]:
        """The rate in each slot."""
        factor = 1e9 / self.width_ns
        return tuple(moved * factor for moved in self.moved_bytes)

    @property
    def mean_ops(self) -> float:
        """Operations in a slot, on average; 0 without slots."""
        return sum(self.ops_count) / len(self.ops_count) if self.ops_count else 0.0

    def part(self, start: int, end: int) -> Slots:
        """The slots from index `start` up to, not with, `end`."""
        return Slots(self.width_ns, self.moved_bytes[start:end], self.ops_count[start:end])

    def wider(self, factor: int) -> Slots:
        """Each `factor` slots as one; what is left over at the end is dropped."""
        if factor == 1:
            return self
        ends = range(0, len(self.moved_bytes) + 1, factor)
        moved = _sums(self.moved_bytes, ends)
        return Slots(self.width_ns * factor, moved, _sums(self.ops_count, ends))

    def holding(self, ops_count: float) -> Slots:
        """The slots, widened until they hold `ops_count` operations on average.

        Few operations a slot look like a changing rate: 1, 0, 1, 0 for a device that is as steady as can be.
        """
        if not self.mean_ops:
            return self
        return self.wider(max(1, math.ceil(ops_count / self.mean_ops)))


def slots_of(samples: Samples) -> Slots | None:
    """The whole slots of a run's I/O part (flush and close left out), or None where there are no ticks.

    The slot is the smallest multiple of the tick that is at least 100 ms; of a run of more than MOST_COUNT of these
    it is wider. Ticks may stand in any order.
    """
    if not samples.ticks or samples.tick_ns <= 0:
        return None
    starts = [tick.start_ns for tick in samples.ticks]
    origin_ns = min(starts)
    last_ns = max(starts) + samples.tick_ns - origin_ns
    busy_ns = max((tick.start_ns for tick in samples.ticks if tick.ops_count), default=0)
    covered_ns = min(last_ns, max(samples.io_ns, busy_ns + samples.tick_ns - origin_ns))
    width_ns = _width_ns(samples.tick_ns, covered_ns)
    count = covered_ns // width_ns
    moved, ops = [0] * count, [0] * count
    for tick in samples.ticks:
        index = (tick.start_ns - origin_ns) // width_ns
        if index < count:
            moved[index] += tick.moved_bytes
            ops[index] += tick.ops_count
    return Slots(width_ns, tuple(moved), tuple(ops)) if count else None


def _width_ns(tick_ns: int, covered_ns: int) -> int:
    """The slot, wider where a time that no run takes would make more slots than memory holds."""
    width_ns = tick_ns * -(-SLOT_NS // tick_ns)
    return width_ns * max(1, -(-(covered_ns // width_ns) // MOST_COUNT))


def batch_ops(samples: Samples, depth_count: int) -> int:
    """How many operations complete together: 90 % of all came in ticks of at most so many; the depth at most.

    Where ticks are long it is the depth, the safe side. The other 10 % may be the flood after a stall.
    """
    counts = sorted(max(0, tick.ops_count) for tick in samples.ticks)
    totals = list(accumulate(counts))
    if not totals or not totals[-1]:
        return depth_count
    return min(depth_count, counts[bisect_left(totals, _MOST_RATIO * totals[-1])])


def _sums(values: tuple[int, ...], ends: range) -> tuple[int, ...]:
    totals = [0, *accumulate(values)]
    return tuple(totals[end] - totals[start] for start, end in pairwise(ends))
