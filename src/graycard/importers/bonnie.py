"""Reads bonnie++'s CSV, one line a run, of versions 1.03 to 2.00; each test of the large file becomes a result.

Rates are KiB/s (bonnie++.cpp: K/sec of 1024 bytes), latencies the longest of any one operation. "+++++" stands for a
test of less than half a second (MinTime). Bulk tests write one repeated byte, which compresses to nothing, and end with
an fsync inside the time (both seen with 2.00a). Creating files is no rate of bytes and is left out.
The seed is the process's number mixed into the clock, so it is no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.importers.imported import Figures, imported, result_id
from graycard.importers.rows import bounded, count, figure, opened, size
from graycard.importers.text import Line, Text, lines
from graycard.model import Cache, Durability, IoTask, Operation, Origin, Pattern, Result

TOOL = "bonnie++"
TOO_FAST = (
    "bonnie++ prints +++++ for a test of less than half a second: it was too fast to measure; take a larger file."
)
_STOPPED = "bonnie++ stopped before it had measured anything (“{}”): set that right and measure again"
_NO_CSV = "bonnie++'s table for people is rounded and is not read: import the CSV, the last line of its output"
_NO_LARGE_FILE = (
    "bonnie++ was run without its large file (-s 0): it created, read and deleted small files alone, which is no rate "
    "of bytes; run it with -s and twice the size of the memory"
)
_NEW = re.compile(r"(1\.9\d|2\.\d\d)[a-z]{0,2},\d\.\d\d[a-z]{0,2},")
_OLD = re.compile(r"[^,]{0,255},\d{1,9}[MG](?::\d{1,9}k?)?,")
_CELL = re.compile(r"\+{2,5}|[\d.]*")
_TABLE = re.compile(r"^Version {1,8}[\d.]{3,6}[a-z]? .{0,8}-{4,8}Sequential (?P<of>Output|Create)-{4,8}", re.MULTILINE)
_FAILURE = re.compile(r"Can't write\(\) - disk full\?|File size should be double RAM for good results[^\n]{0,99}")
_LATENCY = re.compile(r"(\d{1,9})(us|ms|s)")
_LATENCY_NS = {"us": 1e3, "ms": 1e6, "s": 1e9}
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
# Versions from 1.96 do not tell the size of a block, even where another one was asked for (-s size:chunk).
_DEFAULT_CHUNK_BYTES = 8192
_CHUNK_ASSUMED = "The CSV does not tell the size of a block: bonnie++'s own, 8 KiB, is taken."
_SHORT_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class _Test:
    """One test, in the order of the CSV. `says` must be known to compare it."""

    name: str
    operation: Operation
    pattern: Pattern = Pattern.SEQUENTIAL
    variant: str | None = None
    says: str | None = None


_PER_CHARACTER = "One call for each character: a test of the processor, not of the drive, of a file of its own size."
_TESTS = (
    _Test("per character output", Operation.WRITE, variant="per character", says=_PER_CHARACTER),
    _Test("block output", Operation.WRITE),
    _Test(
        "rewrite",
        Operation.WRITE,
        variant="rewrite",
        says="Each block is read, changed and written back; its bytes are counted once.",
    ),
    _Test("per character input", Operation.READ, variant="per character", says=_PER_CHARACTER),
    _Test("block input", Operation.READ),
    _Test(
        "seeks",
        Operation.READ,
        Pattern.RANDOM,
        variant="seeks",
        says="bonnie++ counts seeks: each reads a block, and every tenth writes it back; the rate is seeks × block.",
    ),
)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the fields of a version are, counted from the one behind the machine's name.

    `figure` is the first of twelve, rate and processor of each test; `seekers` is the number of seeking processes.
    """

    field_count: int
    name: int
    size: int
    figure: int
    latency: int | None
    seekers: int | None = None


_LAYOUT_1_03 = _Layout(27, name=0, size=0, figure=1, latency=None)
_LAYOUT_1_96 = _Layout(48, name=2, size=2, figure=4, latency=33)
_LAYOUT_1_98 = _Layout(50, name=2, size=2, figure=6, latency=35, seekers=5)
# README of 1.03: three processes seek; the manual of 2.00: five.
_OLD_SEEKER_COUNT, _SEEKER_COUNT = 3, 5


@dataclass(frozen=True, slots=True)
class _Row:
    """One run of bonnie++. `rates` and `latencies` are as printed, one for each test."""

    line: int
    version: str | None
    span_bytes: int | None
    chunk_bytes: int | None
    copy_count: int
    seeker_count: int
    rates: Sequence[str]
    latencies: Sequence[str]


