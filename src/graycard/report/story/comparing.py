"""Sections of set-ups beside each other: the ratios, what they mean, what differs and what limits it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from graycard.model import Comparison, Difference, Estimate, FactValue, Report
from graycard.readable import ABSENT, fact_title, quantity
from graycard.report.charts.choice import RATES, RATIOS
from graycard.report.comparisons import NOTHING_TO_BUILD_ON
from graycard.report.figures import change, change_interval
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Column, Note, Row, Table, Tone
from graycard.report.printable import printable, short_name
from graycard.report.setup import FACTOR_TITLES
from graycard.report.story.parts import Part, Picture, Section
from graycard.report.story.words import figure
from graycard.units import percent

_PAIRED = "Runs were made in pairs, in a random order: what changed meanwhile falls on both sides alike."
_OWN_AXES = "Each task has an axis of its own."
_FIRST_RUNS = (
    "A first run that differs from the others is left out of a rate here; a comparison keeps it with its pair."
)


def comparison_sections(comparisons: Sequence[Comparison]) -> Iterator[Section]:
    """The chart of all, then one section for each pair of set-ups."""
    if comparisons:
        yield Section("comparison", "Comparison", "", (Picture(RATIOS), *_together(comparisons)))
    for number, (pair, group) in enumerate(groupby(comparisons, key=lambda each: (each.base, each.other))):
        base, other = map(short_name, pair)
        parts = tuple(_pair(base, other, tuple(group)))
        yield Section(f"comparison-{number + 1}", f"{other} against {base}", "", parts)


def rates_section(report: Report) -> Section:
    """The bars of all measurements; why they are not quite those of the comparisons, where that is so."""
    paired = any(each.paired for each in report.comparisons)
    apart = any(each.summary is not None and each.summary.steadiness.first_run for each in report.results)
    detail = f"{_OWN_AXES} {_FIRST_RUNS}" if paired and apart else _OWN_AXES
    return Section("rates", "Rates of all set-ups", detail, (Picture(RATES),))


def _pair(base: str, other: str, comparisons: Sequence[Comparison]) -> Iterator[Part]:
    columns = (
        Column("Task"),
        Column(base, right=True),
        Column(other, right=True),
        Column("Difference", right=True),
        Column("", joined=True),
        Column("Verdict"),
    )
    yield Table(columns, tuple(map(_row, comparisons)))
    if any(each.failed_ids for each in comparisons):
        yield Note(NOTHING_TO_BUILD_ON, Tone.FAILED)
    yield from (_verdict(each) for each in comparisons)
    yield from _caveats(comparisons)
    yield from _differences(base, other, comparisons)


def _verdict(comparison: Comparison) -> Note:
    says = printable(comparison.says)
    return Note(FAILED_MARK + says, Tone.FAILED) if comparison.failed_ids else Note(says)


def _row(comparison: Comparison) -> Row:
    ratio, failed = comparison.ratio, set(comparison.failed_ids)
    cells = (
        printable(comparison.task_label),
        _rate(comparison.base_rate, failed=not failed.isdisjoint(comparison.base_ids)),
        _rate(comparison.other_rate, failed=not failed.isdisjoint(comparison.other_ids)),
        ABSENT if ratio is None else change(ratio.value),
        "" if ratio is None else change_interval(ratio),
        comparison.verdict.value,
    )
    return Row(cells, Tone.FAILED if failed else Tone.PLAIN)


def _rate(estimate: Estimate | None, *, failed: bool) -> str:
    return ABSENT if estimate is None else (FAILED_MARK if failed else "") + figure(estimate)


def _together(comparisons: Sequence[Comparison]) -> Iterator[Note]:
    """How the intervals are meant, and the smallest difference that these runs could have found."""
    threshold = percent(comparisons[0].threshold_ratio)
    yield Note(f"A difference counts from {threshold} on. All intervals hold together, with 95 %.", Tone.QUIET)
    if all(each.paired and each.randomised for each in comparisons):
        yield Note(_PAIRED, Tone.QUIET)
    found = [each.detectable_ratio for each in comparisons if each.detectable_ratio is not None]
    if found:
        ends = dict.fromkeys(percent(each) if each <= 1 else "more than 100 %" for each in (min(found), max(found)))
        yield Note(f"So many runs find a difference of {' to '.join(ends)} in 4 of 5 cases.", Tone.QUIET)


def _caveats(comparisons: Sequence[Comparison]) -> Iterator[Note]:
    """Each once, with the tasks that it holds for where these are not all."""
    told: dict[str, list[str]] = {}
    for each in comparisons:
        for caveat in each.caveats:
            told.setdefault(caveat, []).append(each.task_label)
    for caveat, labels in told.items():
        about = "" if len(labels) == len(comparisons) else f"{', '.join(labels)}: "
        yield Note(printable(about + caveat), Tone.CAVEAT, "caveat")


def _differences(base: str, other: str, comparisons: Sequence[Comparison]) -> Iterator[Part]:
    found = list(dict.fromkeys(each for comparison in comparisons for each in comparison.differences))
    if not found:
        yield Note("What differs in their set-ups: nothing that is known.", Tone.QUIET)
        return
    yield Note("What differs, largest suspect first:", Tone.STRONG)
    columns = (
        Column("Fact"),
        Column(base),
        Column(other),
        Column("Factor", second=True),
    )
    yield Table(columns, tuple(map(_difference, found)))


def _difference(each: Difference) -> Row:
    factor = FACTOR_TITLES.get(each.factor, each.factor)
    told = (fact_title(each.name), _value(each.base, each.unit), _value(each.other, each.unit), factor)
    return Row(tuple(map(printable, told)))


def _value(value: FactValue, unit: str | None) -> str:
    return "not known" if value is None else quantity(value, unit)
