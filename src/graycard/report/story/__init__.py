"""The story of a report: what HTML, PDF and Markdown all tell, in plain strings."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model import Report
from graycard.report.groups import groups
from graycard.report.printable import printable, short_name, shorten
from graycard.report.story.comparing import comparison_sections, rates_section
from graycard.report.story.diagnosis import story_of_case
from graycard.report.story.enough import enough_sections
from graycard.report.story.headline import headline, lead
from graycard.report.story.key_figures import key_figures
from graycard.report.story.measurements import measurement_sections
from graycard.report.story.method import colophon, method
from graycard.report.story.over_time import history_sections
from graycard.report.story.parts import KeyFigure, Part, Picture, Section, Story

__all__ = ["KeyFigure", "Part", "Picture", "Section", "Story", "story_of"]

TITLE_WIDTH = 120


def story_of(report: Report) -> Story:
    """The story of a report. Pure; never raises for a result without runs or without a summary."""
    if report.diagnosis is not None:
        return story_of_case(report.diagnosis, report.title)
    return Story(
        title=shorten(printable(report.title), TITLE_WIDTH) or _title(report),
        headline=headline(report),
        lead=tuple(lead(report)),
        figures=key_figures(report),
        sections=tuple(_sections(report)),
        method=method(report),
        colophon=tuple(colophon(report)),
    )


def _title(report: Report) -> str:
    """The names of the set-ups, as far as they are few."""
    found = groups(report.results)
    names = list(dict.fromkeys(group.arm for group in found))
    if not names and report.histories:
        return short_name(report.histories[0].device)
    return ", ".join(names) if 0 < len(names) <= 3 else "Storage measurements"


def _sections(report: Report) -> Iterator[Section]:
    found = groups(report.results)
    yield from comparison_sections(report.comparisons)
    if len(found) > 1 and any(result.summary for result in report.results):
        yield rates_section(report)
    yield from enough_sections(report, found)
    yield from measurement_sections(found)
    yield from history_sections(report.histories)
