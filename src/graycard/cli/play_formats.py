"""What users write after --format: a format, how many streams of it, and whether it is recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graycard.errors import PlanProblem
from graycard.media import Format, format_named
from graycard.model import Operation
from graycard.play import Kind

_DIRECTIONS = {"play": Operation.READ, "record": Operation.WRITE}
# The number is the last thing: 1920x1080 is a size, and "…/25x4" four streams of 25 fps.
_MANY = re.compile(r"(?P<format>.+?)\s*[x×*]\s*(?P<count>[0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One --format. `count` None: not said. `operation` None: not said."""

    format: Format
    count: int | None
    operation: Operation | None


def wanted(text: str) -> Wanted:
    """A format as “prores-422-hq/uhd/25”, “…x4” for four streams, “…:record” for a recording. PlanProblem otherwise."""
    words, operation = _direction(text)
    try:
        return Wanted(format_named(words), None, operation)
    except PlanProblem:
        match = _MANY.fullmatch(words)
        if match is None:
            raise
    count = int(match["count"])
    if not count:
        raise PlanProblem(f"“{text}” has no stream; write at least x1")
    return Wanted(format_named(match["format"]), count, operation)


def _direction(text: str) -> tuple[str, Operation | None]:
    words, colon, direction = text.rpartition(":")
    if not colon:
        return text, None
    if direction not in _DIRECTIONS:
        raise PlanProblem(f"“{direction}” in “{text}” is no direction; write :record or :play")
    return words, _DIRECTIONS[direction]


def kind_of(asked: Wanted, *, records: bool, file_per_frame: bool | None, count: int | None) -> Kind:
    """The kind of stream; what the format itself does not say is as the other options do.

    Frames are files of their own where the format has them so (DPX, EXR, DNG), unless that is said otherwise.
    """
    operation = asked.operation or (Operation.WRITE if records else Operation.READ)
    per_frame = asked.format.has_file_per_frame if file_per_frame is None else file_per_frame
    return Kind(
        asked.format.key,
        asked.format.rate,
        asked.format.frame_bytes,
        operation,
        asked.count if asked.count is not None else count,
        per_frame,
    )
