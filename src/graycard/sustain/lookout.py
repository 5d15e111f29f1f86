"""Until when it is written on: a lower level that has held for long enough, seen while the run goes on."""

from __future__ import annotations

from graycard.stats.cliff import phase_starts
from graycard.stats.slots import Slots

_SLOT_NS = 1_000_000_000
# Looks get rarer as the run gets longer, so that they never cost more than a hundredth of it.
_LOOK_RATIO = 0.01


class Lookout:
    """Watches the bytes written, in slots of 1 s, for a level below the first that has held for `hold_ns`."""

    def __init__(self, hold_ns: int) -> None:
        self._hold_ns = hold_ns
        self._moved: list[int] = []
        self._seen_bytes = 0
        self._look_ns = 0

    def sees_steady(self, elapsed_ns: int, moved_bytes: int) -> bool:
        """Whether it is enough; told about ten times a second how far the whole run is."""
        while len(self._moved) < elapsed_ns // _SLOT_NS:
            self._moved.append(moved_bytes - self._seen_bytes)
            self._seen_bytes = moved_bytes
        if elapsed_ns < self._look_ns:
            return False
        self._look_ns = elapsed_ns + max(_SLOT_NS, int(elapsed_ns * _LOOK_RATIO))
        return self._is_steady()

    def _is_steady(self) -> bool:
        count = len(self._moved)
        slots = Slots(_SLOT_NS, tuple(self._moved), (1,) * count)
        starts = phase_starts(slots)
        if len(starts) < 2 or (count - starts[-1]) * _SLOT_NS < self._hold_ns:
            return False
        levels = [_level(self._moved, start, end) for start, end in zip(starts, [*starts[1:], count], strict=True)]
        return levels[-1] < max(levels[:-1])


def _level(moved: list[int], start: int, end: int) -> float:
    return sum(moved[start:end]) / (end - start)
