"""The renderers: a report as JSON, as Markdown and as text."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.codec import Document, pretty
from graycard.model import Report
from graycard.protocols import Renderer
from graycard.report.lines import page_lines
from graycard.report.markdown import page_markdown
from graycard.report.page import Page
from graycard.report.results import results_page
from graycard.report.span import plain

# Wide enough for a row of figures in one line; forums and mail scroll it.
PASTE_WIDTH = 120


def page_text(page: Page, width: int = PASTE_WIDTH) -> str:
    """The page as plain lines of at most `width` cells."""
    return "".join(f"{plain(line)}\n" for line in page_lines(page, width))


@dataclass(frozen=True, slots=True)
class JsonRenderer:
    """The whole data of the results, lossless: `{"schema": "graycard/1", "results": […]}`."""

    name: str = "json"
    media_type: str = "application/json"

    def render(self, report: Report) -> bytes:
        """UTF-8 JSON, indented."""
        return pretty(Document(results=report.results))


@dataclass(frozen=True, slots=True)
class MarkdownRenderer:
    """Tables to paste into an issue or a wiki."""

    name: str = "markdown"
    media_type: str = "text/markdown"

    def render(self, report: Report) -> bytes:
        """UTF-8 Markdown."""
        return page_markdown(results_page(report.results, report.title)).encode()


@dataclass(frozen=True, slots=True)
class TextRenderer:
    """A plain table of at most `width_count` terminal cells."""

    name: str = "text"
    media_type: str = "text/plain"
    width_count: int = PASTE_WIDTH

    def render(self, report: Report) -> bytes:
        """UTF-8 text."""
        return page_text(results_page(report.results, report.title), self.width_count).encode()


RENDERERS: tuple[Renderer, ...] = (JsonRenderer(), MarkdownRenderer(), TextRenderer())
