"""A page as Markdown (GitHub's tables) to paste into an issue, a forum or a wiki."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from graycard.report.page import Block, Field, Heading, Note, Page, Row, Table, Tone

# Characters that Markdown or the HTML in it would read as markup.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def page_markdown(page: Page) -> str:
    """The page as Markdown; nothing in a text of the page can become markup."""
    parts = ["\n".join(lines) for kind, group in groupby(page, key=type) for lines in _group(kind, list(group))]
    return "\n\n".join(parts) + "\n"


def _group(kind: type[Block], blocks: list[Block]) -> Iterator[list[str]]:
    """Fields make one table, notes one list, each other block stands alone."""
    if kind is Field:
        yield [*_head(("Fact", "Value", "Source"), (False,) * 3), *map(_line, blocks)]
    elif kind is Note:
        yield [_line(block) for block in blocks]
    else:
        for block in blocks:
            yield _table(block) if isinstance(block, Table) else [_line(block)]


def _line(block: Block) -> str:
    match block:
        case Heading() if block.level:
            return (
                "#" * block.level + f" {escape(block.text)}" + (f"\n\n{escape(block.detail)}" if block.detail else "")
            )
        case Heading():
            return f"**{escape(block.text)}**" + (f"  \n{escape(block.detail)}" if block.detail else "")
        case Field():
            return _cells((block.name, block.value, block.source))
        case Note():
            mark = f"**{block.mark}** " if block.tone is Tone.FAILED and block.mark else f"{block.mark} "
            return f"- {mark.lstrip()}{escape(block.text)}"
        case Table():
            return "\n".join(_table(block))


def escape(text: str) -> str:
    """`text` so that Markdown shows it as it is."""
    return _MARKUP.sub(r"\\\1", text)


def _table(table: Table) -> list[str]:
    """Joined columns share the cell of the column before them."""
    kept = [column for column in table.columns if not column.joined]
    head = _head(tuple(column.title for column in kept), tuple(column.right for column in kept))
    return [*head, *(_cells(_merged(table, row)) for row in table.rows)]


def _merged(table: Table, row: Row) -> tuple[str, ...]:
    cells: list[str] = []
    for column, cell in zip(table.columns, row.cells, strict=True):
        if column.joined:
            cells[-1] = f"{cells[-1]} {cell}".rstrip()
        else:
            cells.append(cell)
    return tuple(cells)


def _head(titles: tuple[str, ...], right: tuple[bool, ...]) -> list[str]:
    rule = " | ".join("---:" if is_right else "---" for is_right in right)
    return [_cells(titles), f"| {rule} |"]


def _cells(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(escape(cell) for cell in cells)} |"
