"""Tables of speeds by block size in Markdown, as people keep them of iozone (sbc-bench and its kin).

    | Block Size (KB) | Sequential Read (MB/s) | Sequential Write (MB/s) | Random Read (MB/s) | Random Write (MB/s) |
    |-----------------|------------------------|-------------------------|--------------------|---------------------|
    |        4        |         24.59          |          13.89          |       17.15        |        20.63        |

Such a table tells neither its tool nor its settings, nor what its MB are: they are taken as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graycard.errors import ImportProblem
from graycard.importers.imported import Figures, imported, measurement_id, result_id
from graycard.importers.rows import MOST_COUNT, bounded, figure, refuse_long
from graycard.importers.text import Line, Text, lines, number
from graycard.model import Durability, IoTask, Operation, Origin, Pattern, Result

TOOL = "table"
_BLOCK = re.compile(r"^(?:block|record|chunk) ?(?:size|length)? ?\((k|ki|m|mi)?b(?:ytes)?\)$", re.IGNORECASE)
_COLUMN = re.compile(
    r"^(?:(seq|sequential|rand|random)\.? )?(read|write)s? ?[(\[](k|m|g|ki|mi|gi)?b/s(?:ec)?[)\]]$", re.IGNORECASE
)
_BINARY = {"": 1, "k": 2**10, "m": 2**20}
_RATES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_UNSTATED = ("span_bytes", "depth_count", "worker_count", "cache", "durability", "compressible_ratio", "byte_limit")
_UNKNOWN = "The table tells neither its tool nor whether its MB are 10^6 or 2^20 bytes: they are taken as 10^6."


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column holds: `unit` bytes/s."""

    operation: Operation
    pattern: Pattern | None
    unit: int
    is_decimal: bool


@dataclass(frozen=True, slots=True)
class _Head:
    """The head of a table: its block sizes are of `unit` bytes."""

    unit: int
    columns: tuple[_Column | None, ...]


class MarkdownTableImporter:
    """A table of speeds by block size, of whatever tool."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a line is the head of such a table."""
        text = lines(head)
        return "|" in text.whole and any(_head(line.text) for line in text)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each cell; ImportProblem where there is none."""
        refuse_long(data, TOOL)
        whole = measurement_id(data, TOOL)
        cells = enumerate(_cells(lines(data)), 1)
        found = bounded((_result(column, cell, whole, count) for count, (column, cell) in cells), TOOL)
        if not found:
            raise ImportProblem("The table has no row of figures below its head: copy the whole table")
        return found


@dataclass(frozen=True, slots=True)
class _Cell:
    block_bytes: int
    text: str
    line: Line


def _cells(text: Text) -> Iterator[tuple[_Column, _Cell]]:
    head: _Head | None = None
    for line in text:
        if found := _head(line.text):
            head = found
            continue
        cells = _split(line.text)
        if head and not cells:
            head = None
        block = number(cells[0]) if head and cells else None
        if not head or not block or not 1 <= block * head.unit <= MOST_COUNT:
            continue
        for column, cell in zip(head.columns, cells[1:], strict=False):
            if column and cell.strip("- "):
                yield column, _Cell(round(block * head.unit), cell, line)


def _head(text: str) -> _Head | None:
    cells = _split(text)
    block = _BLOCK.match(cells[0]) if cells else None
    if not block:
        return None
    columns = tuple(_column(cell) for cell in cells[1:])
    return _Head(_BINARY[(block[1] or "").lower()[:1]], columns) if sum(map(bool, columns)) > 1 else None


def _column(text: str) -> _Column | None:
    match = _COLUMN.match(text)
    if not match:
        return None
    unit = (match[3] or "").lower()
    named = {"s": Pattern.SEQUENTIAL, "r": Pattern.RANDOM}.get((match[1] or " ")[0].lower())
    return _Column(Operation(match[2].lower()), named, _RATES[unit], not unit.endswith("i"))


def _split(text: str) -> list[str]:
    words = text.strip()
    return [cell.strip(" *`") for cell in words.strip("|").split("|")] if words.count("|") > 1 else []


def _result(column: _Column, cell: _Cell, whole: str, count: int) -> Result:
    pattern = column.pattern
    # Marks of thousands and of decimals are both used in tables that people write.
    rate = number(cell.text)
    if rate is None:
        rate = figure(cell.text, TOOL, cell.line.number)
    return imported(
        result_id(whole, count),
        Origin(TOOL, None, None),
        IoTask(
            column.operation,
            pattern or Pattern.SEQUENTIAL,
            cell.block_bytes,
            cell.block_bytes,
            byte_limit=cell.block_bytes,
            durability=Durability.NONE,
            unstated=(*_UNSTATED, *(() if pattern else ("pattern",))),
        ),
        Figures(rate_bytes_per_s=rate * column.unit),
        measurement=whole,
        caveats=(_UNKNOWN,) if column.is_decimal else (),
    )
