"""A story as plain data for the template: typst gets every text as a JSON string and never as markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from graycard.report.page import Field, Note, Table, without_empty_columns
from graycard.report.printable import cell_width
from graycard.report.story import Part, Picture, Section, Story

# A word longer than this can be wider than its column: it may break after a joint of a path or a list, else anywhere.
LONG_WORD_LENGTH = 18
_JOINT = re.compile(r"(?<=[,;:/\\_=-])")
# The width of an SVG stands in its first tag.
_WIDTH = re.compile(rb'<svg [^>]*?\bwidth="([0-9.]+)"')
# Lengths tell the widest of proportional texts only roughly: of each column so many of the longest are measured.
WIDEST_COUNT = 3
# typst takes more than twice the time for a table of twice as many rows: 1,000 rows take 2.0 s whole, 1.2 s in parts.
ROWS_COUNT = 250

Data = dict[str, Any]
Text = str | list[str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG, from top to bottom in one or more panels, and in words."""

    name: str
    title: str
    says: str
    panels: tuple[bytes, ...]

    def key(self, number: int) -> str:
        """The name under which the template finds a panel."""
        return f"chart-{self.name}-{number}"

    def shares(self) -> tuple[float, ...]:
        """How wide each panel is beside the widest: side by side they keep one scale."""
        found = (_WIDTH.search(panel) for panel in self.panels)
        widths = [float(width[1]) if width else 1.0 for width in found]
        return tuple(width / max(widths) for width in widths)


def sheet(story: Story, drawings: Iterable[Drawing]) -> Data:
    """All texts of the template; a place without a drawing is left out."""
    pictures = {drawing.name: drawing for drawing in drawings}
    return {
        "plain_title": story.title,
        "title": soft(story.title),
        "headline": soft(story.headline),
        "lead": [_note(note) for note in story.lead],
        "figures": [
            {"name": soft(f.name), "value": f.value, "interval": f.interval, "detail": soft(f.detail), "tone": f.tone}
            for f in story.figures
        ],
        "sections": [_section(section, pictures) for section in story.sections],
        "method": [soft(sentence) for sentence in story.method],
        "colophon": [_field(field) for field in story.colophon],
    }


def soft(text: str) -> Text:
    """`text`, or its pieces where it has a word so long that a line must be able to end inside it."""
    if all(len(word) <= LONG_WORD_LENGTH for word in text.split(" ")):
        return text
    words = re.split(r"(?<= )", text)
    return [piece for word in words for piece in (_pieces(word) if len(word) > LONG_WORD_LENGTH else (word,))]


def _pieces(word: str) -> Iterator[str]:
    for atom in _JOINT.split(word):
        for start in range(0, len(atom), LONG_WORD_LENGTH):
            yield atom[start : start + LONG_WORD_LENGTH]


def _section(section: Section, pictures: Mapping[str, Drawing]) -> Data:
    """Neighbours of one kind make one block: fields a list of facts, notes a list of sentences."""
    parts = [made for kind, group in groupby(section.parts, key=type) for made in _MAKERS[kind](tuple(group), pictures)]
    return {"title": soft(section.title), "detail": soft(section.detail), "parts": parts}


def _fields(fields: Iterable[Any], _pictures: Mapping[str, Drawing]) -> Iterator[Data]:
    yield {"kind": "fields", "rows": [_field(field) for field in fields]}


def _notes(notes: Iterable[Any], _pictures: Mapping[str, Drawing]) -> Iterator[Data]:
    """A last sentence that leads to what follows is a part of its own: no page ends after it."""
    shown = list(notes)
    leads = shown.pop() if shown[-1].text.endswith(":") else None
    if shown:
        yield {"kind": "notes", "notes": [_note(note) for note in shown], "leads": False}
    if leads:
        yield {"kind": "notes", "notes": [_note(leads)], "leads": True}


def _pictures(places: Iterable[Any], pictures: Mapping[str, Drawing]) -> Iterator[Data]:
    for place in places:
        if place.chart_name in pictures:
            drawing = pictures[place.chart_name]
            panels = [{"key": drawing.key(n), "share": share} for n, share in enumerate(drawing.shares())]
            words = {"title": soft(drawing.title), "says": drawing.says, "caption": soft(place.caption)}
            yield {"kind": "picture", **words, "panels": panels}


def _tables(tables: Iterable[Any], _pictures: Mapping[str, Drawing]) -> Iterator[Data]:
    for table in tables:
        yield from _table(table)


_MAKERS: dict[type[Part], Callable[[Iterable[Any], Mapping[str, Drawing]], Iterator[Data]]] = {
    Field: _fields,
    Note: _notes,
    Picture: _pictures,
    Table: _tables,
}


def _table(whole: Table) -> Iterator[Data]:
    """The table without columns that hold nothing, in one part or several of the same columns."""
    table = without_empty_columns(whole)
    used = [
        index
        for index, column in enumerate(table.columns)
        if column.title or any(row.cells[index] for row in table.rows)
    ]
    columns = [_column(table, index) for index in used]
    rows = [{"cells": [soft(row.cells[index]) for index in used], "tone": row.tone} for row in table.rows]
    for start in range(0, max(1, len(rows)), ROWS_COUNT):
        yield {"kind": "table", "columns": columns, "rows": rows[start : start + ROWS_COUNT]}


def _column(table: Table, index: int) -> Data:
    column = table.columns[index]
    return {
        "title": soft(column.title),
        "right": column.right,
        "second": column.second,
        "label": column.label,
        "joined": column.joined,
        "widest": sorted({row.cells[index] for row in table.rows}, key=cell_width)[-WIDEST_COUNT:],
    }


def _field(field: Field) -> list[Text]:
    return [soft(field.name), soft(field.value), soft(field.source)]


def _note(note: Note) -> Data:
    return {"mark": note.mark, "text": soft(note.text), "tone": note.tone}
