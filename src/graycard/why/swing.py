"""Whether a copy swings between two levels, how long one swing takes, and what was idle in the dips."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from statistics import median

from graycard.model import Undulation
from graycard.model.diagnosis import Evidence, Slices, Swing, Timeline, Waiting
from graycard.stats.slots import Slots
from graycard.stats.undulation import SLOT_COUNT, period, two_levels, undulation
from graycard.units import format_size, percent
from graycard.why.figures import moved_track, sender

# Short dips, as of a network that stalls, are a smaller part of the time than the two levels of `undulation` need.
DIP_COUNT = 3
DEEP_RATIO = 0.5
EXPLAINED_RATIO = 0.6
# A connection that carried less than that of it is not the copy's alone.
CARRIED_RATIO = 0.8

_IDLE = (
    ("tcp_queue_bytes", "send queue {}", format_size),
    ("tcp_unacked_count", "{} packets unacknowledged", lambda number: f"{number:.0f}"),
    ("tcp_busy_ratio", "connection busy {}", percent),
)
_SERVER = (
    ("writeback_bytes", "{} being written at the server", format_size),
    ("disk_busy_ratio", "its disk busy {}", percent),
    ("service_ratio", "its process {} of a core", percent),
)


def swing_of(evidence: Evidence, timeline: Timeline, slices: Slices) -> Swing | None:
    """The swing of the copy's rate; None where it has none, or under 25 steps are known."""
    looked = [_seen_in(timeline, name) for name in _tracks(evidence, timeline)]
    seen = [each for each in looked if each is not None]
    if not seen:
        return None
    start, slots, found = next((each for each in seen if each[2].period_ns is not None), seen[0])
    middle = (found.low_bytes_per_s + found.high_bytes_per_s) / 2
    low = [start + index for index, rate in enumerate(slots.rates_bytes_per_s) if rate <= middle]
    kinds = [slices.kinds[index] for index in low]
    dips = max(kinds, key=kinds.count)
    return Swing(
        low_bytes_per_s=found.low_bytes_per_s,
        high_bytes_per_s=found.high_bytes_per_s,
        period_ns=found.period_ns,
        dips=dips,
        dip_ratio=kinds.count(dips) / len(kinds),
        says=_says(timeline, low, sender(evidence), dips),
    )


def _tracks(evidence: Evidence, timeline: Timeline) -> Iterator[str]:
    """Where a swing is looked for, the finest first.

    A tool takes some MB at once and rests, which blurs its own progress; what the server acknowledged does not.
    """
    acked, moved = f"{sender(evidence)}.tcp_acked_bytes", moved_track(evidence, timeline)
    if acked != moved and sum(timeline.known(acked)) >= CARRIED_RATIO * sum(timeline.known(moved)) > 0:
        yield acked
    yield moved


def _seen_in(timeline: Timeline, name: str) -> tuple[int, Slots, Undulation] | None:
    """The swing of that track, the longest stretch of it that is known, and where that begins."""
    start, moved = _longest_known(timeline.values(name))
    if len(moved) < SLOT_COUNT or timeline.step_ns <= 0:
        return None
    slots = Slots(timeline.step_ns, tuple(round(each) for each in moved), (0,) * len(moved))
    found = undulation(slots) or _dips(slots)
    return None if found is None else (start, slots, found)


def _longest_known(values: tuple[float | None, ...]) -> tuple[int, list[float]]:
    """The longest stretch without a gap, and where it begins."""
    best: tuple[int, list[float]] = (0, [])
    for is_known, group in groupby(enumerate(values), key=lambda pair: pair[1] is not None and math.isfinite(pair[1])):
        stretch = [(index, value) for index, value in group if value is not None]
        if is_known and len(stretch) > len(best[1]):
            best = (stretch[0][0], [max(0.0, value) for _, value in stretch])
    return best


def _dips(slots: Slots) -> Undulation | None:
    """Dips that are deep, come again and again, and evenly."""
    rates = slots.rates_bytes_per_s
    levels = two_levels(rates)
    middle = (levels.low + levels.high) / 2
    count = sum(is_low for is_low, _ in groupby(rate <= middle for rate in rates))
    lag = period(rates)
    if lag is None or count < DIP_COUNT or levels.low > DEEP_RATIO * levels.high:
        return None
    if levels.explained_ratio < EXPLAINED_RATIO:
        return None
    return Undulation(levels.low, levels.high, levels.explained_ratio, round(lag * slots.width_ns))


def _says(timeline: Timeline, steps: list[int], sending: str, dips: Waiting) -> str:
    parts = []
    for end, figures in ((sending, _IDLE), ("far", _SERVER)):
        for name, words, shown in figures:
            values = timeline.values(f"{end}.{name}")
            known = [value for index in steps if (value := values[index]) is not None and math.isfinite(value)]
            if known:
                parts.append(words.format(shown(median(known))))
    found = f": {', '.join(parts)}" if parts else ""
    return f"In the dips: {dips.value}{found}."
