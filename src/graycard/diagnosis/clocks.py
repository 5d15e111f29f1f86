"""One clock for both ends: how far the other one is ahead, from the shortest of some round trips (as in NTP)."""

from __future__ import annotations

import time
from collections.abc import Callable

from graycard.link import FarEnd

TRIP_COUNT = 8


def ahead_ns(far: FarEnd, now_ns: Callable[[], int] = time.monotonic_ns) -> tuple[int, int]:
    """(how far the other end's clock is ahead, how wrong that may be at most), both in ns.

    The answer was made somewhere between question and answer: half the round trip is the most it can be wrong.
    """
    trips = []
    for _ in range(TRIP_COUNT):
        asked_ns = now_ns()
        at_ns = int(far.ask("clock")["at_ns"])
        heard_ns = now_ns()
        trips.append((heard_ns - asked_ns, at_ns - (asked_ns + heard_ns) // 2))
    took_ns, ahead = min(trips)
    return ahead, took_ns // 2
