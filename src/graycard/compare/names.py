"""What to call the tasks of an arm, so that no two are called the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graycard.compare.groups import Group, load_of
from graycard.model import short_size
from graycard.units import percent, significant


def names_of(groups: Sequence[Group]) -> dict[tuple[str, ...], str]:
    """One name for each group, by its ids: the task's label, and after it what tells it from others of that label."""
    return {group.ids: group.task.label + _told(group, _namesakes(group, groups)) for group in groups}


def _namesakes(group: Group, groups: Sequence[Group]) -> list[Group]:
    return [each for each in groups if each.task.label == group.task.label]


def _told(group: Group, namesakes: Sequence[Group]) -> str:
    """Everything in which the groups of one label differ: " of 1G, warm"."""
    parts = [tell(group) for tell in _TELLS if len({tell(each) for each in namesakes}) > 1]
    return "".join(parts)


def _size(group: Group) -> str:
    return f" of {short_size(group.task.span_bytes)}"


def _cache(group: Group) -> str:
    return f", {group.task.cache.value}"


def _durability(group: Group) -> str:
    return f", flush {load_of(group.task).durability.value.replace('_', ' ')}"


def _zeros(group: Group) -> str:
    return f", {percent(group.task.compressible_ratio)} zeros"


def _pace(group: Group) -> str:
    pace = group.task.pace
    return f", {significant(pace.frames_per_s)} frames/s of {short_size(pace.frame_bytes)}" if pace else ", not paced"


def _engine(group: Group) -> str:
    return f" ({' '.join(part for part in (group.origin.tool, group.origin.engine) if part)})"


_TELLS: tuple[Callable[[Group], str], ...] = (_size, _cache, _durability, _zeros, _pace, _engine)
