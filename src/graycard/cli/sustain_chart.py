"""Speed over bytes as a small chart of characters, the changes of level marked below it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

from graycard.model import Samples
from graycard.sustain.curve import Change
from graycard.units import format_rate, format_size

HEIGHT = 8
MOST_WIDTH = 72
_LEAST_WIDTH = 16
_EIGHTHS, _ASCII = " ▁▂▃▄▅▆▇█", "     ####"
_MARKS = {False: ("▲", "└", "─"), True: ("^", "+", "-")}


def chart(samples: Samples, changes: Sequence[Change], width: int, *, ascii_only: bool = False) -> tuple[str, ...]:
    """Lines of at most `width` cells: rows of bars, an axis of bytes, and a mark under each change.

    Each column is the mean rate over its bytes. Empty where the run has no series, or is too narrow a place.
    """
    labels = (format_rate(max(_rates(samples, 1), default=0.0)), "0")
    columns = min(MOST_WIDTH, width - max(len(label) for label in labels) - 6)
    if columns < _LEAST_WIDTH or not samples.ticks or not samples.moved_bytes:
        return ()
    rates = _rates(samples, columns)
    top = max(rates)
    margin = len(format_rate(top))
    marks = _MARKS[ascii_only]
    rows = [_row(rates, top, level, _ASCII if ascii_only else _EIGHTHS) for level in range(HEIGHT - 1, -1, -1)]
    sides = [format_rate(top), *[""] * (HEIGHT - 2), "0"]
    lines = [f"{side:>{margin}} {row}".rstrip() for side, row in zip(sides, rows, strict=True)]
    lines.append(" " * margin + marks[1] + marks[2] * columns)
    whole = format_size(samples.moved_bytes)
    lines.append(f"{' ' * margin} 0 B{whole:>{columns - 3}}")
    lines += (f"{' ' * margin} {_mark(change, samples.moved_bytes, columns, marks[0])}" for change in changes)
    return tuple(lines)


def _rates(samples: Samples, columns: int) -> list[float]:
    """The mean rate over each of `columns` equal parts of the bytes."""
    totals = [0, *accumulate(tick.moved_bytes for tick in samples.ticks)]
    if not totals[-1]:
        return []
    ends = [_moment_ns(totals, totals[-1] * part / columns, samples.tick_ns) for part in range(columns + 1)]
    part_bytes = totals[-1] / columns
    return [part_bytes * 1e9 / max(end - start, 1.0) for start, end in pairwise(ends)]


def _moment_ns(totals: Sequence[int], moved: float, tick_ns: int) -> float:
    """When so many bytes had been moved; within a slot evenly spread."""
    place = bisect_left(totals, moved)
    if place == 0:
        return 0.0
    before, after = totals[place - 1], totals[place]
    return (place - 1 + (moved - before) / (after - before)) * tick_ns


def _row(rates: Sequence[float], top: float, level: int, steps: str) -> str:
    filled = (min(max(rate / top * HEIGHT - level, 0.0), 1.0) for rate in rates)
    return "".join(steps[round(share * (len(steps) - 1))] for share in filled)


def _mark(change: Change, moved_bytes: int, columns: int, mark: str) -> str:
    """A mark under the place, its words on the side where there is room."""
    place = min(columns - 1, int(change.at.value / moved_bytes * columns))
    words = f"{'falls' if change.falls else 'rises'} after {format_size(change.at.value)}"
    if place + len(words) + 2 <= columns:
        return " " * place + f"{mark} {words}"
    return f"{words} {mark}".rjust(place + 1)
