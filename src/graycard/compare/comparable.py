"""Why two groups must not be compared, in a sentence that names both sides."""

from __future__ import annotations

from collections.abc import Callable

from graycard.compare.groups import Group, Match, labels, load_of
from graycard.compare.rates import Rates, Side
from graycard.model import Aggregate, Cache, Durability, IoTask, Pace
from graycard.units import format_size, percent, significant

_CACHE = {
    Cache.BYPASS: "bypasses the page cache",
    Cache.COLD: "goes through the page cache, emptied first",
    Cache.WARM: "goes through a warm page cache",
}
_DURABILITY = {
    Durability.NONE: "never flushes",
    Durability.AT_END: "flushes at the end",
    Durability.EACH_WRITE: "flushes after each write",
}
_SHOWN_COUNT = 4


def why_not(match: Match, base: Side, other: Side) -> str | None:
    """The reason, or None where the two may be compared."""
    if match.base is None:
        return _only(other.name, base)
    if match.other is None:
        return _only(base.name, other)
    return _same_results(match.base, match.other) or _loads(match.base, match.other) or _kinds(match.base, match.other)


def nothing_measured(group: Group, rates: Rates) -> str | None:
    """Why a group has no figure, or None."""
    if rates.runs:
        return None
    trouble = next((result.trouble for result in group.results if result.trouble), None)
    return f"{group.arm} has no finished run of it" + (f" ({trouble.rstrip('.')})" if trouble else "")


def _only(has: str, lacks: Side) -> str:
    measured = labels(lacks.groups)
    if not measured:
        return f"only {has} measured it; {lacks.name} has no result"
    some = ", ".join(measured[:_SHOWN_COUNT]) + (", …" if len(measured) > _SHOWN_COUNT else "")
    return f"only {has} measured it; {lacks.name} measured {some}"


def _same_results(base: Group, other: Group) -> str | None:
    if set(base.ids) & set(other.ids):
        return f"{base.arm} and {other.arm} are the same result"
    return None


def _loads(base: Group, other: Group) -> str | None:
    """The first thing in which two tasks of one name are different loads; what one side does not state is no such."""
    ours, theirs = load_of(base.task, other.task.unstated), load_of(other.task, base.task.unstated)
    if ours == theirs:
        return None
    told: tuple[Callable[[IoTask], str], ...] = (_cache, _durability, _zeros, _pace)
    for tell in told:
        if tell(ours) != tell(theirs):
            return f"{base.arm} {tell(ours)}, {other.arm} {tell(theirs)}"
    return f"{base.arm} and {other.arm} put different loads on it"


def _kinds(base: Group, other: Group) -> str | None:
    """The best of several runs grows with their number, so it stands beside no mean; and units must be equal."""
    if (base.origin.aggregate is Aggregate.BEST) != (other.origin.aggregate is Aggregate.BEST):
        return f"{base.arm} gives {_aggregate(base)}, {other.arm} gives {_aggregate(other)}"
    units = [{result.summary.rate.unit for result in group.results if result.summary} for group in (base, other)]
    if units[0] and units[1] and units[0] != units[1]:
        ours, theirs = (", ".join(sorted(each)) for each in units)
        return f"{base.arm} is in {ours}, {other.arm} in {theirs}"
    return None


def _aggregate(group: Group) -> str:
    return f"the {(group.origin.aggregate or Aggregate.MEAN).value} of its runs"


def _cache(load: IoTask) -> str:
    return _CACHE[load.cache]


def _durability(load: IoTask) -> str:
    return _DURABILITY[load.durability]


def _zeros(load: IoTask) -> str:
    return f"moves data that are {percent(load.compressible_ratio)} zeros"


def _pace(load: IoTask) -> str:
    pace: Pace | None = load.pace
    if pace is None:
        return "goes as fast as it can"
    return f"waits for {significant(pace.frames_per_s)} frames of {format_size(pace.frame_bytes)} a second"
