"""Reads tframetest: text, CSV with and without header, and its list of single frames."""

from __future__ import annotations

from graycard.errors import ImportProblem
from graycard.importers import frame_text
from graycard.importers.frame_tests import result
from graycard.importers.imported import measurement_id
from graycard.importers.rows import bounded
from graycard.importers.text import lines
from graycard.importers.vframetest import is_vframetest
from graycard.model import Result

TOOL = "tframetest"


class TframetestImporter:
    """tframetest, up to 3025.10.2."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a text is tframetest's, and not its descendant's."""
        return not is_vframetest(head) and frame_text.is_own(lines(head))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each test; ImportProblem where there is none."""
        whole = measurement_id(data, TOOL)
        found = frame_text.tests(lines(data))
        if not found:
            raise ImportProblem("tframetest's text holds no finished test: let it end and keep the whole output")
        return bounded((result(test, TOOL, whole, count) for count, test in enumerate(found, 1)), TOOL)
