"""Reads diskspd's text and XML; reads and writes of a mix become a result each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.importers import diskspd_text, diskspd_xml
from graycard.importers.diskspd_span import TOOL, Span, results
from graycard.importers.imported import measurement_id
from graycard.importers.rows import bounded
from graycard.importers.text import lines
from graycard.model import Result

_TEXT = re.compile(
    r"thread \| {1,20}bytes {1,20}\| {1,20}I/Os|Results for timespan {1,4}\d|(Error generating I/O requests|"
    r"There has been an error during threads execution)"
)
_XML = re.compile(r"<Results>\s{0,99}<(?:System|Profile|TimeSpan)>|<!DOCTYPE\s{1,9}Results\b")
_END = "</Results>"
_NOTHING = "diskspd's file holds no timespan in which bytes were read or written: repeat the measurement"
_FAILED = "diskspd failed (“{}”): set right what it says above that, and measure again"


class DiskspdImporter:
    """diskspd 2, as text and as XML (-Rxml), several outputs in one file."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether there is a table of diskspd's, or the beginning of its XML."""
        text = lines(head).whole
        return bool(_TEXT.search(text) or _XML.search(text))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results; ImportProblem where there is none, and for XML that is damaged or could do harm."""
        found = bounded(_results(data), TOOL)
        if not found:
            raise ImportProblem(_NOTHING)
        return found


def _results(data: bytes) -> Iterator[Result]:
    for number, span in enumerate(_spans(data), 1):
        # A measurement of its own each, for loads differ or repeat.
        yield from results(span, measurement_id(data, TOOL, number), 1)


def _spans(data: bytes) -> tuple[Span, ...]:
    text = lines(data)
    if not _XML.search(text.whole):
        failure = _TEXT.search(text.whole)
        if failure and failure[1]:
            raise ImportProblem(_FAILED.format(failure[1]))
        return diskspd_text.parse(text)
    if text.whole.count(_END) < 2:
        return diskspd_xml.parse(data)
    documents = (part + _END for part in text.whole.split(_END)[:-1])
    return tuple(span for document in documents for span in diskspd_xml.parse(document.strip().encode()))
