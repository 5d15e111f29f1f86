"""A page as lines for a terminal or for pasting: columns aligned, sentences wrapped, never wider than asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graycard.report.grid import table_lines
from graycard.report.page import Block, Field, Heading, Note, Page, Table, Tone
from graycard.report.printable import cell_width, pad, shorten
from graycard.report.span import Line, Span, wrap

# Marks stand in a column of their own: "FAILED", "caveat", "note".
_MARK_WIDTH = 9


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What all blocks of one page share: the page's width and the width of its column of names, in cells."""

    width: int
    name_width: int


def page_lines(page: Page, width: int) -> tuple[Line, ...]:
    """The page in lines of at most `width` cells (a word longer than a line is cut in pieces)."""
    names = [cell_width(block.name) for block in page if isinstance(block, Field)]
    sheet = _Sheet(width, min(max(names, default=0), width // 3))
    lines: list[Line] = []
    before: Block | None = None
    for block in page:
        if before is not None and _is_apart(before, block):
            lines.append(())
        lines.extend(_block_lines(block, sheet))
        before = block
    return tuple(lines)


def _is_apart(before: Block, block: Block) -> bool:
    if isinstance(before, Heading):
        return isinstance(block, Table) or (isinstance(block, Heading) and bool(before.detail))
    return type(before) is not type(block) or isinstance(block, (Heading, Table))


def _block_lines(block: Block, sheet: _Sheet) -> Iterator[Line]:
    match block:
        case Heading():
            yield (Span(shorten(block.text, sheet.width), Tone.STRONG),)
            if block.detail:
                yield from wrap((Span(block.detail, Tone.QUIET),), sheet.width)
        case Field():
            yield from _field_lines(block, sheet)
        case Table():
            yield from table_lines(block, sheet.width)
        case Note():
            yield from _note_lines(block, sheet.width)


def _field_lines(field: Field, sheet: _Sheet) -> Iterator[Line]:
    first = Span("  " + pad(field.name, sheet.name_width) + "  ")
    source = (Span(f"[{field.source}]", Tone.QUIET),) if field.source else ()
    yield from wrap((Span(field.value), *source), sheet.width, first=first, indent=sheet.name_width + 4)


def _note_lines(note: Note, width: int) -> Iterator[Line]:
    if not note.mark:
        yield from wrap((Span(note.text, note.tone),), width)
        return
    indent = max(_MARK_WIDTH, cell_width(note.mark) + 1)
    first = Span(pad(note.mark, indent), note.tone)
    tone = Tone.QUIET if note.tone is Tone.QUIET else Tone.PLAIN
    yield from wrap((Span(note.text, tone),), width, first=first, indent=indent)
