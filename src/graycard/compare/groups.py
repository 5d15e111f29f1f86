"""The results of one side sorted by load: those of one group are pooled, for the run is the unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace

from graycard.model import Arm, Durability, IoTask, Operation, Origin, Pattern, Result


@dataclass(frozen=True, slots=True)
class Group:
    """The results of one arm that put one load on it, with one engine and one size of file. One result at least."""

    arm: str
    results: tuple[Result, ...]

    @property
    def task(self) -> IoTask:
        """What was measured; length and seed may differ between the results."""
        return self.results[0].task

    @property
    def origin(self) -> Origin:
        """Who measured; the version may differ between the results."""
        return self.results[0].origin

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the results."""
        return tuple(result.id for result in self.results)


@dataclass(frozen=True, slots=True)
class Match:
    """What stands beside each other; None where a side has nothing of the kind, never on both."""

    base: Group | None
    other: Group | None

    @property
    def named_after(self) -> tuple[str, ...]:
        """The ids of the group whose task names the match."""
        group = self.base or self.other
        return group.ids if group else ()


# What stands in the place of a field that means nothing.
_NEUTRAL = IoTask(Operation.READ, Pattern.SEQUENTIAL, block_bytes=0, span_bytes=0, durability=Durability.NONE)


def load_of(task: IoTask, unstated: Collection[str] = ()) -> IoTask:
    """The load alone: two tasks with equal loads are one task to compare. A flush means nothing to a read.

    What the task does not state, and what is `unstated` on the other side, is left out.
    """
    durability = Durability.NONE if task.operation is Operation.READ else task.durability
    load = replace(task, span_bytes=0, time_ns=None, byte_limit=None, seed=0, durability=durability, unstated=())
    names = {field.name for field in fields(IoTask)} & {*task.unstated, *unstated}
    return replace(load, **{name: getattr(_NEUTRAL, name) for name in names})


def groups_of(arm: Arm) -> tuple[Group, ...]:
    """The groups in the order in which the arm names their first results; a result named twice counts once."""
    found: dict[Hashable, list[Result]] = {}
    for result in {result.id: result for result in arm.results}.values():
        found.setdefault((_load(result), *_instrument(result), result.task.span_bytes), []).append(result)
    return tuple(Group(arm.name, tuple(results)) for results in found.values())


def _load(result: Result) -> IoTask:
    return load_of(result.task)


def _instrument(result: Result) -> tuple[Hashable, ...]:
    return result.origin.tool, result.origin.engine, result.origin.aggregate


# From alike in everything down to a task of the same name: what is most alike is matched first. What matches only by
# the last is not comparable, and told so.
_LIKENESSES: tuple[Callable[[Result], Hashable], ...] = (
    lambda result: (_load(result), result.task.span_bytes, _instrument(result)),
    lambda result: (_load(result), result.task.span_bytes),
    lambda result: (_load(result), _instrument(result)),
    _load,
    lambda result: result.task.label,
)


def matches(bases: Sequence[Group], others: Sequence[Group]) -> tuple[Match, ...]:
    """Each group of both sides once: first in the order of the base, then what the other alone has."""
    left = list(others)
    partners: dict[int, Group] = {}
    for likeness in _LIKENESSES:
        for index, group in enumerate(bases):
            if index not in partners and (partner := _first(left, likeness, group)):
                partners[index] = partner
                left.remove(partner)
    pairs = (Match(group, partners.get(index)) for index, group in enumerate(bases))
    return (*pairs, *(Match(None, group) for group in left))


def _first(groups: Sequence[Group], likeness: Callable[[Result], Hashable], wanted: Group) -> Group | None:
    key = likeness(wanted.results[0])
    return next((group for group in groups if likeness(group.results[0]) == key), None)


def labels(groups: Iterable[Group]) -> tuple[str, ...]:
    """The labels of their tasks, each once."""
    return tuple(dict.fromkeys(group.task.label for group in groups))
