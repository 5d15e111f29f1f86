"""A report as PDF. The template, and nothing of the report, is typst markup; everything foreign reaches it as data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from types import ModuleType

import msgspec

from graycard.errors import Problem
from graycard.model import Report
from graycard.report.charts import charts_of, svg
from graycard.report.pdf.fonts import Face, chosen_family
from graycard.report.pdf.sheet import sheet
from graycard.report.story import Picture, Story, story_of

# The date of a report without results: fixed, so that equal reports are equal files.
NO_DATE = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PdfRenderer:
    """A4 pages with the charts of the web page. Equal reports give equal bytes on a machine with the same fonts."""

    name: str = "pdf"
    media_type: str = "application/pdf"

    def render(self, report: Report) -> bytes:
        """One PDF document. Problem where the extra `[report]` is not installed."""
        typst = _typst()
        fonts = typst.Fonts()
        family = chosen_family(Face(each.family, each.style, each.weight) for each in fonts.fonts())
        inputs = paper_inputs(report, story_of(report), family)
        template = resources.files(__package__).joinpath("paper.typ").read_bytes()
        data = typst.compile(template, font_paths=fonts, sys_inputs=inputs, timestamp=_made_at(report))
        return bytes(data)


def paper_inputs(report: Report, story: Story, family: str) -> dict[str, str]:
    """What the template reads: "data" as JSON, and each drawn chart as "chart-<name>" in SVG."""
    places = {part.chart_name for section in story.sections for part in section.parts if isinstance(part, Picture)}
    drawn = [chart for chart in charts_of(report) if chart.name in places]
    data = sheet(story, {chart.name: chart.says for chart in drawn})
    data |= {"plain_title": story.title, "family": family, "date": f"{_made_at(report):%Y-%m-%d}"}
    pictures = {f"chart-{chart.name}": svg(chart, font=family).decode() for chart in drawn}
    return {"data": msgspec.json.encode(data).decode(), **pictures}


def _made_at(report: Report) -> datetime:
    """The newest result's time: a report is as old as its figures, and the same each time it is made."""
    return max((result.created_at for result in report.results), default=NO_DATE)


def _typst() -> ModuleType:
    try:
        import typst
    except ImportError as error:
        raise Problem("a PDF needs more packages: install them with pip install 'graycard[report]'") from error
    return typst
