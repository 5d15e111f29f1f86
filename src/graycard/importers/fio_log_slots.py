"""Bytes and operations in even slots of time, in bounded memory: slots grow wider as the log grows longer."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import accumulate, pairwise

from graycard.model import Tick

# 20,000 slots show more than a screen can; two arrays of them take 320 KB.
_MOST_COUNT = 20_000


class Slots:
    """What was moved in slots of `width_ms`, which doubles whenever there are too many. Times begin at 0."""

    def __init__(self, width_ms: int) -> None:
        self.width_ms = max(1, width_ms)
        self._moved = array("d")
        self._ops = array("d")

    def add_at(self, time_ms: int, moved_bytes: float, ops: float) -> None:
        """What ended at one moment."""
        index = self._index(time_ms)
        self._moved[index] += moved_bytes
        self._ops[index] += ops

    def add_over(self, start_ms: int, end_ms: int, moved_bytes: float, ops: float) -> None:
        """What was moved evenly in a stretch of time: each slot gets its share."""
        last = self._index(max(start_ms, end_ms - 1))
        first = start_ms // self.width_ms
        if first == last:
            self._moved[last] += moved_bytes
            self._ops[last] += ops
            return
        length = end_ms - start_ms
        for index in range(first, last + 1):
            begin = max(start_ms, index * self.width_ms)
            share = (min(end_ms, (index + 1) * self.width_ms) - begin) / length
            self._moved[index] += moved_bytes * share
            self._ops[index] += ops * share

    def ticks(self, moved_bytes: int, ops: int) -> tuple[Tick, ...]:
        """Whole bytes and operations in each slot; they add up to the totals given, which are the rounded sums."""
        moved, counts = _whole(self._moved, moved_bytes), _whole(self._ops, ops)
        width_ns = self.width_ms * 1_000_000
        return tuple(
            Tick(index * width_ns, count, size) for index, (count, size) in enumerate(zip(counts, moved, strict=True))
        )

    def __len__(self) -> int:
        """How many slots there are."""
        return len(self._moved)

    def _index(self, time_ms: int) -> int:
        index = time_ms // self.width_ms
        if index < len(self._moved):
            return index
        while index >= _MOST_COUNT:
            self._widen()
            index = time_ms // self.width_ms
        missing = bytes(8 * (index + 1 - len(self._moved)))
        self._moved.frombytes(missing)
        self._ops.frombytes(missing)
        return index

    def _widen(self) -> None:
        self.width_ms *= 2
        self._moved, self._ops = _paired(self._moved), _paired(self._ops)


def _paired(values: array[float]) -> array[float]:
    if len(values) % 2:
        values.append(0.0)
    return array("d", map(sum, zip(values[::2], values[1::2], strict=True)))


def _whole(values: array[float], total: int) -> Iterator[int]:
    """Whole numbers whose running sums are the rounded running sums of `values`; the last one makes it `total`."""
    sums = [round(each) for each in accumulate(values, initial=0.0)]
    sums[-1] = total
    return (after - before for before, after in pairwise(sums))
