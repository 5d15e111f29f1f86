"""What a log adds up to, for each direction: bytes, operations and latencies, while its rows go by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from graycard.errors import ImportProblem
from graycard.importers.fio_bins import BITS, low_of_number
from graycard.importers.fio_log_rows import Layout, damaged
from graycard.importers.fio_log_slots import Slots

# Slots of the logs with a row for each operation; averaged ones have slots of their interval.
_SLOT_MS = 10
# Jobs that share one log follow one another; a file with more is damaged or none of fio's.
_MOST_PARTS = 256
_MOST_SLOTS = 200_000
_KIB = 1024
# A gap this much longer than the interval is time without I/O, of which fio writes no rows.
_GAP_RATIO = 1.5
# A later job begins where the first did; times of one job go back by a little at most.
_LEAST_LENGTH_MS = 3
# Three years.
_LONGEST_MS = 10**11

_Row = tuple[int, list[bytes]]


@dataclass(slots=True)
class Sums:
    """One direction of one job. `values` is the sum of the column, `counts` are latencies by their low edge."""

    slots: Slots
    row_count: int = 0
    moved: float = 0.0
    ops: float = 0.0
    values: int = 0
    least: int | None = None
    most: int = 0
    end_ms: int = 0
    width_ms: int = 0
    blocks: set[int] = field(default_factory=set)
    counts: dict[int, int] = field(default_factory=dict)

    def count(self, value: int, count: int = 1) -> None:
        """A value of the column, for its sum and extremes."""
        self.row_count += count
        self.values += value * count
        self.most = max(self.most, value)
        self.least = value if self.least is None else min(self.least, value)


def parts(rows: Iterator[_Row], layout: Layout) -> Iterator[dict[int, Sums]]:
    """The sums of each job in the log, by direction; a job begins where time goes back to the beginning.

    ImportProblem with the number of a row that is none.
    """
    take = _take_bins if layout.bins else _take_interval if layout.interval_ms else _take_operation
    slot_ms = layout.interval_ms or _SLOT_MS
    found: dict[int, Sums] = {}
    slot_count = part_count = first = last = 0
    for number, columns in rows:
        try:
            time = int(columns[0]) - layout.base_ms
            direction = int(columns[1] if layout.bins else columns[2])
            if time > _LONGEST_MS:
                raise OverflowError
            begins_anew = time < last and time <= first + slot_ms / 2 and last - first >= _LEAST_LENGTH_MS
            if begins_anew and found:
                yield found
                slot_count += sum(len(each.slots) for each in found.values())
                part_count += 1
                found = {}
            if not found:
                first = last = time
            sums = found.get(direction)
            if sums is None:
                sums = found[direction] = Sums(Slots(slot_ms))
            take(sums, max(0, time), columns, layout)
        except (ValueError, IndexError, OverflowError):
            raise ImportProblem(damaged(number)) from None
        last = max(last, time)
        if part_count > _MOST_PARTS or slot_count > _MOST_SLOTS:
            raise ImportProblem(f"fio's log holds too many jobs at line {number}: import the log of each job")
    if found:
        yield found


def _take_operation(sums: Sums, time: int, columns: list[bytes], layout: Layout) -> None:
    value, block = int(columns[1]), int(columns[3])
    sums.count(value)
    sums.slots.add_at(time, block, 1)
    sums.moved += block
    sums.ops += 1
    sums.end_ms = max(sums.end_ms, time + 1)
    _remember(sums, block)
    if layout.kind in ("lat", "clat"):
        low = low_edge(value)
        sums.counts[low] = sums.counts.get(low, 0) + 1


def _take_interval(sums: Sums, time: int, columns: list[bytes], layout: Layout) -> None:
    value = int(columns[1])
    sums.count(value)
    width = _width(sums, time, layout.interval_ms or 0)
    if layout.kind == "bw":
        moved = value * _KIB * width / 1000
        sums.slots.add_over(max(0, time - width), time, moved, 0)
        sums.moved += moved
    elif layout.kind == "iops":
        sums.ops += value * width / 1000


def _width(sums: Sums, time: int, interval: int) -> int:
    """The time that a row is about, up to its own: since the row before, or the interval where none was written."""
    step = time - sums.end_ms
    if step > 0:
        sums.width_ms = step if step <= _GAP_RATIO * interval else interval
        sums.end_ms = time
    return sums.width_ms


def _take_bins(sums: Sums, time: int, columns: list[bytes], layout: Layout) -> None:
    block, step = int(columns[2]), layout.bins.step if layout.bins else 1
    ops = 0
    for number, column in enumerate(columns[3:]):
        # Most are 0; the comparison is quicker than int().
        if column != b" 0" and (count := int(column or b"0")):
            low = low_of_number(number * step)
            sums.counts[low] = sums.counts.get(low, 0) + count
            ops += count
    if time > sums.end_ms:
        sums.slots.add_over(sums.end_ms, time, float(ops * block), ops)
        sums.end_ms = time
    else:
        sums.slots.add_at(time, ops * block, ops)
    sums.row_count += 1
    sums.moved += ops * block
    sums.ops += ops
    _remember(sums, block)


def _remember(sums: Sums, block: int) -> None:
    # Two are enough to know that there are several.
    if len(sums.blocks) < 2:
        sums.blocks.add(block)


def low_edge(value: int) -> int:
    """The low edge of fio's bin for a latency: 64 bins for each power of two (see `fio_bins.py`)."""
    shift = max(0, value.bit_length() - BITS - 1)
    return value >> shift << shift
