"""Reads elbencho's CSV, JSON lines and text; each phase that moved bytes becomes a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.importers.elbencho_files import CSV_HEADER, JSON_START, csv_phases, json_phases
from graycard.importers.elbencho_phase import TOOL, Phase, results
from graycard.importers.elbencho_text import HEADER, parse
from graycard.importers.rows import bounded, opened
from graycard.importers.text import lines
from graycard.model import Result

_JSON = re.compile(r"^[ \t>]{0,16}" + re.escape(JSON_START), re.MULTILINE)
_CSV = re.compile(r"^[ \t>]{0,16}" + re.escape(CSV_HEADER), re.MULTILINE)
_FAILED = re.compile(r"^ERROR: (.{1,300})$", re.MULTILINE)
_HEAD_BYTES = 1 << 18
_EMPTY = "elbencho's file has no phase that read or wrote: it failed or was stopped; look at what it said, and repeat"


class ElbenchoImporter:
    """elbencho 1 to 3: --csvfile, --jsonfile, --resfile or what it prints."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether there is a header of elbencho's CSV or text, or its JSON."""
        text = lines(head).whole
        return bool(_CSV.search(text) or _JSON.search(text) or HEADER.search(text))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results; ImportProblem where there are none, or a line is cut short."""
        return self.read_stream(BytesIO(data), "")

    def read_stream(self, file: BinaryIO, name: str) -> tuple[Result, ...]:
        """As `read`, line by line."""
        head = lines(file.read(_HEAD_BYTES)).whole
        file.seek(0)
        whole, table = opened(file, TOOL)
        if _CSV.search(head):
            phases: Iterable[Phase] = csv_phases(table)
        elif _JSON.search(head):
            phases = json_phases(table)
        else:
            phases = parse(table)
        found = bounded(_results(whole, phases), TOOL)
        if not found:
            # The first errors are of single requests, the last one names the file.
            failures = _FAILED.findall(head)
            raise ImportProblem(
                f"elbencho failed (“{failures[-1]}”): put that right and repeat" if failures else _EMPTY
            )
        return found


def _results(whole: str, phases: Iterable[Phase]) -> Iterator[Result]:
    made = 0
    for phase in phases:
        for result in results(phase, whole, made + 1):
            made += 1
            yield result
