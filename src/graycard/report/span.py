"""Pieces of a line with their tone, and the wrapping of them by terminal cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graycard.report.page import Tone
from graycard.report.printable import cell_width


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


Line = tuple[Span, ...]


def plain(line: Line) -> str:
    """The line without its tones and without blanks at the end."""
    return "".join(span.text for span in line).rstrip()


def wrap(spans: Line, width: int, *, first: Span | None = None, indent: int = 0) -> Iterator[Line]:
    """The words of `spans` in lines of at most `width` cells: `first` begins the first, `indent` blanks the rest."""
    room = max(width - indent, 8)
    line: list[Span] = [first] if first else []
    used = 0
    for word in _words(spans, room):
        taken = cell_width(word.text)
        if used and used + 1 + taken > room:
            yield tuple(line)
            line, used = [Span(" " * indent)] if indent else [], 0
        line.append(Span(f" {word.text}", word.tone) if used else word)
        used += taken + (1 if used else 0)
    yield tuple(line)


def _words(spans: Line, room: int) -> Iterator[Span]:
    for span in spans:
        for word in span.text.split(" "):
            for piece in _pieces(word, room):
                yield Span(piece, span.tone)


def _pieces(word: str, room: int) -> Iterator[str]:
    """The word, or where it is wider than `room` its pieces, broken after a comma or a slash if there is one."""
    if cell_width(word) <= room:
        if word:
            yield word
        return
    piece = ""
    for atom in re.split(r"(?<=[,;/])", word):
        for part in (atom,) if cell_width(atom) <= room else atom:
            if cell_width(piece + part) > room:
                yield piece
                piece = ""
            piece += part
    yield piece
