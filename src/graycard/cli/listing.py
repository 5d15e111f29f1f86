"""Stored results as a page: the list, and what is written beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from graycard.cli.chosen import group_id, in_list_order
from graycard.cli.screen import counted
from graycard.cli.why_page import stored_why_page
from graycard.codec import Document, encode, pretty_pieces
from graycard.model import Action, Annotations, Result, Verdict
from graycard.model.diagnosis import Case, Layer
from graycard.report.figures import ABSENT
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Block, Column, Field, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.report.results import results_page
from graycard.store import DiagnosisRow, ResultRow, Store
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
_TASK_WIDTH = 48
# The table has little room.
_SHORT_LAYERS = {Layer.NONE.value: "no layer", Layer.NOT_JUDGED.value: "no verdict"}
# Eight of sixteen hexadecimal digits: enough to tell 10,000 results apart with a risk of 1 %.
_ID_LENGTH = 8
NOTHING_STORED = "Nothing is stored yet; graycard measure PATH makes the first result."
NOTHING_FOUND = "No stored result is such; graycard results list shows them."
_NONE = Annotations()
Listed = ResultRow | DiagnosisRow


def among(store: Store, rows: Sequence[ResultRow], diagnoses: Sequence[DiagnosisRow], limit: int) -> tuple[Listed, ...]:
    """The newest `limit` of both: measurements and diagnoses by their time, tasks in the order of the plan."""
    both: list[Listed] = [*rows, *diagnoses]
    newest = sorted(both, key=lambda row: row.created_at, reverse=True)[:limit]
    times: dict[str, datetime] = {}
    for row in newest:
        times.setdefault(group_id(row), row.created_at)
    results = in_list_order(store, [row for row in newest if isinstance(row, ResultRow)])
    listed: list[Listed] = [*results, *(row for row in newest if isinstance(row, DiagnosisRow))]
    return tuple(sorted(listed, key=lambda row: times[group_id(row)], reverse=True))


def outlines(store: Store, listed: Sequence[Listed], beside: dict[str, Annotations]) -> Iterator[bytes]:
    """What is listed as a document in pieces, without what is long: runs, and the timelines of diagnoses."""
    results = (store.outline(row.id) for row in listed if isinstance(row, ResultRow))
    whole = (store.diagnosis(row.id) for row in listed if isinstance(row, DiagnosisRow))
    cases = (replace(case, evidence=replace(case.evidence, timelines=())) for case in whole if case)
    return pretty_pieces(
        Document(annotations=beside), {"diagnoses": map(encode, cases), "results": map(encode, results)}
    )


def rows_page(rows: Sequence[Listed], beside: Mapping[str, Annotations], nothing: str = NOTHING_STORED) -> Page:
    """One row a result or diagnosis, with label and tags of it or of its measurement; `nothing` where there is none."""
    if not rows:
        return (Note(nothing, Tone.QUIET),)
    labels, tags = [_label(row, beside) for row in rows], [_tags(row, beside) for row in rows]
    extra = [(column, cells) for column, cells in ((_LABEL, labels), (_TAGS, tags)) if any(cells)]
    columns = (*_COLUMNS, *(column for column, _ in extra))
    return (Table(columns, tuple(_row(row, [cells[place] for _, cells in extra]) for place, row in enumerate(rows))),)


def annotated_page(results: Sequence[Result], beside: Mapping[str, Annotations], cases: Sequence[Case] = ()) -> Page:
    """The results and diagnoses as a page, each followed by what is written beside it."""
    page: list[Block] = []
    for measurement_id, group in groupby(results, key=lambda result: result.measurement_id):
        found = tuple(group)
        page.extend(results_page(found))
        page.extend(_fields(beside.get(measurement_id, _NONE), ""))
        for result in found:
            page.extend(_fields(beside.get(result.id, _NONE), f" of {printable(result.task.label)}"))
    for case in cases:
        page.extend((*stored_why_page(case), *_fields(beside.get(case.id, _NONE), "")))
    return tuple(page)


def _fields(annotations: Annotations, of: str) -> list[Field]:
    label = [Field(f"label{of}", printable(annotations.label))] if annotations.label else []
    tags = [Field(f"tags{of}", printable(", ".join(annotations.tags)))] if annotations.tags else []
    return [*label, *tags, *(Field(f"note{of}", printable(note)) for note in annotations.notes)]


def _label(row: Listed, beside: Mapping[str, Annotations]) -> str:
    found = (beside.get(id_, _NONE).label for id_ in dict.fromkeys((row.id, group_id(row))))
    return ", ".join(shorten(printable(label), _LABEL_WIDTH) for label in found if label)


def _tags(row: Listed, beside: Mapping[str, Annotations]) -> str:
    tags = {tag for id_ in (row.id, group_id(row)) for tag in beside.get(id_, _NONE).tags}
    return printable(", ".join(sorted(tags)))


def _row(row: Listed, extra: Sequence[str]) -> Row:
    if isinstance(row, DiagnosisRow):
        return Row((*_diagnosis(row), *extra))
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


def _diagnosis(row: DiagnosisRow) -> tuple[str, ...]:
    """The command stands where results have their id, the tool and the layer where they have their task."""
    way = "" if row.action == Action.SEND else " from"
    layer = _SHORT_LAYERS.get(row.layer, row.layer)
    rate = "" if row.rate_bytes_per_s is None else format_rate(row.rate_bytes_per_s)
    return (
        printable(row.id[:_ID_LENGTH]),
        printable(row.command),
        f"{row.created_at:%Y-%m-%d %H:%M}",
        shorten(f"{printable(row.tool)}{way}: {layer}", _TASK_WIDTH),
        f"{rate} ({counted(row.run_count, 'run')})" if rate and row.run_count else ABSENT,
        ABSENT,
        ABSENT if row.is_whole else "ended early",
        shorten(printable(row.place), _PLACE_WIDTH),
    )


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
