"""Which figures are of one thing: the same operation and pattern; block and depth too, where others share them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from graycard.agree.measured import Measured, measured
from graycard.model import Arm, IoTask, Result

Things = dict[Hashable, list[Measured]]


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
    """What repeats of a load have in common: neither seed nor what they happened to move."""
    return replace(task, seed=0, byte_limit=None)


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
    """Figures of one block and depth; those left alone stand beside what is nearest among others left alone."""
    buckets: dict[Hashable, list[Measured]] = {}
    for figure in same:
        if figure.states("block_bytes", "depth_count"):
            buckets.setdefault((figure.task.block_bytes, figure.task.depth_count), []).append(figure)
        else:
            buckets.setdefault(None, []).append(figure)
    vague = buckets.pop(None, [])
    groups = [group for group in buckets.values() if len(group) > 1]
    alone = [group[0] for group in buckets.values() if len(group) == 1]
    groups += _nearest_first(alone)
    for figure in vague:
        _place(figure, groups)
    return [tuple(group) for group in groups]


def _nearest_first(alone: Sequence[Measured]) -> list[list[Measured]]:
    """Each with the nearest of another side; of one side alone, those that stand next to each other."""
    groups: list[list[Measured]] = []
    one_side = len({_source(figure) for figure in alone}) == 1
    for figure in alone:
        open_groups = [group for group in groups if one_side or all(_source(each) != _source(figure) for each in group)]
        if open_groups:
            min(open_groups, key=lambda group: _apart(group[0], figure)).append(figure)
        else:
            groups.append([figure])
    return groups


def _place(figure: Measured, groups: list[list[Measured]]) -> None:
    """What does not state its block or depth stands beside what it differs least from in the rest."""
    others = [group for group in groups if all(_source(each) != _source(figure) for each in group)]
    if others:
        min(others, key=lambda group: _apart(group[0], figure)).append(figure)
    else:
        groups.append([figure])


def _source(figure: Measured) -> tuple[str, str]:
    return figure.side, figure.origin.tool


def _apart(one: Measured, other: Measured) -> float:
    """How many times block and depth differ, on the scale of logarithms; what is not stated counts for nothing."""
    total = 0.0
    for name in ("block_bytes", "depth_count"):
        if one.states(name) and other.states(name):
            total += abs(math.log(max(1, getattr(one.task, name)) / max(1, getattr(other.task, name))))
    return total
