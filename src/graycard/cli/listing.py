"""The list of stored results as a page."""

from __future__ import annotations

from collections.abc import Sequence

from graycard.model import Verdict
from graycard.report.figures import ABSENT
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Column, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
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
_PLACE_WIDTH = 32
# Eight of sixteen hexadecimal digits: enough to tell 10,000 results apart with a risk of 1 %.
_ID_LENGTH = 8


def rows_page(rows: Sequence[ResultRow]) -> Page:
    """One row a result."""
    if not rows:
        return (Note("Nothing is stored yet; graycard measure PATH makes the first result.", Tone.QUIET),)
    return (Table(_COLUMNS, tuple(_row(row) for row in rows)),)


def _row(row: ResultRow) -> Row:
    failed = row.verdict is Verdict.FAIL
    cells = (
        printable(row.measurement_id[:_ID_LENGTH]),
        printable(row.id[:_ID_LENGTH]),
        f"{row.created_at:%Y-%m-%d %H:%M}",
        printable(row.task_label),
        (FAILED_MARK if failed else "") + _rate(row),
        str(row.run_count),
        row.verdict.value if row.verdict else ABSENT,
        shorten(printable(row.target_path), _PLACE_WIDTH),
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
