"""What a report tells, in plain printable strings, before it is decided whether as a web page, on paper or as Markdown.

Story   headline, figures, sections (Field, Table, Note and Picture blocks of page.py), method, colophon
"""

from __future__ import annotations

from dataclasses import dataclass

from graycard.report.page import Field, Note, Table, Tone


@dataclass(frozen=True, slots=True)
class Picture:
    """The place of the chart of that name (`Chart.name`); left out where charts are not drawn.

    `caption` tells how to read it, or is empty; the chart's own title stands above it.
    """

    chart_name: str
    caption: str = ""


Part = Field | Table | Note | Picture


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One figure to be shown large: "Sequential read", "2100 MB/s", "± 3 %", "2040 to 2160 MB/s, 7 runs"."""

    name: str
    value: str
    interval: str
    detail: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under its own title; `detail` stands in a quieter line below the title.

    `key` is unique in a story and made of letters, digits and hyphens: an anchor.
    """

    key: str
    title: str
    detail: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A whole report in words. Every text in it is printable (printable.py) and none is markup.

    `lead` are a few sentences under the headline; `method` three sentences; `colophon` version, seeds, dates and the
    command that repeats the measurement.
    """

    title: str
    headline: str
    lead: tuple[Note, ...]
    figures: tuple[KeyFigure, ...]
    sections: tuple[Section, ...]
    method: tuple[str, ...]
    colophon: tuple[Field, ...]
