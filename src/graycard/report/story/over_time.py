"""Sections of set-ups over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.model import Entry, Era, History, Standing
from graycard.report.charts.choice import HISTORY_COUNT, history_name
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Column, Note, Row, Table, Tone
from graycard.report.printable import printable, short_name
from graycard.report.story.parts import Part, Picture, Section
from graycard.units import format_rate, significant

# The newest entries stand in the table; all are in the chart.
ROW_COUNT = 12
NOT_COUNTED = (
    "A hollow circle is a result that is not counted: a check says that it is not what it claims to be, or it moved "
    "nothing. No other is judged by it."
)
_COLUMNS = (
    Column("Time, UTC"),
    Column("Rate", right=True),
    Column("95 % interval, MB/s", right=True, second=True, label="95 % interval"),
    Column("Expected, MB/s", right=True, second=True, label="expected"),
    Column("Standing"),
)


def history_sections(histories: Sequence[History]) -> Iterator[Section]:
    """One section for each history."""
    for number, history in enumerate(histories):
        picture = Picture(history_name(number), _caption(history))
        pictures: tuple[Part, ...] = (picture,) if number < HISTORY_COUNT else ()
        title = f"History: {short_name(history.task_label)}"
        yield Section(f"history-{number + 1}", title, printable(history.device), (*pictures, *_parts(history)))


def _caption(history: History) -> str:
    """How to read the chart, as far as it has these marks."""
    entries = [entry for era in history.eras for entry in era.entries]
    told = ["The line through a point is its 95 % interval."] if any(e.rate_low_bytes_per_s for e in entries) else []
    if any(entry.expected for entry in entries):
        told.append("The pale band is where a result was expected, from those before it.")
    if len(history.eras) > 1:
        told.append("Dotted: the set-up changed, and a new series began.")
    return " ".join(told)


def _parts(history: History) -> Iterator[Part]:
    yield Note(printable(history.says), Tone.STRONG)
    for era in history.eras[1:]:
        if era.entries:
            yield Note(f"{era.entries[0].created_at:%Y-%m-%d}: a new series began. {_changes(era)}")
    entries = [entry for era in history.eras for entry in era.entries]
    if any(entry.standing is Standing.NOT_COUNTED for entry in entries):
        yield Note(NOT_COUNTED, Tone.CAVEAT, "!")
    if len(entries) > ROW_COUNT:
        yield Note(f"The newest {ROW_COUNT} of {len(entries)} results:", Tone.QUIET)
    yield Table(_COLUMNS, tuple(map(_row, reversed(entries[-ROW_COUNT:]))))


def _changes(era: Era) -> str:
    return printable("; ".join(change.says.rstrip(".") for change in era.changes)) + "." if era.changes else ""


def _row(entry: Entry) -> Row:
    expected = entry.expected
    interval = _span(entry.rate_low_bytes_per_s, entry.rate_high_bytes_per_s)
    cells = (
        f"{entry.created_at:%Y-%m-%d %H:%M}",
        ("" if entry.standing is not Standing.NOT_COUNTED else FAILED_MARK) + format_rate(entry.rate_bytes_per_s),
        interval or "no interval",
        _span(expected.low, expected.high) if expected else "",
        entry.standing.value,
    )
    tones = {Standing.REGRESSION: Tone.FAILED, Standing.UNUSUAL: Tone.CAVEAT, Standing.NOT_COUNTED: Tone.QUIET}
    return Row(cells, tones.get(entry.standing, Tone.PLAIN))


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{significant(low / 1e6)} to {significant(high / 1e6)}"
