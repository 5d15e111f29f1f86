"""The rows of iozone's table: which figure is of which test.

Tests that were not run leave blanks, in the middle too. The command line tells which ran; without it the places of the
figures do: each column ends at a fixed place, and wide figures may touch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from graycard.errors import ImportProblem
from graycard.importers.iozone_tests import TESTS, TOOL, Test
from graycard.importers.rows import count, short_figure
from graycard.importers.text import Line

_HEADER = re.compile(r"(\s{0,99}k?K?B {1,12}reclen)( {1,12})write {1,12}rewrite {1,12}read {1,12}reread")
_ROW = re.compile(r"\s{0,99}(\d{1,12})\s{1,99}(\d{1,12})(?=\s|$)")
# Widths of the columns, by the blanks between "reclen" and "write" in the header: iozone 3.327, and 3.430 to 3.489.
_WIDTHS = {3: (8, 8, 9, 9, 8, 8, 8, 9, 9, 9, 9, 8, 9), 4: (9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9)}

Cell = tuple[Test, float]


class Table:
    """One table, from its header on. `columns` are those of the tests that ran, None where that is not known."""

    def __init__(self, header: re.Match[str], columns: tuple[Test, ...] | None) -> None:
        widths = _WIDTHS.get(len(header[2]), ())
        self._edges = tuple(pairwise(accumulate(widths, initial=header.end(1)))) if widths else ()
        self._columns = columns

    @classmethod
    def at(cls, line: Line, columns: tuple[Test, ...] | None) -> Table | None:
        """The table that begins with this line; None where none does."""
        header = _HEADER.match(line.text)
        return cls(header, columns) if header else None

    def row(self, line: Line) -> tuple[int, int, tuple[Cell, ...]] | None:
        """Size of the file and of the record in KiB, and the figures; None for a line that is no row.

        ImportProblem where it cannot be told which figure is of which test.
        """
        match = _ROW.match(line.text)
        span, record = (count(match[1]), count(match[2])) if match else (None, None)
        if not match or not span or not record:
            return None
        return span, record, tuple(self._cells(line, line.text[match.end() :].split(), match.end()))

    def _cells(self, line: Line, words: Sequence[str], end: int) -> list[Cell]:
        if not words:
            return []
        for columns in (self._columns, TESTS):
            if columns and len(words) == len(columns):
                return [
                    (test, short_figure(word, TOOL, line.number)) for test, word in zip(columns, words, strict=True)
                ]
        return self._placed(line, end)

    def _placed(self, line: Line, end: int) -> list[Cell]:
        """The figures by the places where they end."""
        texts = [line.text[first:last] for first, last in self._edges]
        # A figure that a column cuts in two ends in a blank, or has one inside.
        split = any(text.strip() and not text.lstrip().isdigit() for text in texts)
        if not self._edges or end != self._edges[0][0] or split or line.text[self._edges[-1][1] :].strip():
            raise ImportProblem(
                f"Line {line.number} of iozone's table does not tell which of its {len(TESTS)} columns are filled: "
                "import the whole output, with its blanks or the line “Command line used”"
            )
        return [
            (test, short_figure(text, TOOL, line.number))
            for test, text in zip(TESTS, texts, strict=True)
            if text.strip()
        ]
