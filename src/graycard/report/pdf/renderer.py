"""A report as PDF. The template alone is typst markup; all that is foreign reaches it as data (`sheet.py`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from types import ModuleType
from typing import Any, Self

import msgspec

from graycard.errors import Problem
from graycard.model import Report
from graycard.report.charts import Chart, charts_of, svg
from graycard.report.page import Table
from graycard.report.pdf.fonts import Face, chosen_family
from graycard.report.pdf.sheet import ROWS_COUNT, Drawing, sheet
from graycard.report.story import Picture, Story, story_of

# What typst takes instead of the time of day where nothing in the report has a date.
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PdfRenderer:
    """A4 pages with the charts of the web page. Equal reports give equal bytes on a machine with the same fonts."""

    name: str = "pdf"
    media_type: str = "application/pdf"

    def render(self, report: Report) -> bytes:
        """One PDF document. Problem where the extra `[report]` is not installed."""
        typefaces = Typefaces.of(_typst().Fonts())
        story = story_of(report)
        return paper(story, _drawings(report, story, typefaces.family), newest(report), typefaces)


@dataclass(frozen=True, slots=True)
class Typefaces:
    """The fonts that there are, in typst's own form, and the family to set in."""

    fonts: Any
    family: str

    @classmethod
    def of(cls, fonts: Any) -> Self:
        """The family is chosen from these fonts."""
        return cls(fonts, chosen_family(Face(each.family, each.style, each.weight) for each in fonts.fonts()))


def newest(report: Report) -> datetime | None:
    """When the newest figure of the report was measured: its date, so that the same figures give the same file."""
    entries = (entry for history in report.histories for era in history.eras for entry in era.entries)
    cases = (report.diagnosis,) if report.diagnosis else ()
    moments = [each.created_at for each in (*report.results, *entries, *cases)]
    return max(moments, default=None)


def paper(story: Story, drawings: tuple[Drawing, ...], dated: datetime | None, typefaces: Typefaces) -> bytes:
    """The story on A4 with these charts; nothing in it tells when or where it was set."""
    data = sheet(story, drawings) | {"family": typefaces.family, "date": f"{dated:%Y-%m-%d}" if dated else ""}
    inputs = {"data": msgspec.json.encode(data).decode()}
    for drawing in drawings:
        inputs |= {drawing.key(number): svg.decode() for number, svg in enumerate(drawing.panels)}
    template = resources.files(__package__).joinpath("paper.typ").read_bytes()
    moment = (dated or _NO_TIME).replace(microsecond=0)
    made = _typst().compile(
        template, font_paths=typefaces.fonts, sys_inputs=inputs, timestamp=moment, pdf_tags=is_tagged(story)
    )
    return bytes(made)


def is_tagged(story: Story) -> bool:
    """Whether the PDF tells programs that read it aloud what is a heading, a table, a picture.

    Not where a table comes in parts: its cells' tags would take a quarter of the time and four fifths of the file.
    """
    tables = (part for section in story.sections for part in section.parts if isinstance(part, Table))
    return all(len(table.rows) <= ROWS_COUNT for table in tables)


def _drawings(report: Report, story: Story, family: str) -> tuple[Drawing, ...]:
    """The charts that the story has a place for."""
    places = {part.chart_name for section in story.sections for part in section.parts if isinstance(part, Picture)}
    charts = (chart for chart in charts_of(report) if chart.name in places)
    return tuple(Drawing(chart.name, chart.title, chart.says, panels(chart, family)) for chart in charts)


def panels(chart: Chart, family: str) -> tuple[bytes, ...]:
    """The chart, or where it is a column of charts each of them, so that a page may end between two."""
    column = chart.specification.get("vconcat") or (chart.specification,)
    return tuple(svg(replace(chart, specification=each), font=family) for each in column)


def _typst() -> ModuleType:
    try:
        import typst
    except ImportError as error:
        raise Problem("a PDF needs packages that are not installed; run: pip install 'graycard[report]'") from error
    return typst
