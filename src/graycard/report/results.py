"""Results as a page: the figures with their intervals, and under them in plain words what limits or spoils them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from graycard.facts import value
from graycard.model import Estimate, Result, Summary
from graycard.report.figures import ABSENT, per_second, plus_minus, rate, rate_interval
from graycard.report.names import engines, task_names
from graycard.report.notes import FAILED_MARK, NO_FIGURE, NO_RUN, has_failed, notes, troubles
from graycard.report.page import Block, Column, Heading, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import format_duration

_COLUMNS = (
    Column("Task"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("", joined=True),
    Column("IOPS", right=True),
    Column("p50", right=True, second=True, label="latency p50"),
    Column("p99", right=True, second=True, label="p99"),
    Column("max", right=True, second=True, label="max"),
    Column("Runs", right=True),
    Column("Steadiness", second=True),
)


def results_page(results: Sequence[Result], title: str = "") -> Page:
    """A table for each measurement with its notes, failed checks first. Without an interval it says "single run"."""
    page: list[Block] = [Heading(printable(title))] if title else []
    for _, group in groupby(results, key=lambda result: (result.measurement_id, result.target.path)):
        page.extend(_measurement(tuple(group)))
    return tuple(page)


def _measurement(results: tuple[Result, ...]) -> Page:
    heading = Heading(printable(_name(results[0])), _circumstances(results))
    rows = tuple(map(_row, results, task_names(results)))
    return (heading, Table(_COLUMNS, rows), *troubles(results), *notes(results))


def _name(result: Result) -> str:
    """The place; in an experiment its configuration, for a volume that was made for it is gone."""
    trial = result.trial
    return f"{trial.configuration}, in {trial.experiment}" if trial else result.target.path


def _circumstances(results: tuple[Result, ...]) -> str:
    """One line: file system and device, tool and engines, time in UTC."""
    result = results[0]
    file_system, source, model, bus = (
        value(result.facts, name) for name in ("file_system", "mount_source", "device_model", "bus")
    )
    device = model or source
    where = [f"{file_system} on {device}" if file_system and device else file_system or device, bus]
    origin = result.origin
    tool = " ".join(part for part in (origin.tool, origin.tool_version) if part)
    parts = [
        result.target.path if result.trial else "",
        ", ".join(str(part) for part in where if part),
        ", ".join(part for part in (tool, engines(results)) if part),
        f"{result.created_at:%Y-%m-%d %H:%M} UTC",
    ]
    return " · ".join(printable(part) for part in parts if part)


def _row(result: Result, name: str) -> Row:
    summary = result.summary
    if summary is None:
        blanks = ("",) * (len(_COLUMNS) - 3)
        return Row((name, ABSENT, NO_FIGURE if result.trouble else NO_RUN, *blanks), Tone.QUIET)
    failed = has_failed(result)
    cells = (
        name,
        (FAILED_MARK if failed else "") + rate(summary.rate),
        plus_minus(summary.rate),
        rate_interval(summary.rate),
        per_second(summary.ops),
        *(_latency(summary, percentile) for percentile in (50, 99, 100)),
        str(len(result.runs) or summary.rate.n_count or ABSENT),
        summary.steadiness.verdict.value,
    )
    return Row(cells, Tone.FAILED if failed else Tone.PLAIN)


def _latency(summary: Summary, percentile: float) -> str:
    found: list[Estimate] = [each.latency for each in summary.latency_ns if each.percentile == percentile]
    if not found and percentile == 50 and summary.mean_latency:
        return f"mean {format_duration(summary.mean_latency.value)}"
    return format_duration(found[0].value) if found else ABSENT
