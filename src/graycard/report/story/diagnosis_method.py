"""How a diagnosis was made in three sentences, and what it takes to repeat it."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Case
from graycard.report.page import Field
from graycard.report.printable import printable
from graycard.report.why import cost_words

_MEASURED = (
    "Each layer was measured alone in short runs in turns, with the same bytes and in the direction of the copy; then "
    "one copy was made while {ends} four times a second, on one clock, and each quarter of a second is put down to "
    "what it was spent on."
)
_WATCHED = (
    "A copy that another program made was watched: {ends} four times a second, each quarter of a second is put down to "
    "what it was spent on, and nothing was measured beside it, so what each layer would reach alone is not known."
)
_JUDGED = (
    "Every rule looks at its own figures, a figure that is missing is never a cause, and of several causes the one "
    "that costs most against the next ceiling stands first."
)
_SURE = (
    "An answer is likely until a change, tried in pairs without it and with it, confirms it; an interval is from the "
    "lowest to the highest run, and a single run says so."
)


def method_of(case: Case) -> tuple[str, ...]:
    """Three sentences."""
    ends = "both ends were sampled" if case.evidence.far else "this end was sampled"
    return ((_WATCHED if case.command == "watch" else _MEASURED).format(ends=ends), _JUDGED, _SURE)


def colophon_of(case: Case) -> Iterator[Field]:
    """When, with what, of what, and the command that asks the same again."""
    yield Field("Measured", f"{case.created_at:%Y-%m-%d %H:%M} UTC")
    yield Field("With", printable(f"graycard {case.tool_version}"))
    yield Field("Share" if case.command == "why" else "Watched", printable(case.place))
    yield Field("Server", printable(case.server) if case.server else "nobody looked at it")
    if case.seed is not None:
        yield Field("Seed", str(case.seed))
    if words := cost_words(case.cost):
        yield Field("Looking took", words)
    yield Field("To repeat", printable(case.repeat))
    yield Field("Stored as", printable(case.id))