class BonnieImporter:
    """bonnie++'s CSV; lines without it are passed over."""

    name = "bonnie"

    def recognises(self, head: bytes) -> bool:
        """Whether there is a line of its CSV, or its table for people, which `read` tells of."""
        text = lines(head)
        # Most files of other tools have fewer commas than one line of it.
        own = text.whole.count(",") > len(_TESTS) and any(_layout(line.text.strip()) for line in text)
        return own or bool(_TABLE.search(text.whole) or _FAILURE.search(text.whole))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results; ImportProblem where a line is cut short or there is none."""
        return self.read_stream(BytesIO(data), "")

    def read_stream(self, file: BinaryIO, name: str) -> tuple[Result, ...]:
        """As `read`, line by line."""
        whole, table = opened(file, TOOL)
        results = bounded(_results(whole, table), TOOL)
        if not results:
            file.seek(0)
            raise ImportProblem(_why_none(lines(file.read(_SHORT_BYTES))))
        return results


def _why_none(text: Text) -> str:
    """Why there is no result: it stopped, measured no large file, or left its table alone."""
    if failure := _FAILURE.search(text.whole):
        return _STOPPED.format(failure[0])
    table = _TABLE.search(text.whole)
    only_files = (table and table["of"] == "Create") or any(_layout(line.text.strip()) for line in text)
    return _NO_LARGE_FILE if only_files else _NO_CSV


def _results(whole: str, table: Iterable[Line]) -> Iterator[Result]:
    made = 0
    for line in table:
        layout = _layout(line.text.strip())
        if not layout:
            continue
        row = _row(line, layout)
        for test, rate, latency in zip(_TESTS, row.rates, row.latencies, strict=True):
            # An empty field is a test that was not asked for.
            if rate.strip():
                made += 1
                yield _result(row, test, rate, latency, whole, made)


def _layout(line: str) -> _Layout | None:
    """The layout of a line of CSV; None for any other."""
    match = _NEW.match(line)
    if match:
        return _LAYOUT_1_98 if match[1] >= "1.98" else _LAYOUT_1_96
    fields = line.split(",", 30) if _OLD.match(line) else ()
    if len(fields) != _LAYOUT_1_03.field_count or not all(
        _CELL.fullmatch(cell) for cell in (*fields[2:14], *fields[15:])
    ):
        return None
    return _LAYOUT_1_03 if any(cell[:1].isdigit() for cell in fields[2:14]) else None


def _row(line: Line, layout: _Layout) -> _Row:
    fields = line.text.strip().split(",")
    # The name of the machine may hold commas.
    extra = len(fields) - layout.field_count
    if extra < 0:
        raise ImportProblem(
            f"Line {line.number} of bonnie++'s CSV has {len(fields)} of {layout.field_count} fields: it is cut short; "
            "get the whole line"
        )
    rest = fields[layout.name + extra + 1 :]
    span, _, chunk = rest[layout.size].partition(":")
    new = layout is not _LAYOUT_1_03
    copies = (count(rest[0]) if new else None) or 1
    seekers = count(rest[layout.seekers]) if layout.seekers else None
    return _Row(
        line=line.number,
        version=fields[1] if new else None,
        span_bytes=_bytes(span, 1 << 20),
        chunk_bytes=_bytes(chunk or (rest[3] if new else ""), 1),
        copy_count=copies,
        seeker_count=copies * (seekers or (_SEEKER_COUNT if new else _OLD_SEEKER_COUNT)),
        rates=rest[layout.figure : layout.figure + 12 : 2],
        latencies=rest[layout.latency : layout.latency + 6] if layout.latency else ("",) * len(_TESTS),
    )


def _bytes(text: str, factor: int) -> int | None:
    """Bytes of "7423M", "1G" or "64k"; a plain number is in units of `factor`."""
    unit = _UNITS.get(text[-1:].lower())
    return size(text[:-1], unit) if unit else size(text, factor)


def _result(row: _Row, test: _Test, rate: str, latency: str, whole: str, made: int) -> Result:
    found = None if "+" in rate else figure(rate, TOOL, row.line)
    seeking = test.pattern is Pattern.RANDOM
    block = row.chunk_bytes or _DEFAULT_CHUNK_BYTES
    assumed = (_CHUNK_ASSUMED,) if seeking and not row.chunk_bytes else ()
    return imported(
        result_id(whole, made),
        Origin(TOOL, row.version, None, test.name),
        _task(row, test),
        Figures(
            rate_bytes_per_s=None if found is None else found * (block if seeking else 1024),
            ops_per_s=found if seeking else None,
            latency_ns=_longest(latency),
        ),
        measurement=whole,
        caveats=(*((test.says,) if test.says else ()), *assumed),
        trouble=TOO_FAST if found is None else None,
    )


def _longest(latency: str) -> dict[float, float]:
    match = _LATENCY.fullmatch(latency.strip())
    return {100.0: int(match[1]) * _LATENCY_NS[match[2]]} if match else {}


def _task(row: _Row, test: _Test) -> IoTask:
    one_by_one = test.variant == "per character"
    workers = row.seeker_count if test.pattern is Pattern.RANDOM else row.copy_count
    unstated = ["cache"]
    if one_by_one or not row.chunk_bytes:
        unstated.append("block_bytes")
    if one_by_one or not row.span_bytes:
        unstated.append("span_bytes")
    block = row.chunk_bytes or _DEFAULT_CHUNK_BYTES
    span = row.span_bytes or block
    return IoTask(
        operation=test.operation,
        pattern=test.pattern,
        block_bytes=block,
        span_bytes=span,
        depth_count=workers,
        worker_count=workers,
        byte_limit=span,
        cache=Cache.WARM,
        durability=Durability.AT_END if test.operation is Operation.WRITE else Durability.NONE,
        compressible_ratio=1.0,
        unstated=tuple(unstated),
        variant=test.variant,
    )
