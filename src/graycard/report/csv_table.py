"""A report as one tidy table for spreadsheets and statistics: a row for each run, its result's figures beside it.

RFC 4180: commas, CRLF, quotes where they are needed; decimal points; times in ISO 8601, UTC; units in the columns'
names; unknown is an empty cell. The file begins with a byte order mark: without it Excel reads umlauts as garbage and
says nothing, while programs that do not expect it (most do) fail at the first column's name.

A cell that begins with = + - @ would be carried out as a formula by spreadsheets. Text from outside (paths, names,
models) that does gets an apostrophe in front (OWASP, "CSV Injection"); figures stay figures.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from graycard.model import Report, Result, escaped
from graycard.report.csv_columns import AFTER, BEFORE, COLUMNS, Cell, run_cells

BYTE_ORDER_MARK = "\ufeff"
FORMULA_SIGNS = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class CsvRenderer:
    """A row for each run; a result without runs (a figure imported without them) has one row with its own figures."""

    name: str = "csv"
    media_type: str = "text/csv"

    def render(self, report: Report) -> bytes:
        """UTF-8 with a byte order mark."""
        return b"".join(self.pieces(report.results))

    def pieces(self, results: Iterable[Result]) -> Iterator[bytes]:
        """The same, result by result. Of runs only what was counted and the latencies are looked at."""
        yield BYTE_ORDER_MARK.encode() + _lines([COLUMNS])
        for result in results:
            yield _lines(_rows(result))


def _lines(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _rows(result: Result) -> Iterator[list[str]]:
    before = [_shown(read(result)) for read in BEFORE.values()]
    after = [_shown(read(result)) for read in AFTER.values()]
    for run in result.runs or (None,):
        yield [*before, *map(_shown, run_cells(run)), *after]


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return guarded(cell) if isinstance(cell, str) else repr(cell)


def guarded(text: str) -> str:
    """The text in one printable line that no spreadsheet takes for a formula."""
    line = "".join(c if c.isprintable() else escaped(c) for c in text)
    return f"'{line}" if line.lstrip().startswith(FORMULA_SIGNS) else line
