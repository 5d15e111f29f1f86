"""Speed over time in one line of signs, with the dropped frames below: as AJA System Test draws it, in text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graycard.play.outcome import Graph
from graycard.play.performing import Performance

BARS = "▁▂▃▄▅▆▇█"
NOTHING, DROPPED, NONE_DROPPED = "·", "×", " "
WIDTH = 60
# Shorter slots would show the frames and not the speed.
LEAST_SLOT_NS = 200_000_000


def graph_of(performance: Performance, width: int = WIDTH) -> Graph | None:
    """Of all streams together; None of a run in which nothing was moved."""
    start_ns, streams = performance.start_ns, performance.streams
    moved = [(m.end_ns - start_ns, float(s.kind.stride_bytes)) for s in streams for m in s.track.moves if m]
    drops = [(s.cadence.due_ns(k) - start_ns, 1.0) for s in streams for k in s.judged().dropped]
    if not moved:
        return None
    count = max(1, min(width, performance.elapsed_ns // LEAST_SLOT_NS))
    slot_ns = -(-performance.elapsed_ns // count)
    rates = tuple(size_bytes * 1e9 / slot_ns for size_bytes in in_slots(moved, slot_ns, count))
    return Graph(slot_ns, rates, tuple(int(each) for each in in_slots(drops, slot_ns, count)))


def in_slots(events: Iterable[tuple[int, float]], slot_ns: int, count: int) -> list[float]:
    """Sums of (time in ns, amount) in `count` slots; what lies outside goes to the nearest."""
    sums = [0.0] * count
    for at_ns, amount in events:
        sums[min(count - 1, max(0, at_ns // slot_ns))] += amount
    return sums


def speed_line(slots: Sequence[float]) -> str:
    """A sign for each slot, from nothing to the highest; an empty slot is a point."""
    highest = max(slots, default=0.0)
    return "".join(_bar(value, highest) for value in slots)


def _bar(value: float, highest: float) -> str:
    return NOTHING if value <= 0 else BARS[min(len(BARS) - 1, int(value / highest * len(BARS)))]


def dropped_line(counts: Sequence[int]) -> str:
    """A cross in each slot with dropped frames."""
    return "".join(DROPPED if count else NONE_DROPPED for count in counts).rstrip()
