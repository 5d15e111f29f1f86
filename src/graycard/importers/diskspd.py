"""Reads diskspd's text and XML; reads and writes of a mix become a result each, and both together one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.importers import diskspd_text, diskspd_xml
from graycard.importers.diskspd_span import TOOL, Span, results
from graycard.importers.imported import measurement_id
from graycard.importers.rows import bounded
from graycard.importers.text import Text, lines
from graycard.model import Result

_TEXT = re.compile(
    r"thread \| {1,20}bytes {1,20}\| {1,20}I/Os|Results for timespan {1,4}\d|(Error generating I/O requests|"
    r"There has been an error during threads execution)"
)
_XML = re.compile(r"<Results>\s{0,99}<(?:System|Profile|TimeSpan)>|<!DOCTYPE\s{1,9}Results\b")
_PROLOGUE = re.compile(r"<\?xml\b")
# A prologue may name an encoding that the decoded text does not have any more: a document begins behind it.
_DOCUMENT = re.compile(r"<!DOCTYPE\s{1,9}Results\b|<Results>")
_END = "</Results>"
_NOTHING = "diskspd's file holds no timespan in which bytes were read or written: repeat the measurement"
# A text of many outputs is held several times over while it is read: seven times its size, 300 MB at most.
MOST_BYTES = 32 << 20
_TOO_LARGE = "diskspd's file is larger than 32 MiB: cut it into several files"
_FAILED = "diskspd failed (“{}”): set right what it says above that, and measure again"


class DiskspdImporter:
    """diskspd 2, as text and as XML (-Rxml), several outputs in one file."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether there is a table of diskspd's, or the beginning of its XML."""
        text = _unquoted(lines(head))
        return bool(_TEXT.search(text) or _XML.search(text))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results; ImportProblem where there is none, and for XML that is damaged or could do harm."""
        if len(data) > MOST_BYTES:
            raise ImportProblem(_TOO_LARGE)
        found = bounded(_results(data), TOOL)
        if not found:
            raise ImportProblem(_NOTHING)
        return found


def _results(data: bytes) -> Iterator[Result]:
    whole = measurement_id(data, TOOL).encode()
    for number, span in enumerate(_spans(data), 1):
        # A measurement of its own each, for loads differ or repeat.
        yield from results(span, measurement_id(whole, number))


def _spans(data: bytes) -> Iterator[Span]:
    read = lines(data)
    text = _unquoted(read)
    if text is read.whole and (_XML.match(text.lstrip()) or _PROLOGUE.match(text.lstrip())):
        # A document from the first byte on, which names its own encoding, if it is alone.
        alone = text.count(_END) < 2 and not text.partition(_END)[2].strip()
        if alone and not _TEXT.search(text):
            yield from diskspd_xml.parse(data)
            return
    elif not _XML.search(text):
        yield from _of_text(text)
        return
    yield from _of_mixture(text)


def _unquoted(text: Text) -> str:
    """The text; without the quote marks of a forum where it begins with one."""
    return text.plain if text.whole.lstrip().startswith(">") else text.whole


def _of_text(text: str) -> tuple[Span, ...]:
    failure = _TEXT.search(text)
    if failure and failure[1]:
        raise ImportProblem(_FAILED.format(failure[1]))
    return diskspd_text.parse(lines(text.encode()))


def _of_mixture(text: str) -> Iterator[Span]:
    """Documents, and text before, between and after them, in this order."""
    position = 0
    while start := _DOCUMENT.search(text, position):
        end = text.find(_END, start.start())
        end = len(text) if end < 0 else end + len(_END)
        if _TEXT.search(text, position, start.start()):
            yield from _of_text(text[position : start.start()])
        yield from diskspd_xml.parse(text[start.start() : end].encode())
        position = end
    if _TEXT.search(text, position):
        yield from _of_text(text[position:])
