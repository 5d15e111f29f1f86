"""What `graycard why` and `graycard watch` show: the diagnosis, and what looking cost."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Case
from graycard.report.page import Block, Note, Page, Tone
from graycard.report.printable import printable
from graycard.report.why import ENDED_EARLY, cost_words, diagnosis_page


def why_page(case: Case) -> Page:
    """The diagnosis, what failed, and what looking cost."""
    return tuple(_blocks(case))


def stored_why_page(case: Case) -> Page:
    """The same of one that is stored: which one it is stands below."""
    of = f"graycard {case.command} of {case.place}, {case.created_at:%Y-%m-%d %H:%M} UTC: {case.id}"
    return (*why_page(case), Note(printable(of), Tone.QUIET))


def _blocks(case: Case) -> Iterator[Block]:
    if not case.is_whole:
        yield Note(ENDED_EARLY, Tone.CAVEAT)
    yield from diagnosis_page(case.diagnosis)
    yield from (Note(printable(sentence), Tone.CAVEAT) for sentence in case.says)
    if words := cost_words(case.cost):
        yield Note(f"Looking took {words}.", Tone.QUIET)
