"""The largest number of streams without a dropped frame: doubling, bisection, and long runs that confirm.

A run ends at its first dropped frame, so only the runs that succeed take their whole time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """`stream_count` is 0 where not even one stream came through. `broke_count` dropped a frame, or was not tried
    (None) because no more streams than `stream_count` were allowed.
    """

    stream_count: int
    broke_count: int | None


class Trial(Protocol):
    """Plays so many streams, shortly or for the whole time; whether a frame was dropped."""

    def __call__(self, stream_count: int, *, whole: bool) -> bool:
        """Play."""
        ...


def search(trial: Trial, most_count: int) -> Found:
    """The largest number up to `most_count` whose whole run drops nothing while one more drops a frame.

    Short runs find the neighbourhood: a queue that empties slowly lasts longer than they do. From there whole runs
    go down until one succeeds, or up until one fails.
    """
    low = _near(trial, most_count)
    failed = None  # by a whole run
    while low and trial(low, whole=True):
        failed, low = low, low - 1
    while low < most_count and failed != low + 1:
        if trial(low + 1, whole=True):
            failed = low + 1
        else:
            low += 1
    return Found(low, low + 1 if low < most_count else None)


def _near(trial: Trial, most_count: int) -> int:
    """By short runs: a number that came through (0: none), while the next did not or was not allowed."""
    low, high = 0, 1
    while high <= most_count and not trial(high, whole=False):
        low, high = high, 2 * high
    high = min(high, most_count + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if trial(middle, whole=False):
            high = middle
        else:
            low = middle
    return low
