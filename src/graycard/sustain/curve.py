"""What a long run looks like: its levels, where in bytes each begins, its worst second, its stalls and swings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from graycard.model import Estimate, Phase, Samples, Stalls, Undulation
from graycard.stats.locate import likely_places, locate
from graycard.stats.shape import Shape, shape
from graycard.stats.slots import Slots, slots_of
from graycard.stats.stalls import stalls

SECOND_NS = 10**9
# How far from where the blocks of 1 or 2 s show a change it is looked for in slots of 0.1 s.
_REACH_NS = 5 * SECOND_NS
BYTES_METHOD = "place of the change by its likelihood ratio (Hansen 2000), within one slot of time"


@dataclass(frozen=True, slots=True)
class Change:
    """The level changes for good after `at` bytes (with the interval in which it did), `at_ns` into the run."""

    at: Estimate
    at_ns: int
    before_bytes_per_s: float
    after_bytes_per_s: float

    @property
    def falls(self) -> bool:
        """Whether it is lower from then on."""
        return self.after_bytes_per_s < self.before_bytes_per_s


@dataclass(frozen=True, slots=True)
class Curve:
    """Speed over bytes and time of one long run.

    `phases` has at least one (without an interval where the run is below 10 s, and `telling` is False then);
    `gradual` says that a straight line tells the rate better than levels do. `worst_bytes_per_s` is the slowest second
    (or slot, where slots are wider), `worst_ns` when it began; None below one second.
    """

    telling: bool
    phases: tuple[Phase, ...]
    changes: tuple[Change, ...]
    gradual: bool
    worst_bytes_per_s: float | None
    worst_ns: int | None
    stalls: Stalls | None
    undulation: Undulation | None

    @property
    def burst(self) -> Phase:
        """The first level."""
        return self.phases[0]

    @property
    def sustained(self) -> Phase:
        """The last level."""
        return self.phases[-1]

    @property
    def fall(self) -> Change | None:
        """The first change to a lower level."""
        return next((change for change in self.changes if change.falls), None)


def curve(samples: Samples, depth_count: int) -> Curve:
    """The curve of one run."""
    fine, found = slots_of(samples), shape(samples, 0, depth_count)
    if fine is None or found is None:
        return _untold(samples)
    worst, worst_ns = _worst(fine)
    starts = [phase.start_ns // fine.width_ns for phase in found.phases]
    changes = tuple(_change(fine, place) for place in _placed(fine, starts))
    phases = _phases(samples, found, changes) if found.phases else (_whole(samples),)
    gradual = bool(changes) and _is_gradual(fine, [change.at_ns // fine.width_ns for change in changes])
    return Curve(
        telling=bool(found.phases),
        phases=phases,
        changes=changes,
        gradual=gradual,
        worst_bytes_per_s=worst,
        worst_ns=worst_ns,
        stalls=stalls(found.stalled),
        undulation=found.undulation,
    )


def _untold(samples: Samples) -> Curve:
    """A run without a series, or below one slot of time."""
    return Curve(
        telling=False,
        phases=(_whole(samples),),
        changes=(),
        gradual=False,
        worst_bytes_per_s=None,
        worst_ns=None,
        stalls=None,
        undulation=None,
    )


def _whole(samples: Samples) -> Phase:
    value = samples.rate_bytes_per_s or 0.0
    rate = Estimate(value, None, None, "bytes/s", 1, None, "within this run; below 30 s no interval is given")
    return Phase(0, 0, samples.elapsed_ns, 0, rate)


@dataclass(frozen=True, slots=True)
class _Place:
    """A change in slots: the two phases it parts, where it is, and where it may be."""

    begin: int
    at: int
    end: int
    low: int
    high: int


def _placed(fine: Slots, starts: Sequence[int]) -> Iterator[_Place]:
    """Each phase's start but the first, to the slot."""
    edges = [*starts, len(fine.moved_bytes)]
    for begin, near, end in zip(edges, edges[1:], edges[2:], strict=False):
        values = fine.moved_bytes[begin:end]
        reach = min(_REACH_NS // fine.width_ns, (min(near - begin, end - near) - 1) // 2)
        at = locate(values, near - begin, reach)
        low, high = likely_places(values, at, reach)
        yield _Place(begin, begin + at, end, begin + low, begin + high)


def _change(fine: Slots, place: _Place) -> Change:
    """The change in bytes: the slot it falls into is shared out between the two levels."""
    moved, at = fine.moved_bytes, place.at
    first, second = _mean(moved[place.begin : at]), _mean(moved[at : place.end])
    totals = [0, *accumulate(moved)]
    before = at - 1
    # The true moment lies in the slot before the second level's first one, or in that.
    both = sum(moved[before : at + 1]) - 2 * second
    share = min(max(both / (first - second), 0.0), 2.0) if first != second else 1.0
    value = min(max(totals[before] + share * first, totals[before]), totals[min(at + 1, len(moved))])
    low, high = totals[place.low - 1], totals[min(place.high + 1, len(moved))]
    factor = SECOND_NS / fine.width_ns
    return Change(
        Estimate(value, float(low), float(high), "bytes", 1, 0.95, BYTES_METHOD),
        round((before + share) * fine.width_ns),
        first * factor,
        second * factor,
    )


def _phases(samples: Samples, found: Shape, changes: Sequence[Change]) -> tuple[Phase, ...]:
    """The phases of the shape, brought to the places of the changes."""
    edges = [(0, 0.0), *((change.at_ns, change.at.value) for change in changes)]
    edges.append((samples.elapsed_ns, float(samples.moved_bytes)))
    return tuple(
        replace(
            phase,
            start_ns=start_ns,
            end_ns=end_ns,
            start_bytes=round(start),
            rate=_scaled(phase.rate, (end - start) * 1e9 / (end_ns - start_ns)),
        )
        for phase, ((start_ns, start), (end_ns, end)) in zip(found.phases, pairwise(edges), strict=True)
    )


def _scaled(rate: Estimate, value: float) -> Estimate:
    if rate.low is None or rate.high is None or not rate.value:
        return replace(rate, value=value)
    factor = value / rate.value
    return replace(rate, value=value, low=rate.low * factor, high=rate.high * factor)


def _worst(fine: Slots) -> tuple[float | None, int | None]:
    """The slowest second and when it began."""
    count = max(1, SECOND_NS // fine.width_ns)
    totals = [0, *accumulate(fine.moved_bytes)]
    if len(totals) <= count:
        return None, None
    place = min(range(len(totals) - count), key=lambda start: totals[start + count] - totals[start])
    moved = totals[place + count] - totals[place]
    return moved * SECOND_NS / (count * fine.width_ns), place * fine.width_ns


def _is_gradual(fine: Slots, cuts: Sequence[int]) -> bool:
    """Whether a straight line leaves less of the scatter than the levels do: a ramp is no cliff."""
    values = fine.moved_bytes
    edges = [0, *cuts, len(values)]
    stepped = math.fsum(_squares(values[start:end]) for start, end in pairwise(edges))
    return _squares_about_line(values) < stepped


def _squares(values: Sequence[int]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values)


def _squares_about_line(values: Sequence[int]) -> float:
    count, mean, middle = len(values), _mean(values), (len(values) - 1) / 2
    spread = count * (count * count - 1) / 12
    slope = math.fsum((index - middle) * (value - mean) for index, value in enumerate(values)) / spread
    return _squares(values) - slope * slope * spread


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0
