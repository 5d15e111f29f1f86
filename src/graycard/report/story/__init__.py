"""The story of a report: what HTML, PDF and Markdown all tell, in plain strings."""

from graycard.model import Report
from graycard.report.printable import printable
from graycard.report.story.parts import KeyFigure, Part, Picture, Section, Story

__all__ = ["KeyFigure", "Part", "Picture", "Section", "Story", "story_of"]


def story_of(report: Report) -> Story:
    """The story of a report. Pure; never raises for a result without runs or without a summary."""
    return Story(printable(report.title), "", (), (), (), (), ())
