"""Stored results as a page: the list, and what is written beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from graycard.model import Annotations, Result, Verdict
from graycard.report.figures import ABSENT
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Block, Column, Field, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.report.results import results_page
from graycard.store import ResultRow
from graycard.units import format_rate, percent

_COLUMNS = (
    Column("Measurement"),
    Column("Result"),
    Column("Measured (UTC)"),
    Column("Task"),
    Column("Rate", right=True),
    Column("Runs", right=True),
    Column("Checks", second=True, label="checks"),
    Column("Place", second=True, label="in"),
)
# Only where one of the rows has something written beside it.
_LABEL = Column("Label", second=True, label="label")
_TAGS = Column("Tags", second=True, label="tags")
_PLACE_WIDTH = 32
_LABEL_WIDTH = 24
# Eight of sixteen hexadecimal digits: enough to tell 10,000 results apart with a risk of 1 %.
_ID_LENGTH = 8
NOTHING_STORED = "Nothing is stored yet; graycard measure PATH makes the first result."
NOTHING_FOUND = "No stored result is such; graycard results list shows them."
_NONE = Annotations()


def rows_page(rows: Sequence[ResultRow], beside: Mapping[str, Annotations], nothing: str = NOTHING_STORED) -> Page:
    """One row a result, with label and tags of it or of its measurement; `nothing` where there is none."""
    if not rows:
        return (Note(nothing, Tone.QUIET),)
    labels, tags = [_label(row, beside) for row in rows], [_tags(row, beside) for row in rows]
    extra = [(column, cells) for column, cells in ((_LABEL, labels), (_TAGS, tags)) if any(cells)]
    columns = (*_COLUMNS, *(column for column, _ in extra))
    return (Table(columns, tuple(_row(row, [cells[place] for _, cells in extra]) for place, row in enumerate(rows))),)


def annotated_page(results: Sequence[Result], beside: Mapping[str, Annotations]) -> Page:
    """The results as a page, each measurement followed by what is written beside it and its results."""
    page: list[Block] = []
    for measurement_id, group in groupby(results, key=lambda result: result.measurement_id):
        found = tuple(group)
        page.extend(results_page(found))
        page.extend(_fields(beside.get(measurement_id, _NONE), ""))
        for result in found:
            page.extend(_fields(beside.get(result.id, _NONE), f" of {printable(result.task.label)}"))
    return tuple(page)


def _fields(annotations: Annotations, of: str) -> list[Field]:
    label = [Field(f"label{of}", printable(annotations.label))] if annotations.label else []
    tags = [Field(f"tags{of}", printable(", ".join(annotations.tags)))] if annotations.tags else []
    return [*label, *tags, *(Field(f"note{of}", printable(note)) for note in annotations.notes)]


def _label(row: ResultRow, beside: Mapping[str, Annotations]) -> str:
    found = (beside.get(id_, _NONE).label for id_ in (row.id, row.measurement_id))
    return ", ".join(shorten(printable(label), _LABEL_WIDTH) for label in found if label)


def _tags(row: ResultRow, beside: Mapping[str, Annotations]) -> str:
    tags = {tag for id_ in (row.id, row.measurement_id) for tag in beside.get(id_, _NONE).tags}
    return printable(", ".join(sorted(tags)))


def _row(row: ResultRow, extra: Sequence[str]) -> Row:
    failed = row.verdict is Verdict.FAIL
    cells = (
        printable(row.measurement_id[:_ID_LENGTH]),
        printable(row.id[:_ID_LENGTH]),
        f"{row.created_at:%Y-%m-%d %H:%M}",
        printable(row.task_label),
        (FAILED_MARK if failed else "") + _rate(row),
        str(row.run_count) if row.run_count else ABSENT,
        row.verdict.value if row.verdict else ABSENT,
        shorten(printable(row.target_path), _PLACE_WIDTH),
        *extra,
    )
    return Row(cells, Tone.FAILED if failed else Tone.PLAIN)


def _rate(row: ResultRow) -> str:
    """The rate with half its interval, so that no figure stands alone."""
    rate, low, high = row.rate_bytes_per_s, row.rate_low_bytes_per_s, row.rate_high_bytes_per_s
    if rate is None:
        return ABSENT
    if low is None or high is None or not rate:
        return f"{format_rate(rate)} ({'single run' if row.run_count == 1 else 'no interval'})"
    if row.run_count == 2:
        return f"{format_rate(rate)} (2 runs)"  # they have a range, and no interval
    return f"{format_rate(rate)} ± {percent((high - low) / 2 / rate)}"
