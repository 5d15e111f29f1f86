"""The sections of what a measurement is enough for: formats that it plays and records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.media import (
    HEADROOM_RATIO,
    Chosen,
    Format,
    by_measurement,
    choose,
    fit,
    format_named,
    known_formats,
    nothing_decides,
    nothing_tells,
)
from graycard.model import Operation, Report
from graycard.report.fits import Fits, fits_parts
from graycard.report.groups import DETAILED_COUNT, Group
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.report.story.parts import Part, Section

# Few rows: a report shows where the border lies, the command shows all.
_ROWS_COUNT = 10
_BEYOND_COUNT = 3
_TITLE = "What it is enough for"


def enough_sections(report: Report, found: Sequence[Group]) -> Iterator[Section]:
    """For the formats that were asked for one section a set-up, the first 6 of them, which says where nothing decides.

    Where none were asked for, well-known ones for a report of one set-up, if its figures decide anything.
    """
    if not report.formats:
        if len(found) == 1:
            yield from _of_known(found[0])
        return
    formats = tuple(format_named(each) for each in report.formats)
    for number, group in enumerate(found[:DETAILED_COUNT]):
        chosen = _chosen(group)
        told = (*_parts(chosen, formats, report.streams_count), *_lacking(chosen))
        title = _TITLE if len(found) == 1 else f"{group.arm}: what it is enough for"
        yield Section(f"enough-{number + 1}", title, _streams(report.streams_count), told)


def _of_known(group: Group) -> Iterator[Section]:
    chosen = _chosen(group)
    rates = [each.sustained_bytes_per_s or 0.0 for each in chosen.bases if each.undecided is None]
    if rates:
        formats = _around_the_border(known_formats(), max(rates))
        yield Section("enough", _TITLE, _streams(1), _parts(chosen, formats, 1))


def _chosen(group: Group) -> Chosen:
    return choose(by_measurement(group.results), tuple(Operation))


def _streams(count: int) -> str:
    return "One stream of each format alone." if count == 1 else f"{count} streams of each format at once."


def _parts(chosen: Chosen, formats: tuple[Format, ...], streams_count: int) -> tuple[Part, ...]:
    fits = tuple(fit(each, basis, streams_count=streams_count) for each in formats for basis in chosen.bases)
    return (
        tuple(fits_parts(Fits(chosen, formats, fits, streams_count, HEADROOM_RATIO), brief=True))
        if chosen.bases
        else ()
    )


def _lacking(chosen: Chosen) -> Iterator[Note]:
    """What cannot be decided, and why."""
    if not chosen.bases:
        yield Note(printable(f"{_start(nothing_decides(chosen, 'this measurement'))}."), Tone.CAVEAT, "?")
        return
    for operation in Operation:
        if chosen.of(operation) is None:
            yield Note(printable(f"{_start(nothing_tells(chosen, operation))}."), Tone.CAVEAT, "?")


def _start(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _around_the_border(formats: tuple[Format, ...], rate_bytes_per_s: float) -> tuple[Format, ...]:
    """The largest formats that pass and the first that do not."""
    passing = sum(1 for each in formats if each.bytes_per_s <= rate_bytes_per_s)
    end = min(len(formats), max(passing + _BEYOND_COUNT, _ROWS_COUNT))
    return formats[max(0, end - _ROWS_COUNT) : end]
