"""What limits the meaning of a comparison, in sentences that name the side they are about."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.compare.groups import Group
from graycard.compare.rates import Pairs, Rates
from graycard.compare.setups import setup_of
from graycard.differences import differences, known_on_one_side
from graycard.model import Aggregate, Result, Steady, Verdict, short_size
from graycard.readable import fact_title

NOT_PAIRED = "Not paired: they were measured at different times, so a drift of the machine counts as a difference."
NOT_RANDOMISED = (
    "Not randomised: the two could not be switched run by run, so a drift of the machine counts as a difference."
)
# Twice each is the least that is alternating: A, B, A, B.
_ALTERNATING_COUNT = 4
_SHOWN_COUNT = 6


def group_caveats(group: Group, rates: Rates) -> Iterator[str]:
    """What is to be said of one side alone."""
    for result in group.results:
        yield from _failed(group, result)
        if result.trouble:
            yield f"{group.arm}: {result.trouble}"
    if group.task.unstated:
        yield f"{group.arm} does not state {_some(group.task.unstated)}: the loads may differ in that."
    if rates.are_aggregates:
        yield f"{group.arm} holds no runs, so {_figures(group)} of the tool that measured stands for them."
    if rates.left_out_count:
        yield f"{group.arm}: {_counted(rates.left_out_count, 'result')} without runs left out."
    yield from _mixture(group)


def both_caveats(base: Group, other: Group) -> Iterator[str]:
    """What is to be said of the two beside each other."""
    if base.task.span_bytes != other.task.span_bytes and "span_bytes" not in {
        *base.task.unstated,
        *other.task.unstated,
    }:
        sizes = f"{short_size(base.task.span_bytes)} in {base.arm}, {short_size(other.task.span_bytes)} in {other.arm}"
        yield f"The files differ in size: {sizes}; caches hold more of a small file."
    if measured_by(base) != measured_by(other):
        yield f"{base.arm} was measured by {measured_by(base)}, {other.arm} by {measured_by(other)}."
    if base.origin.aggregate != other.origin.aggregate:
        yield f"{base.arm} gives the {_aggregate(base)} of its runs, {other.arm} the {_aggregate(other)}."
    if base.origin.aggregate is Aggregate.BEST and other.origin.aggregate is Aggregate.BEST:
        yield "Both give the best of their runs, which grows with the number of runs."
    if _has_cliff(base) != _has_cliff(other):
        first, second = (base, other) if _has_cliff(base) else (other, base)
        yield f"{first.arm} is compared by the last part of its runs, after a cliff, {second.arm} by whole runs."
    yield from _unknown(base, other)


def pairs_caveats(base: Group, other: Group, pairs: Pairs) -> Iterator[str]:
    """What is to be said of runs that are pairs."""
    if not is_randomised(base, other):
        yield alternating(pairs.stretch_count) if pairs.stretch_count >= _ALTERNATING_COUNT else NOT_RANDOMISED
    if pairs.alone_count:
        yield f"{_counted(pairs.alone_count, 'run')} without a partner left out."


def alternating(stretch_count: int) -> str:
    """What is to be said of an order that nobody drew, but in which the two took turns."""
    return (
        f"Alternating, but not randomised: the two were measured in turns, in {stretch_count} stretches, "
        "so a drift of the machine counts as a difference in part."
    )


def first_run_caveats(group: Group, rates: Rates) -> Iterator[str]:
    """First runs that are not in the ratio."""
    count = sum(run.told_apart for run in rates.runs)
    if count:
        yield f"{group.arm}: {_counted(count, 'first run')} that differed from the others left out."


def is_randomised(base: Group, other: Group) -> bool:
    """Whether every result of both sides is of an experiment that could draw the order of its runs."""
    return all(result.trial is not None and result.trial.randomised for result in (*base.results, *other.results))


def failed_ids(group: Group) -> tuple[str, ...]:
    """The results of the group that failed a check."""
    return tuple(result.id for result in group.results if any(_failed(group, result)))


def measured_by(group: Group) -> str:
    """The program and its engine: "graycard native"."""
    return " ".join(part for part in (group.origin.tool, group.origin.engine) if part)


def _failed(group: Group, result: Result) -> Iterator[str]:
    for check in result.summary.checks if result.summary else ():
        if check.verdict is Verdict.FAIL:
            # Without the check's own figures, so that the same of all tasks is said once.
            yield f"{group.arm} failed the check {check.name.replace('_', ' ')}; its results say why."


def _mixture(group: Group) -> Iterator[str]:
    """Results pooled although their set-ups differ."""
    first, *others = (setup_of([result]) for result in group.results)
    names = dict.fromkeys(each.name for setup in others for each in differences(first, setup))
    if names:
        yield f"{group.arm} pools {len(group.results)} results whose set-ups differ: {_some(tuple(names))}."


def _unknown(base: Group, other: Group) -> Iterator[str]:
    names = known_on_one_side(setup_of(base.results), setup_of(other.results))
    if names:
        yield f"Known of one side alone, so perhaps different: {_some(names)}."


def _has_cliff(group: Group) -> bool:
    return any(
        result.summary is not None and result.summary.steadiness.verdict is Steady.CLIFF for result in group.results
    )


def _aggregate(group: Group) -> str:
    return (group.origin.aggregate or Aggregate.MEAN).value


def _figures(group: Group) -> str:
    return "one figure" if len(group.results) == 1 else "one figure of each result"


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN_COUNT} more" if len(names) > _SHOWN_COUNT else ""
    return ", ".join(map(fact_title, names[:_SHOWN_COUNT])) + more


def _counted(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"
