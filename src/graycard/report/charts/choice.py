"""Which charts a report gets, and what each is called."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model import Report
from graycard.report.charts.chart import Chart
from graycard.report.charts.history import history_chart
from graycard.report.charts.latency import latency_chart
from graycard.report.charts.rates import rates_chart
from graycard.report.charts.ratios import ratios_chart
from graycard.report.charts.speed import speed_chart
from graycard.report.groups import DETAILED_COUNT, Group, groups
from graycard.report.names import task_names

# Drawing takes about 40 ms a chart and width: these bounds keep a report of any size below 3 s.
SPEED_COUNT = 8
LATENCY_COUNT = 3
HISTORY_COUNT = 4
RATES = "rates"
RATIOS = "ratios"


def charts_of(report: Report) -> tuple[Chart, ...]:
    """All charts of a report, at most 17, in the order of the story, whose pictures name them."""
    found = (_summaries(report), _details(groups(report.results)[:DETAILED_COUNT]), _histories(report))
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


def _summaries(report: Report) -> Iterator[Chart | None]:
    yield ratios_chart(RATIOS, report.comparisons)
    arms = [(result, group.arm) for group in groups(report.results) for result in group.results]
    yield rates_chart(RATES, [result for result, _ in arms], [arm for _, arm in arms])


def _details(shown: tuple[Group, ...]) -> Iterator[Chart | None]:
    """Speed over time for the first 8 tasks, latencies for the first 3 measurements."""
    left = SPEED_COUNT
    for number, group in enumerate(shown):
        names = task_names(group.results)
        for place, (result, name) in enumerate(zip(group.results, names, strict=True)):
            chart = speed_chart(speed_name(number, place), result, name) if left else None
            left -= chart is not None
            yield chart
        if number < LATENCY_COUNT:
            yield latency_chart(latency_name(number), group.results, names)


def _histories(report: Report) -> Iterator[Chart | None]:
    for number, history in enumerate(report.histories[:HISTORY_COUNT]):
        yield history_chart(history_name(number), history)
