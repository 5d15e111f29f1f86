"""Long tables: read line by line, and never more results of them than memory holds.

def read_stream(self, file, name):
    whole, table = opened(file, "bonnie++")         # the measurement's id, and the lines
    return bounded(self._results(whole, table), "bonnie++")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.importers.imported import measurement_id
from graycard.importers.text import Line, lines, number, stream_lines, whole_number
from graycard.model import Result

# A result takes about 3 kB of memory.
MOST_RESULTS = 20_000
# More than any size, count or time in nanoseconds that storage knows (1 EiB, 36 years), and far below 64 bits.
MOST_COUNT = 1 << 60
# Far above what is merely absurd and kept with a check that fails, and far below where arithmetic overflows.
_MOST_FIGURE = 1e24
# Up to this size a file is read whole, in any encoding; larger ones are what the tool itself has written.
_WHOLE_BYTES = 4 << 20


def opened(file: BinaryIO, tool: str) -> tuple[str, Iterator[Line]]:
    """The id of the file's measurement, and its lines. `file` is at its beginning."""
    head = file.read(_WHOLE_BYTES + 1)
    if len(head) <= _WHOLE_BYTES:
        return measurement_id(head, tool), iter(lines(head))
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return measurement_id(head, tool, size), stream_lines(file, tool)


def bounded(results: Iterable[Result], tool: str) -> tuple[Result, ...]:
    """All of the results; ImportProblem where there are more than MOST_RESULTS."""
    found: list[Result] = []
    for result in results:
        found.append(result)
        limit(len(found), tool)
    return tuple(found)


def refuse_long(data: bytes, tool: str) -> None:
    """Refuse by ImportProblem what is longer than a text that people copy: for readers that hold all of it."""
    if len(data) > _WHOLE_BYTES:
        raise ImportProblem(f"The file is too long to be {tool}'s: cut out the part that holds the figures")


def limit(result_count: int, tool: str, most: int = MOST_RESULTS) -> None:
    """Refuse by ImportProblem what would give more than `most` results: for readers that hold more than a line."""
    if result_count > most:
        raise ImportProblem(f"The file holds more than {most} results of {tool}: cut it into several files")


def figure(text: str, tool: str, line: int) -> float:
    """A printed figure; ImportProblem with the line's number for what is none, as "nan", or has 25 digits and more."""
    found = number(text, ".")
    if found is None or abs(found) > _MOST_FIGURE:
        raise ImportProblem(f"Line {line} of {tool}'s output has “{text.strip()[:40]}” for a figure: get the file anew")
    return found


def short_figure(text: str, tool: str, line: int) -> float:
    """As `figure`, of a tool that never prints three decimals: "1.024", "1,024" and "1 024" are all 1024."""
    found = whole_number(text)
    return figure(text, tool, line) if found is None else float(found)


def optional_figure(text: str, tool: str, line: int) -> float | None:
    """As `figure`; None where nothing is printed."""
    return figure(text, tool, line) if text.strip() else None


def count(text: str) -> int | None:
    """A whole number above 0 that a size, a count or a time can be; None for anything else."""
    found = whole_number(text)
    return found if found and found <= MOST_COUNT else None


def size(text: str, factor: int = 1) -> int | None:
    """Bytes above 0 of a number, whole or not, of units of `factor` bytes; None for anything else."""
    found = number(text, ".")
    return int(found * factor) or None if found and 0 < found <= MOST_COUNT / factor else None


def duration_ns(text: str, factor: float = 1e9) -> int | None:
    """Nanoseconds above 0 of a number of units of `factor` ns, which are seconds; None for anything else."""
    found = number(text, ".")
    return round(found * factor) or None if found and 0 < found <= MOST_COUNT / factor else None


def half_step(text: str) -> float:
    """Half of the last digit of a printed number: 0.05 for "88.6" or "88,6", 0.5 for "133"."""
    decimals = len(text.replace(",", ".").partition(".")[2])
    return float(0.5 * 10.0**-decimals)
