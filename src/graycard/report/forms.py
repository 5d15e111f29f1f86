"""The forms of a whole report, by the extension of the file that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graycard.codec import ReportDocument, encode, streamed
from graycard.model import Report, Result
from graycard.protocols import Renderer
from graycard.report.charts.choice import charted
from graycard.report.csv_table import CsvRenderer
from graycard.report.groups import groups
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
        """UTF-8 JSON, a result a line; of a diagnosis what `why --json` prints."""
        if report.diagnosis is not None:
            return encode(report.diagnosis) + b"\n"
        return b"".join(self.pieces(report, map(encode, report.results)))

    def pieces(self, report: Report, results: Iterable[bytes]) -> Iterator[bytes]:
        """The same of results, these given as JSON."""
        whole = ReportDocument(
            title=report.title,
            comparisons=report.comparisons,
            histories=report.histories,
            notes=report.notes,
        )
        return streamed(whole, {"results": results})


def drawn_ids(form: str, results: Sequence[Result]) -> frozenset[str]:
    """The ids of those of `results` of which the form shows more than their figures: ticks, latencies, monitor series.

    Of all others it is enough to know what the runs counted (`Store.figures`). What holds every run comes in pieces.
    """
    if form in _DRAWN:
        return frozenset(result.id for group in charted(groups(results)) for result in group.results)
    return frozenset()


# Forms with charts.
_DRAWN = {"html", "pdf"}
FORMS: tuple[Renderer, ...] = (
    HtmlRenderer(),
    PdfRenderer(),
    ReportMarkdown(),
    CsvRenderer(),
    ReportJson(),
    ReportText(),
)
