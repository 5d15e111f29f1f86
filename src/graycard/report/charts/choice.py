"""Which charts a report gets, and what each is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from graycard.model import Report
from graycard.report.charts.blocks import is_telling
from graycard.report.charts.chart import Chart
from graycard.report.charts.course import course_chart
from graycard.report.charts.history import history_chart
from graycard.report.charts.latency import has_latency, latency_chart
from graycard.report.charts.rates import SHOWN_COUNT, rates_chart
from graycard.report.charts.ratios import ratios_chart
from graycard.report.charts.speed import speed_chart
from graycard.report.charts.waterfall import waterfall_chart
from graycard.report.groups import DETAILED_COUNT, Group, groups
from graycard.report.names import task_names

# Drawing takes about 40 ms a chart and width: these bounds keep a report of any size below 3 s.
SPEED_COUNT = 8
LATENCY_COUNT = 2
HISTORY_COUNT = 4
# Bars of a report with more measurements than are shown in detail: one measurement of all tasks, as a rule.
RATES_OF_MANY_COUNT = 8
RATES = "rates"
RATIOS = "ratios"


def charts_of(report: Report) -> tuple[Chart, ...]:
    """All charts of a report, at most 16, in the order of the story, whose pictures name them."""
    found = (_diagnosis(report), _summaries(report), _details(groups(report.results)), _histories(report))
    return tuple(chart for part in found for chart in part if chart is not None)


def speed_name(group: int, task: int) -> str:
    """The name of the speed chart of result number `task` of measurement number `group`."""
    return f"speed-{group + 1}-{task + 1}"


def latency_name(group: int) -> str:
    """The name of the latency chart of measurement number `group`."""
    return f"latency-{group + 1}"


def history_name(number: int) -> str:
    """The name of the chart of history number `number`."""
    return f"history-{number + 1}"


def _diagnosis(report: Report) -> Iterator[Chart | None]:
    if report.diagnosis is not None:
        yield waterfall_chart(report.diagnosis.diagnosis)
        yield course_chart(report.diagnosis)


def _summaries(report: Report) -> Iterator[Chart | None]:
    yield ratios_chart(RATIOS, report.comparisons)
    found = groups(report.results)
    arms = [(result, group.arm) for group in found for result in group.results]
    limit = SHOWN_COUNT if len(found) <= DETAILED_COUNT else RATES_OF_MANY_COUNT
    yield rates_chart(RATES, [result for result, _ in arms], [arm for _, arm in arms], limit)


def charted(found: Sequence[Group]) -> Sequence[Group]:
    """The measurements whose speed and latencies may be drawn: the first 6, or the first 2 where there are more."""
    return found[:DETAILED_COUNT] if len(found) <= DETAILED_COUNT else found[:2]


def speed_places(found: Sequence[Group]) -> tuple[tuple[int, int], ...]:
    """The first 8 results, as numbers of the measurement and of the task in it, whose speed over time is known.

    In a report with more measurements than are shown in detail, the first 2.
    """
    places = (
        (number, place)
        for number, group in enumerate(charted(found))
        for place, result in enumerate(group.results)
        if result.summary and is_telling(result.runs)
    )
    return tuple(islice(places, _bounded(SPEED_COUNT, found)))


def latency_places(found: Sequence[Group]) -> tuple[int, ...]:
    """The first 2 measurements of which some latencies are known; the first in a report with many."""
    known = (number for number, group in enumerate(charted(found)) if any(map(has_latency, group.results)))
    return tuple(islice(known, _bounded(LATENCY_COUNT, found)))


def _bounded(count: int, found: Sequence[Group]) -> int:
    """All of them, or a quarter where not even all measurements are shown in detail: their table tells more."""
    return count if len(found) <= DETAILED_COUNT else max(1, count // 4)


def _details(found: Sequence[Group]) -> Iterator[Chart | None]:
    speeds, latencies = speed_places(found), latency_places(found)
    for number, group in enumerate(found[:DETAILED_COUNT]):
        names = task_names(group.results)
        for place, (result, name) in enumerate(zip(group.results, names, strict=True)):
            yield speed_chart(speed_name(number, place), result, name) if (number, place) in speeds else None
        yield latency_chart(latency_name(number), group.results, names) if number in latencies else None


def _histories(report: Report) -> Iterator[Chart | None]:
    for number, history in enumerate(report.histories[:HISTORY_COUNT]):
        yield history_chart(history_name(number), history)
