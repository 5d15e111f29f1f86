"""A story as a page, for Markdown and text: its words, fields and tables; its charts are left out."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.report.page import Block, Column, Heading, Note, Page, Row, Table
from graycard.report.story import KeyFigure, Picture, Section, Story

_FIGURE_COLUMNS = (Column("Figure"), Column("Value", right=True), Column("Interval"), Column("Of"))


def story_page(story: Story) -> Page:
    """The whole story in order: headline, key figures, sections, method, and what it takes to repeat it."""
    return tuple(_blocks(story))


def _blocks(story: Story) -> Iterator[Block]:
    yield Heading(story.title or story.headline, story.headline if story.title else "", level=1)
    yield from story.lead
    if story.figures:
        yield _key_figures(story.figures)
    for section in story.sections:
        yield from _section(section)
    if story.method:
        yield Heading("How this was measured", level=2)
        yield from (Note(sentence) for sentence in story.method)
    if story.colophon:
        yield Heading("To repeat it", level=2)
        yield from story.colophon


def _key_figures(figures: tuple[KeyFigure, ...]) -> Table:
    rows = (Row((each.name, each.value, each.interval, each.detail), each.tone) for each in figures)
    return Table(_FIGURE_COLUMNS, tuple(rows))


def _section(section: Section) -> Iterator[Block]:
    """A section of pictures alone is left out."""
    parts = [part for part in section.parts if not isinstance(part, Picture)]
    if parts:
        yield Heading(section.title, section.detail, level=2)
        yield from parts
