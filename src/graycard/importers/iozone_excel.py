"""iozone's reports for a spreadsheet: as text behind its table (-R), and as a file of Excel 2 (-b).

A report is a title, a row of record sizes, and a row for each file size: the size, and a figure for each record size.
The file is BIFF2 ("Microsoft Excel File Format", records 2 INTEGER, 3 NUMBER, 4 LABEL); its first cell is the command.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence

from graycard.importers.imported import sane
from graycard.importers.iozone_tests import REPORTS, TOOL, Figure, Settings, Test, Unit
from graycard.importers.rows import count, short_figure
from graycard.importers.text import Line

_BEGIN = b"\x09\x00\x04\x00\x02\x00\x10\x00"
_INTEGER, _NUMBER, _LABEL, _END = 2, 3, 4, 10
_TITLE = re.compile(r"\"?([A-Za-z][A-Za-z -]{3,20}) report\"?", re.IGNORECASE)
_WORD = re.compile(r"\"(\d{1,12})\"|([^\s\"]{1,40})")

Cell = str | float


class Reports:
    """Reads reports row by row."""

    def __init__(self) -> None:
        self._test: Test | None = None
        self._records: list[int | None] | None = None

    def row(self, cells: Sequence[Cell], line: int, unit: Unit) -> Iterator[Figure]:
        """The figures of a row. A title begins a report, a row with other text or nothing ends it."""
        if not cells or isinstance(cells[0], str):
            title = _TITLE.fullmatch(str(cells[0]).strip()) if len(cells) == 1 else None
            self._test, self._records = REPORTS.get(title[1].lower()) if title else None, None
        elif self._test and self._records is None:
            self._records = [_kib(cell) for cell in cells]
        elif self._test:
            for record, value in zip(self._records or (), cells[1:], strict=False):
                yield Figure(self._test, _kib(cells[0]), record, float(value), unit)


def line_cells(line: Line) -> tuple[Cell, ...]:
    """The cells of a line of a report as text: its title alone, or numbers. Text that is neither gives one cell."""
    text = line.text.strip()
    words = [match[1] or match[2] for match in _WORD.finditer(text)]
    if not words or not all("0" <= word[0] <= "9" for word in words):
        return (text,) if text else ()
    return tuple(short_figure(word, TOOL, line.number) for word in words)


def is_workbook(head: bytes) -> bool:
    """Whether this is a file of Excel 2 as iozone writes it."""
    return head.startswith(_BEGIN) and (b"iozone" in head[:1024] or b"Writer Report" in head)


def workbook(data: bytes, settings: Settings) -> tuple[Figure, ...]:
    """All figures of the file; its settings are taken in. Rows that are damaged are left out with their report."""
    reports, figures = Reports(), list[Figure]()
    for number, cells in enumerate(_rows(_records(data)), 1):
        if number == 1 and isinstance(cells[0], str):
            settings.read_command(cells[0])
        elif all(isinstance(cell, str) or sane(cell, "") for cell in cells):
            figures += reports.row(cells, number, settings.unit)
    return tuple(figures)


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 0
    while position + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, position)
        if kind == _END:
            return
        yield kind, data[position + 4 : position + 4 + length]
        position += 4 + length


def _rows(records: Iterable[tuple[int, bytes]]) -> Iterator[list[Cell]]:
    """The cells row by row, in the order of the file."""
    row, cells = -1, list[Cell]()
    for kind, body in records:
        cell = _cell(kind, body)
        if cell is None:
            continue
        at = struct.unpack_from("<H", body)[0]
        if at != row and cells:
            yield cells
            cells = []
        row = at
        cells.append(cell)
    if cells:
        yield cells


def _cell(kind: int, body: bytes) -> Cell | None:
    """The value of a cell: behind row, column (2 bytes each) and attributes (3)."""
    if kind == _NUMBER and len(body) >= 15:
        return float(struct.unpack_from("<d", body, 7)[0])
    if kind == _INTEGER and len(body) >= 9:
        return float(struct.unpack_from("<H", body, 7)[0])
    if kind == _LABEL and len(body) >= 8:
        return body[8:].partition(b"\0")[0].decode("latin-1")
    return None


def _kib(cell: Cell) -> int | None:
    return count(str(int(cell))) if isinstance(cell, float) else None
