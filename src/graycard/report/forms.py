"""The forms of a whole report, by the extension of the file that holds it."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.codec import ReportDocument, encode
from graycard.model import Report
from graycard.protocols import Renderer
from graycard.report.csv_table import CsvRenderer
from graycard.report.html import HtmlRenderer
from graycard.report.markdown import page_markdown
from graycard.report.pdf import PdfRenderer
from graycard.report.renderers import page_text
from graycard.report.story import story_of
from graycard.report.story_page import story_page


@dataclass(frozen=True, slots=True)
class ReportMarkdown:
    """The story with headings and tables; without charts."""

    name: str = "md"
    media_type: str = "text/markdown"

    def render(self, report: Report) -> bytes:
        """UTF-8 Markdown."""
        return page_markdown(story_page(story_of(report))).encode()


@dataclass(frozen=True, slots=True)
class ReportText:
    """The story in plain lines; without charts."""

    name: str = "txt"
    media_type: str = "text/plain"

    def render(self, report: Report) -> bytes:
        """UTF-8 text."""
        return page_text(story_page(story_of(report))).encode()


@dataclass(frozen=True, slots=True)
class ReportJson:
    """All that the report is made of, lossless; graycard reads its results back.

    Not indented: that would make a large report three times as long, and seconds slower.
    """

    name: str = "json"
    media_type: str = "application/json"

    def render(self, report: Report) -> bytes:
        """UTF-8 JSON in one line."""
        whole = ReportDocument(
            title=report.title,
            results=report.results,
            comparisons=report.comparisons,
            histories=report.histories,
            notes=report.notes,
        )
        return encode(whole) + b"\n"


FORMS: tuple[Renderer, ...] = (
    HtmlRenderer(),
    PdfRenderer(),
    ReportMarkdown(),
    CsvRenderer(),
    ReportJson(),
    ReportText(),
)
