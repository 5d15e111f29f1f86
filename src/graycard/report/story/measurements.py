"""Sections of what was measured: rates with their notes, speed over time, latencies and the set-up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycard.model import Estimate, Fact, Result, Summary
from graycard.readable import ABSENT
from graycard.report.charts.choice import RATES, latency_name, latency_places, speed_name, speed_places
from graycard.report.figures import per_second, plus_minus, rate, rate_interval
from graycard.report.groups import DETAILED_COUNT, Group, volume_words
from graycard.report.names import engines, task_names
from graycard.report.notes import FAILED_MARK, NO_FIGURE, NO_RUN, has_failed, notes, troubles
from graycard.report.page import Column, Field, Note, Row, Table, Tone
from graycard.report.printable import printable
from graycard.report.story.factors import factor_fields
from graycard.report.story.parts import Part, Picture, Section
from graycard.report.story.words import frame_words, misses_frames
from graycard.report.warnings import warnings
from graycard.units import format_duration

_RATES = (
    Column("Task"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("95 % interval, MB/s", right=True, second=True, label="95 % interval"),
    Column("IOPS", right=True),
    Column("Runs", right=True, second=True, label="runs"),
    Column("Steadiness", second=True, label="steadiness"),
)
_LATENCIES = (Column("Task"), *(Column(name, right=True) for name in ("p50", "p99", "p99.9", "max")))
_PERCENTILES = (50.0, 99.0, 99.9, 100.0)
_FURTHER = (Column("Measurement"), Column("Time, UTC", second=True), *_RATES[:3], Column("Runs", right=True))
OVER_TIME = (
    "The line is the mean of each block of time; the pale area spans the slowest and the fastest slot in it, mostly "
    "of 0.1 s. The dotted line is the published rate. Rests between runs are left out."
)
DISTRIBUTION = "The shapes show the share of operations, each task to a height of its own, on a logarithmic axis."
PERCENTILES = "Percentiles of all operations of all runs; ± is half the 95 % interval. A maximum has no interval."


def measurement_sections(found: Sequence[Group]) -> Iterator[Section]:
    """The first 6 measurements in detail, the others in one table; charts as far as `charts_of` draws them."""
    speeds, latencies = speed_places(found), latency_places(found)
    for number, group in enumerate(found[:DETAILED_COUNT]):
        pictures = Pictures(
            tuple(_speed(each, speeds) for each in speeds if each[0] == number),
            tuple(_distribution(each, latencies) for each in latencies if each == number),
        )
        yield from _measurement(number, group, pictures, alone=len(found) == 1)
    if len(found) > DETAILED_COUNT:
        yield _further(found[DETAILED_COUNT:])


@dataclass(frozen=True, slots=True)
class Pictures:
    """The charts of one measurement."""

    speeds: tuple[Picture, ...]
    latencies: tuple[Picture, ...]


def _speed(place: tuple[int, int], places: Sequence[tuple[int, int]]) -> Picture:
    """How to read it stands once, below the first."""
    return Picture(speed_name(*place), OVER_TIME if place == places[0] else "")


def _distribution(place: int, places: Sequence[int]) -> Picture:
    return Picture(latency_name(place), DISTRIBUTION if place == places[0] else "")


def _measurement(number: int, group: Group, drawn: Pictures, *, alone: bool) -> Iterator[Section]:
    key, prefix = f"measurement-{number + 1}", "" if alone else f"{group.arm}: "
    names = task_names(group.results)
    pictures: tuple[Part, ...] = (Picture(RATES),) if alone and any(each.summary for each in group.results) else ()
    told = (
        *pictures,
        _rates(group.results, names),
        *_frames(group.results, names),
        *troubles(group.results),
        *notes(group.results),
    )
    yield Section(key, "Rates" if alone else group.arm, _circumstances(group.results), told)
    if drawn.speeds:
        of = f"The first {len(drawn.speeds)} of {len(names)} tasks." if len(drawn.speeds) < len(names) else ""
        yield Section(f"{key}-speed", f"{prefix}speed over time" if prefix else "Speed over time", of, drawn.speeds)
    if drawn.latencies or any(each.summary and each.summary.latency_ns for each in group.results):
        latency: tuple[Part, ...] = (*drawn.latencies, _latencies(group.results, names))
        yield Section(f"{key}-latency", f"{prefix}latency" if prefix else "Latency", PERCENTILES, latency)
    if facts := tuple(_setup(group.results[0].facts)):
        yield Section(f"{key}-setup", f"{prefix}set-up" if prefix else "Set-up", "", facts)


def _circumstances(results: Sequence[Result]) -> str:
    """One line: path, file system and device, time."""
    first = results[0]
    parts = (first.target.path, volume_words(first), engines(results), f"{first.created_at:%Y-%m-%d %H:%M} UTC")
    return " · ".join(printable(part) for part in parts if part)


def _rates(results: Sequence[Result], names: Sequence[str]) -> Table:
    return Table(_RATES, tuple(_rate_row(result, name) for result, name in zip(results, names, strict=True)))


def _frames(results: Sequence[Result], names: Sequence[str]) -> Iterator[Note]:
    """Of paced tasks how many frames came in time: their rate tells only what was asked for."""
    for result, name in zip(results, names, strict=True):
        if words := frame_words(result):
            yield Note(f"{name}: {words}.", Tone.CAVEAT if misses_frames(result) else Tone.PLAIN)


def _rate_row(result: Result, name: str) -> Row:
    summary = result.summary
    if summary is None:
        return Row((name, ABSENT, NO_FIGURE if result.trouble else NO_RUN, "", "", "", ""), Tone.QUIET)
    cells = (
        name,
        _marked_rate(result, summary),
        plus_minus(summary.rate),
        rate_interval(summary.rate).strip("()"),
        per_second(summary.ops),
        _runs_count(result, summary),
        summary.steadiness.verdict.value,
    )
    return Row(cells, Tone.FAILED if has_failed(result) else Tone.PLAIN)


def _marked_rate(result: Result, summary: Summary) -> str:
    return (FAILED_MARK if has_failed(result) else "") + rate(summary.rate)


def _runs_count(result: Result, summary: Summary) -> str:
    return str(len(result.runs) or summary.rate.n_count)


def _latencies(results: Sequence[Result], names: Sequence[str]) -> Table:
    rows = (
        Row((name, *(_latency(result.summary, each) for each in _PERCENTILES)))
        for result, name in zip(results, names, strict=True)
        if result.summary
    )
    return Table(_LATENCIES, tuple(rows))


def _latency(summary: Summary, percentile: float) -> str:
    found: list[Estimate] = [each.latency for each in summary.latency_ns if each.percentile == percentile]
    if not found:
        return ABSENT
    interval = "" if percentile == 100 else f" {plus_minus(found[0])}"
    return format_duration(found[0].value) + interval


def _setup(facts: Sequence[Fact]) -> Iterator[Note | Field]:
    """What of it may spoil figures, then each factor in one line."""
    yield from (Note(printable(said), Tone.CAVEAT, "note") for said in warnings(facts))
    yield from factor_fields(facts)


def _further(found: Sequence[Group]) -> Section:
    """One row a result; their notes are with the results themselves."""
    rows = [_further_row(group, result) for group in found for result in group.results]
    detail = f"{len(rows)} results of {len(found)} measurements, without details. A mark ! says that a check failed."
    return Section("further", "Further measurements", detail, (Table(_FURTHER, tuple(rows)),))


def _further_row(group: Group, result: Result) -> Row:
    when = f"{result.created_at:%Y-%m-%d %H:%M}"
    name = printable(result.task.label)
    if result.summary is None:
        return Row((group.arm, when, name, ABSENT, "no finished run", ""), Tone.QUIET)
    told = (_marked_rate(result, result.summary), plus_minus(result.summary.rate), _runs_count(result, result.summary))
    return Row((group.arm, when, name, *told), Tone.FAILED if has_failed(result) else Tone.PLAIN)
