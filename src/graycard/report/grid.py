"""A table in lines: one line a row where the width allows it, else two, else one line a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.report.page import Column, Row, Table, Tone
from graycard.report.printable import cell_width, pad
from graycard.report.span import Line, Span, wrap

_INDENT = "    "
_Placed = tuple[int, Column, int]  # index of the cell, its column, its width in cells


def table_lines(table: Table, width: int) -> tuple[Line, ...]:
    """The first of the three layouts that fits into `width` cells."""
    placed = _place(table)
    first = [each for each in placed if not each[1].second]
    second = [each for each in placed if each[1].second]
    if _total(placed) <= width:
        return (_head(placed), *(_row(row, placed) for row in table.rows))
    if second and max(_total(first), _second_total(second)) <= width:
        return (_head(first), *_two_line_rows(table.rows, first, second))
    return tuple(line for row in table.rows for line in _stack(row, table.columns, width))


def _place(table: Table) -> list[_Placed]:
    """The columns with their widths; one without a title and without a text takes no place."""
    placed = []
    for index, column in enumerate(table.columns):
        width = max([cell_width(column.title), *(cell_width(row.cells[index]) for row in table.rows)])
        if width:
            placed.append((index, column, width))
    return placed


def _total(placed: Sequence[_Placed]) -> int:
    return sum(width + (1 if column.joined else 2) for _, column, width in placed) - 2


def _second_total(second: Sequence[_Placed]) -> int:
    return sum(width + cell_width(column.label) + 3 for _, column, width in second) + len(_INDENT)


def _gap(column: Column, *, at_start: bool) -> str:
    if at_start:
        return ""
    return " " if column.joined else "  "


def _head(placed: Sequence[_Placed]) -> Line:
    cells = [
        _gap(column, at_start=not at) + pad(column.title, width, right=column.right)
        for at, (_, column, width) in enumerate(placed)
    ]
    return (Span("".join(cells).rstrip(), Tone.STRONG),)


def _row(row: Row, placed: Sequence[_Placed]) -> Line:
    cells = [
        _gap(column, at_start=not at) + pad(row.cells[index], width, right=column.right)
        for at, (index, column, width) in enumerate(placed)
    ]
    return (Span("".join(cells).rstrip(), row.tone),)


def _two_line_rows(rows: Sequence[Row], first: Sequence[_Placed], second: Sequence[_Placed]) -> Iterator[Line]:
    for row in rows:
        yield _row(row, first)
        cells = [
            (f"{column.label} " if column.label else "") + pad(row.cells[index], width, right=column.right)
            for index, column, width in second
            if row.cells[index]
        ]
        if cells:
            yield (Span((_INDENT + "  ".join(cells)).rstrip(), Tone.QUIET),)


def _stack(row: Row, columns: Sequence[Column], width: int) -> Iterator[Line]:
    yield from wrap((Span(row.cells[0], Tone.STRONG),), width)
    entries: list[tuple[str, str]] = []
    for column, cell in zip(columns[1:], row.cells[1:], strict=True):
        if column.joined and entries:
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {cell}".strip())
        elif cell:
            entries.append((column.title, cell))
    for title, text in entries:
        spans = (Span(title, Tone.QUIET), Span(text, row.tone)) if title else (Span(text, row.tone),)
        yield from wrap(spans, width, first=Span("  "), indent=2)
