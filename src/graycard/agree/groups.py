"""Which figures are of one thing: the same operation and pattern; block and depth too, where others share them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from graycard.agree.measured import Measured, measured
from graycard.model import Arm, IoTask, Result

Things = dict[Hashable, list[Measured]]
# The size of the file changes less than block and depth do; a variant is nearly another thing.
_WEIGHTS = {"block_bytes": 1.0, "depth_count": 1.0, "span_bytes": 0.1}
_OTHER_VARIANT = 100.0
_FEW_COUNT = 3


def figures_of(arms: Sequence[Arm]) -> tuple[Measured, ...]:
    """The figures of all sides, repeats of one load pooled; what was not measured is left out."""
    found: dict[Hashable, list[Result]] = {}
    for arm in arms:
        for result in {each.id: each for each in arm.results}.values():
            found.setdefault((arm.name, result.origin, result.target, _load(result.task)), []).append(result)
    pooled = ((key, measured(_side(key), results)) for key, results in found.items())
    return tuple(figure for _, figure in pooled if figure)


def groups_of(figures: Sequence[Measured]) -> tuple[tuple[Measured, ...], ...]:
    """The groups, in the order of their first figures; a figure that stands alone is a group of one."""
    things: Things = {}
    for figure in figures:
        things.setdefault(_thing(figure), []).append(figure)
    _join_unstated(things)
    return tuple(group for same in things.values() for group in _by_load(same))


def _side(key: Hashable) -> str:
    return str(key[0]) if isinstance(key, tuple) else str(key)


def _load(task: IoTask) -> IoTask:
    """What repeats of a load have in common: neither seed nor what they happened to move, and times within a third."""
    time_ns = round(2 * math.log2(task.time_ns)) if task.time_ns else None
    return replace(task, seed=0, byte_limit=None, time_ns=time_ns)


def _thing(figure: Measured) -> tuple[Hashable, ...]:
    """Operation and pattern. A copy is a writing in order, as its task says; a mix is a thing of its own."""
    task = figure.task
    pattern = task.pattern if figure.states("pattern") else None
    return task.operation, task.read_ratio is None, pattern


def _join_unstated(things: Things) -> None:
    """A figure whose pattern is not stated stands beside the only pattern there is."""
    for key in [key for key in things if isinstance(key, tuple) and key[2] is None]:
        partners = [other for other in things if isinstance(other, tuple) and other[:2] == key[:2] and other[2]]
        if len(partners) == 1:
            things[partners[0]] += things.pop(key)


def _by_load(same: Sequence[Measured]) -> list[tuple[Measured, ...]]:
    """Figures of one block, depth and size of file; what is left alone stands beside what it differs least from."""
    buckets: dict[Hashable, list[Measured]] = {}
    for figure in same:
        buckets.setdefault(_load_key(figure), []).append(figure)
    groups = [group for group in buckets.values() if len(group) > 1]
    alone = [group[0] for group in buckets.values() if len(group) == 1]
    one_side = len({_source(figure) for figure in same}) == 1
    # Of one tool alone many loads are a matrix, and no disagreement.
    joins_own = one_side and len(alone) <= _FEW_COUNT
    # What states its load opens groups, so that what does not can choose among them.
    for figure in sorted(alone, key=lambda each: not each.states("block_bytes", "depth_count")):
        _place(figure, groups, joins_own=joins_own)
    return [tuple(group) for group in groups]


def _load_key(figure: Measured) -> Hashable:
    task = figure.task
    if not figure.states("block_bytes", "depth_count"):
        return id(figure)
    return task.block_bytes, task.depth_count, task.span_bytes if figure.states("span_bytes") else None, task.variant


def _place(figure: Measured, groups: list[list[Measured]], *, joins_own: bool) -> None:
    """Into the group that it differs least from and that holds nothing of its own side, else into a new one."""
    others = [group for group in groups if joins_own or all(_source(each) != _source(figure) for each in group)]
    if others:
        min(others, key=lambda group: _apart(group[0], figure)).append(figure)
    else:
        groups.append([figure])


def _source(figure: Measured) -> tuple[str, str]:
    return figure.side, figure.origin.tool


def _apart(one: Measured, other: Measured) -> float:
    """How many times loads differ, on the scale of logarithms; what is not stated counts for nothing."""
    total = 0.0 if one.task.variant == other.task.variant else _OTHER_VARIANT
    for name, weight in _WEIGHTS.items():
        if one.states(name) and other.states(name):
            total += weight * abs(math.log(max(1, getattr(one.task, name)) / max(1, getattr(other.task, name))))
    return total
