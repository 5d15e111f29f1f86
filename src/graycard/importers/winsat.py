"""Reads what Windows' `winsat disk` and `winsat formal` print of the drive.

The names of the tests stay English in every language of Windows; those of the latencies do not. A test lasts about a
second. What winsat calls MB is not documented, so decimal ones are taken. Latencies stand in the text for themselves,
of reads beside writes, and belong to no rate: they are told with the random reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers.imported import NO_TARGET, Figures, imported, measurement_id, result_id
from graycard.importers.rows import bounded, refuse_long
from graycard.importers.text import lines, number
from graycard.model import Fact, IoTask, Operation, Origin, Pattern, Result, Target, TargetKind

TOOL = "winsat"
_RATE = re.compile(
    r"\bDisk (Random|Sequential) (\d{1,5}(?:[.,]\d)?) (Read|Write) ?:? ?([^\s]{1,30}) MB/s", re.IGNORECASE
)
# What most files of other tools have not; to search without regard to capitals takes long.
_MARKS = ("Random", "Sequential", "random", "sequential")
_SIGN = re.compile(r"\bDisk {1,8}(?:Random|Sequential) {1,8}\d{1,5}(?:[.,]\d)? {1,8}(?:Read|Write)\b", re.IGNORECASE)
_STEP = re.compile(r"'((?:-[^'\n]{0,200})?)'$")
_DRIVE = re.compile(r"-drive ([A-Za-z])\b", re.IGNORECASE)
_DISK = re.compile(r"-n (\d{1,4})\b")
_TOOK = re.compile(r" (\d{2}):(\d{2}):(\d{2}[.,]\d{1,3})$", re.ASCII)
_LATENCY = re.compile(r"^(.{1,80}?) ?:? (\d[\d.,]{0,20}) ms(?: [\d.,]{1,5})?$")
_UNIT = "winsat does not say whether its MB are 1,000,000 or 1,048,576 bytes: the rate may be 4.9 % higher."
_BRIEF = "The test lasted {} s, which a cache can answer alone."
_BRIEF_S = 10.0
_NOT_OF_THIS = "The latencies are those that winsat gives for reads beside writes, not of this test: {}."
_UNSTATED = ("span_bytes", "depth_count", "time_ns", "cache", "durability", "compressible_ratio")


@dataclass(frozen=True, slots=True)
class _Row:
    line_number: int
    pattern: Pattern
    operation: Operation
    block_bytes: int
    value: float | None


@dataclass(slots=True)
class _Document:
    """What one run of winsat printed. `steps` are its options, as "-drive c -ran -read", and how long each took."""

    drive: str | None = None
    rows: list[_Row] = field(default_factory=list)
    latencies_ms: list[tuple[str, float]] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)


class WinsatImporter:
    """winsat of Windows 7 to 11, in any language."""

    name = "winsat"

    def recognises(self, head: bytes) -> bool:
        """Whether a text has one of winsat's tests of a drive."""
        whole = lines(head).whole
        return any(mark in whole for mark in _MARKS) and bool(_SIGN.search(whole))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results in the text; ImportProblem where it holds none."""
        refuse_long(data, self.name)
        file = measurement_id(data, self.name).encode()
        numbered = enumerate(_documents(data), 1)
        results = bounded(
            (result for count, document in numbered for result in _results(document, measurement_id(file, count))),
            self.name,
        )
        if not results:
            raise ImportProblem("winsat's text holds no line with a rate: copy the lines that begin with “Disk”")
        return results


def _documents(data: bytes) -> Iterator[_Document]:
    """A step after figures, or a test for the second time, begins another run."""
    document, options = _Document(), ""
    for line in lines(data):
        text = " ".join(line.text.split())
        if not text:
            continue
        step, row = _STEP.search(text), _row(text, line.number)
        again = row and any(_load(each) == _load(row) for each in document.rows)
        if document.rows and (step or again):
            yield document
            document = _Document()
        if step:
            options = step[1].strip()
            document.drive = _drive(step[1]) or document.drive
        elif row:
            document.rows.append(row)
        elif options and "-hybrid" not in options and (took := _TOOK.search(text)):
            document.steps.append((options, took[3].replace(",", ".")))
            options = ""
        elif document.rows and (latency := _LATENCY.match(text)):
            value = number(latency[2])
            document.latencies_ms.extend([(latency[1], value)] if value is not None else [])
    if document.rows:
        yield document


def _row(text: str, line_number: int) -> _Row | None:
    match = _RATE.search(text)
    if not match:
        return None
    return _Row(
        line_number,
        Pattern.RANDOM if match[1][0] in "Rr" else Pattern.SEQUENTIAL,
        Operation.READ if match[3][0] in "Rr" else Operation.WRITE,
        round((number(match[2]) or 0) * 1024) or 1024,
        number(match[4]),
    )


def _load(row: _Row) -> tuple[Pattern, Operation, int]:
    return row.pattern, row.operation, row.block_bytes


def _drive(words: str) -> str | None:
    if drive := _DRIVE.search(words):
        return f"{drive[1].upper()}:"
    disk = _DISK.search(words)
    return f"PhysicalDrive{disk[1]}" if disk else None


def _results(document: _Document, whole: str) -> Iterator[Result]:
    target = Target(document.drive, TargetKind.FOLDER) if document.drive else NO_TARGET
    for count, row in enumerate(document.rows, 1):
        rate = None if row.value is None else row.value * 1e6
        latencies = _latencies(document) if _load(row)[:2] == (Pattern.RANDOM, Operation.READ) else {}
        yield imported(
            result_id(whole, count),
            Origin(TOOL, None, None),
            _task(row),
            Figures(rate_bytes_per_s=rate, latency_ns=latencies),
            measurement=whole,
            target=target,
            facts=tuple(_facts(document)),
            caveats=tuple(_caveats(document, row, has_latency=bool(latencies))),
            trouble=None if row.value is not None else _trouble(row),
        )


def _trouble(row: _Row) -> str:
    return f"Line {row.line_number} gives no rate that can be read: the text is damaged there."


def _task(row: _Row) -> IoTask:
    task = IoTask(row.operation, row.pattern, row.block_bytes, row.block_bytes)
    return replace(task, unstated=_UNSTATED)


def _latencies(document: _Document) -> dict[float, float]:
    """The 95th percentile and the maximum, which is the next of the same first word: "Latency: …", "延迟: …"."""
    times = document.latencies_ms
    for (name, value), (next_name, next_value) in pairwise(times):
        if "95" in name and next_name.split(":")[0] == name.split(":")[0]:
            return {95.0: value * 1e6, 100.0: next_value * 1e6}
    return {}


def _caveats(document: _Document, row: _Row, *, has_latency: bool) -> Iterator[str]:
    yield _UNIT
    asked = {"-ran" if row.pattern is Pattern.RANDOM else "-seq", f"-{row.operation.value}"}
    took = next((float(seconds) for options, seconds in document.steps if asked <= set(options.split())), None)
    if took is not None and took < _BRIEF_S:
        yield _BRIEF.format(f"{took:g}")
    if has_latency:
        yield _NOT_OF_THIS.format("; ".join(f"{name} {value:g} ms" for name, value in document.latencies_ms))


def _facts(document: _Document) -> Iterator[Fact]:
    if document.steps:
        yield fact("engine_settings", ", ".join(options for options, _ in document.steps), "winsat: Running")
