"""A story with every kind of part in it, and looking into the PDF that it becomes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime

import pytest
import typst

from graycard.report.page import Column, Field, Note, Row, Table, Tone
from graycard.report.pdf.renderer import Typefaces, paper
from graycard.report.pdf.sheet import Drawing
from graycard.report.story import KeyFigure, Picture, Section, Story

MADE_AT = datetime(2026, 11, 30, 13, 40, 7, 123456, tzinfo=UTC)
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="120" viewBox="0 0 720 120">'
    b'<rect width="500" height="40" fill="#2468a8"/><text x="4" y="80" font-size="13">drawn words</text></svg>'
)
DRAWINGS = (Drawing("rates", "The chart's title", "Bars: ext4 is the fastest.", (SVG, SVG)),)
COLUMNS = (
    Column("Task"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("p99", right=True, second=True, label="latency p99"),
    Column("Steadiness", second=True),
)
ROW = Row(("SEQ1M QD8 read", "2104 MB/s", "± 2 %", "3.40 ms", "steady"))

needs_poppler = pytest.mark.skipif(
    not shutil.which("pdftotext") and os.environ.get("CI") != "true", reason="poppler-utils are not here"
)


def story(words: str = "words", *, rows: int = 3, title: str = "exFAT and ext4") -> Story:
    """A story whose free texts are all `words`."""
    return Story(
        title=title,
        headline=words,
        lead=(Note(words), Note(words, Tone.CAVEAT, "caveat")),
        figures=(KeyFigure(words, "2104 MB/s", "± 2 %", words), KeyFigure(words, "48.3 MB/s", "", "", Tone.FAILED)),
        sections=(
            Section("a", words, words, (Picture("rates"), Table(COLUMNS, (ROW,) * rows), Note(words, Tone.QUIET))),
            Section("b", "Set-up", "", (Field("options", words, words), Field("bus", "nvme"), Picture("missing"))),
            Section("c", "What differs", "", (Table((Column("Factor"), Column(words)), (Row((words, words)),)),)),
        ),
        method=(words, "Second sentence."),
        colophon=(Field("seed", "8123098123"),),
    )


def typefaces(*, system: bool = True) -> Typefaces:
    """Those of the machine, or typst's own alone."""
    return Typefaces.of(typst.Fonts(include_system_fonts=system))


def pdf(told: Story, *, system: bool = True) -> bytes:
    """The story on paper."""
    return paper(told, DRAWINGS, MADE_AT, typefaces(system=system))


def page_count(data: bytes) -> int:
    """As the root of the page tree tells it; typst leaves it uncompressed."""
    return max(int(count) for count in re.findall(rb"/Type/Pages/Count (\d+)", data))


def words_of(data: bytes) -> str:
    """All text, without the places where its lines end."""
    shown = subprocess.run(["pdftotext", "-raw", "-", "-"], input=data, capture_output=True, check=True).stdout
    return "".join(shown.decode().split())
