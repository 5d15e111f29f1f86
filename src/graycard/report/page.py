"""A page: what is to be shown, before it is decided whether as text, in colour or as Markdown.

    Page   Heading, Field, Table and Note blocks, in order

Every text in a block is already printable (printable.py): the pages are the border where foreign text is made safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How a piece of text is meant; a terminal may show it as a colour, and no meaning depends on the colour alone."""

    PLAIN = "plain"
    STRONG = "strong"
    FAILED = "failed"
    CAVEAT = "caveat"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line above what follows; `detail` stands in a quieter line below it.

    `level` is its depth in a long document (1 for the title), 0 where it only names what follows.
    """

    text: str
    detail: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class Field:
    """One fact: its name, its value and where that comes from."""

    name: str
    value: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Where the table is too wide, the `second` columns move to a second line of the row,
    each after its `label`. `joined` columns stand one blank after the column before and share its title.
    """

    title: str
    right: bool = False
    second: bool = False
    label: str = ""
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row, as many as the table has columns."""

    cells: tuple[str, ...]
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def without_empty_columns(table: Table) -> Table:
    """The table without the columns in which no row says anything, nor what is joined to them."""
    says = [any(row.cells[place] for row in table.rows) for place in range(len(table.columns))]
    starts = [place for place, column in enumerate(table.columns) if not column.joined]
    ends = [*starts[1:], len(says)]
    kept = [
        place for start, end in zip(starts, ends, strict=True) if any(says[start:end]) for place in range(start, end)
    ]
    if not kept or len(kept) == len(says):
        return table
    rows = tuple(Row(tuple(row.cells[place] for place in kept), row.tone) for row in table.rows)
    return Table(tuple(table.columns[place] for place in kept), rows)


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence, after a mark such as "FAILED" or "caveat"."""

    text: str
    tone: Tone = Tone.PLAIN
    mark: str = ""


Block = Heading | Field | Table | Note
Page = tuple[Block, ...]
