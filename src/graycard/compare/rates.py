"""One rate a run of a group, and which runs of two groups are pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from graycard.compare.groups import Group, groups_of
from graycard.model import Arm, Result, Run, Summary
from graycard.stats.first_run import first_run_differs
from graycard.summary import run_rates


@dataclass(frozen=True, slots=True)
class RunRate:
    """The rate of one run, in bytes/s. `experiment_id` is None outside of experiments, `told_apart` marks a first run
    that differs from the rest of its result.
    """

    rate_bytes_per_s: float
    experiment_id: str | None
    repeat_index: int
    started_at: datetime
    told_apart: bool = False


@dataclass(frozen=True, slots=True)
class Rates:
    """What a group holds to compare. Where no result has a run, `are_aggregates` says that each gave one figure.

    `left_out_count` results have no run and stand beside others that have.
    """

    runs: tuple[RunRate, ...]
    are_aggregates: bool
    left_out_count: int


@dataclass(frozen=True, slots=True)
class Side:
    """An arm, sorted and measured once however many others it stands beside. `rates` are by the ids of the group."""

    name: str
    groups: tuple[Group, ...]
    rates: dict[tuple[str, ...], Rates]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Equal repeats of one experiment, in the order in which they were made. `alone_count` runs have no partner.

    In `stretch_count` stretches only one of the two was measured: 2 for A A B B, 4 for A A B B A A B B.
    """

    base: tuple[float, ...]
    other: tuple[float, ...]
    base_first: tuple[bool, ...]
    alone_count: int
    stretch_count: int


def side_of(arm: Arm) -> Side:
    """The arm's groups with their rates."""
    groups = groups_of(arm)
    return Side(arm.name, groups, {group.ids: rates_of(group) for group in groups})


def rates_of(group: Group) -> Rates:
    """The rates of all finished runs (of their last parts, where there is a cliff), else each result's own figure."""
    with_runs = [result for result in group.results if _timed(result)]
    if with_runs:
        return Rates(_of_runs(group, with_runs), are_aggregates=False, left_out_count=_figures(group) - len(with_runs))
    runs = [
        RunRate(result.summary.rate.value, None, 0, result.created_at)
        for result in group.results
        if result.summary and _has_figure(result.summary)
    ]
    return Rates(tuple(runs), are_aggregates=True, left_out_count=0)


def pairs_of(base: Rates, other: Rates) -> Pairs | None:
    """The pairs of two configurations of one experiment (or of the same ones); None where they share none."""
    bases, others = _by_repeat(base.runs), _by_repeat(other.runs)
    if bases is None or others is None or {key[0] for key in bases} != {key[0] for key in others}:
        return None
    shared = sorted(bases.keys() & others.keys(), key=lambda key: min(bases[key].started_at, others[key].started_at))
    if not shared:
        return None
    return Pairs(
        base=tuple(bases[key].rate_bytes_per_s for key in shared),
        other=tuple(others[key].rate_bytes_per_s for key in shared),
        base_first=tuple(bases[key].started_at < others[key].started_at for key in shared),
        alone_count=len(bases) + len(others) - 2 * len(shared),
        stretch_count=_stretches([bases[key] for key in shared], [others[key] for key in shared]),
    )


def _stretches(base: Sequence[RunRate], other: Sequence[RunRate]) -> int:
    """By the time of their start, however many experiments they are of."""
    sides = [(run.started_at, side) for side, runs in enumerate((base, other)) for run in runs]
    return sum(1 for _ in groupby(side for _, side in sorted(sides)))


def _timed(result: Result) -> tuple[Run, ...]:
    return tuple(run for run in result.runs if run.samples.elapsed_ns > 0)


def _figures(group: Group) -> int:
    return sum(1 for each in group.results if _timed(each) or (each.summary and _has_figure(each.summary)))


def _has_figure(summary: Summary) -> bool:
    """Whether a rate stands there; another tool's file may hold anything."""
    return summary.rate.n_count > 0 and summary.rate.value >= 0


def _of_runs(group: Group, results: Sequence[Result]) -> tuple[RunRate, ...]:
    """One decision for the whole group whether its rates are of the last part of the runs."""
    pooled = [(result, run) for result in results for run in _timed(result)]
    rates = iter(run_rates(group.task, tuple(run for _, run in pooled)))
    found: list[RunRate] = []
    for result in results:
        mine = [next(rates) for _ in _timed(result)]
        differs = first_run_differs(mine)
        trial = result.trial.experiment_id if result.trial else None
        found.extend(
            RunRate(rate, trial, run.repeat_index, run.started_at, told_apart=differs and index == 0)
            for index, (rate, run) in enumerate(zip(mine, _timed(result), strict=True))
        )
    return tuple(found)


def _by_repeat(runs: Sequence[RunRate]) -> dict[tuple[str, int], RunRate] | None:
    """The runs by experiment and repeat; None where one is of no experiment."""
    found: dict[tuple[str, int], RunRate] = {}
    for run in runs:
        if run.experiment_id is None:
            return None
        found[run.experiment_id, run.repeat_index] = run
    return found
