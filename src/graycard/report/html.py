"""A report as one web page that needs nothing else, no network and no script: for screens, phones, the dark and paper.

story, charts → views (plain values) → templates/report.html with autoescape → bytes
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from types import ModuleType
from typing import Any

from graycard.errors import Problem
from graycard.model import Report
from graycard.report.charts import Chart, charts_of, svg
from graycard.report.charts.theme import DARK
from graycard.report.page import Column, Field, Note, Table, without_empty_columns
from graycard.report.story import Part, Picture, Section, Story, story_of

_COMMANDS = ("graycard measure ", "graycard why ", "graycard watch ")
# The blank between a figure and its unit, and after a plus-minus.
_UNIT = r"(?:[kKMGT]i?B(?:/s)?|[nµm]?s|min|h|%|B|Gbit/s|Mbit/s|°C|runs?)"
_LOOSE = re.compile(rf"(?<=[0-9]) (?={_UNIT}(?:\W|$))|(?<=±) | (?=±)")
MISSING = "a web page needs packages that are not installed; run: pip install 'graycard[report]'"


@dataclass(frozen=True, slots=True)
class HtmlRenderer:
    """One self-contained page; its Content-Security-Policy forbids everything but its own style."""

    name: str = "html"
    media_type: str = "text/html"

    def render(self, report: Report) -> bytes:
        """UTF-8 HTML. Problem where the extra `[report]` is not installed."""
        return page(story_of(report), charts_of(report))


def page(story: Story, charts: Sequence[Chart]) -> bytes:
    """The page of a story with those of `charts` that it has a place for."""
    jinja2 = _jinja2()
    loader = jinja2.PackageLoader("graycard.report", "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["tied"] = tied
    drawn = {chart.name: chart for chart in charts}
    sections = [section for each in story.sections if (section := _section(each, drawn))]
    template = environment.get_template("report.html")
    whole: str = template.render(story=story, sections=sections, colophon=_rows(story.colophon), dark=DARK)
    return whole.encode()


def tied(text: str) -> str:
    """A text whose figures keep their units on their line: "2100 MB/s", "± 3 %"."""
    return _LOOSE.sub("\u00a0", text)


def _section(section: Section, drawn: dict[str, Chart]) -> dict[str, Any] | None:
    """A section as blocks; None where nothing of it is left without its pictures."""
    blocks = [block for kind, own in groupby(section.parts, key=type) for block in _blocks(kind, tuple(own), drawn)]
    return {"key": section.key, "title": section.title, "detail": section.detail, "blocks": blocks} if blocks else None


def _blocks(kind: type[Part], parts: tuple[Any, ...], drawn: dict[str, Chart]) -> Iterator[dict[str, Any]]:
    """Neighbours of one kind make one block: fields a list of facts, notes a list of sentences."""
    if kind is Field:
        yield {"kind": "facts", "rows": _rows(parts)}
    elif kind is Note:
        yield {"kind": "notes", "notes": parts}
    elif kind is Table:
        tables = map(without_empty_columns, parts)
        yield from ({"kind": "table", "columns": _columns(each), "rows": list(_cells(each))} for each in tables)
    elif kind is Picture:
        yield from (_picture(each, drawn[each.chart_name]) for each in parts if each.chart_name in drawn)


def _picture(place: Picture, chart: Chart) -> dict[str, Any]:
    wide, narrow = (_inline(svg(chart, narrow=is_narrow).decode(), chart.says) for is_narrow in (False, True))
    return {"kind": "picture", "title": chart.title, "caption": place.caption, "wide": wide, "narrow": narrow}


def _inline(drawing: str, says: str) -> Any:
    """The drawing inside the page, as one picture with its words; the drawing itself escapes what stands in it."""
    rest = drawing.removeprefix("<svg ")
    return _jinja2().filters.Markup(f'<svg role="img" aria-label="{escape(says)}" {rest}')


def _columns(table: Table) -> list[Column]:
    return [column for column in table.columns if not column.joined]


def _cells(table: Table) -> Iterator[dict[str, Any]]:
    """The cells of each row with what stands joined to them, under their columns."""
    for row in table.rows:
        cells: list[list[str]] = []
        for column, cell in zip(table.columns, row.cells, strict=True):
            if column.joined:
                cells[-1].append(cell)
            else:
                cells.append([cell])
        told = zip(_columns(table), cells, strict=True)
        yield {"tone": row.tone, "cells": [{"column": column, "texts": texts} for column, texts in told]}


def _rows(fields: Sequence[Field]) -> list[dict[str, Any]]:
    """Facts by name; a field without a name goes on with the one before."""
    rows: list[dict[str, Any]] = []
    for field in fields:
        if field.name or not rows:
            rows.append({"name": field.name, "values": []})
        rows[-1]["values"].append({"text": field.value, "command": field.value.startswith(_COMMANDS)})
    return rows


def _jinja2() -> ModuleType:
    try:
        import jinja2
    except ImportError:
        raise Problem(MISSING) from None
    return jinja2
