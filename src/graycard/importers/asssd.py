"""Reads the text of AS SSD Benchmark, in both of its views: MB/s and iops.

Its MB are MiB and its GB GiB: 2468.65 "MB/s" and 154.29 iops of 16 MiB are the same run. It bypasses the cache and
writes incompressible data, each test once. Access times are of 512 bytes, one request at a time; the iops view shows
them as 1 ÷ time. The date is in the user's own order: where day and month cannot be told apart, it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers.diskmark_results import within_link
from graycard.importers.imported import (
    LOCAL_TIME,
    UNKNOWN_TIME,
    Figures,
    imported,
    measurement_id,
    result_id,
    stated_time,
)
from graycard.importers.rows import bounded, refuse_long
from graycard.importers.text import lines, number, whole_number
from graycard.model import Cache, Check, Durability, Fact, IoTask, Operation, Origin, Pattern, Result

TOOL = "AS SSD Benchmark"
MIB = 1 << 20
_HEADER = re.compile(r"\bAS[ _-]?SSD Benchmark ?v?(\d[\d.]{0,30})?", re.IGNORECASE)
_KEY = re.compile(r"^(Name|Firmware|Controller|Date|Datum) ?: ?(.{1,300})$")
# A test's name may stand before its figure where lines ran together, as in "4K: Read: 60.63 MB/s".
_TOKEN = re.compile(
    r"(?P<sequential>\bSeq[a-z]{0,12}\b|\b16 ?MB\b)|(?P<threads>\b4K ?- ?64)|(?P<small>\b4K\b)"
    r"|(?P<access>\b(?:Access|Acc\.|Zugriff)|\b512 ?B\b)|(?P<score>\bScore\b)|(?P<other>\b(?:Copy|ISO|Program|Game)\b)"
    r"|(?P<way>\b(?:Read|Write|Lesen|Schreiben|Total)) ?: ?(?P<figure>[^\s:=]{1,40})(?![=\w])"
    r"(?: (?P<unit>MB/s|ms|iops))?",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(\d{1,2})([./-])(\d{1,2})[./-](\d{4})(?:,? (\d{1,2})[:.](\d{2})[:.](\d{2})(?: ?([AP])\.?M)?)?", re.IGNORECASE
)
# Names of Windows' drivers for SATA in AHCI mode: NVMe drives have others.
_AHCI = re.compile(r"\b(?:storahci|msahci|iaStorA|iaStorAC|amd_?sata|amdahci|asahci\w*)\b", re.IGNORECASE)
_THREADS_COUNT = 64
_DATE_UNCLEAR = "Day and month of the date “{}” cannot be told apart, so it is left out."
_MEBIBYTES = "AS SSD calls 1,048,576 bytes a MB; it is corrected here."
_FROM_TIME = "AS SSD tells the time of an access alone: operations and rate are made from it."
_STALE = "No other test of this drive was run, so the access time may be that of the drive tested before it."


@dataclass(frozen=True, slots=True)
class _Load:
    pattern: Pattern
    block_bytes: int
    thread_count: int = 1


_LOADS: dict[str, _Load] = {
    "sequential": _Load(Pattern.SEQUENTIAL, 16 * MIB),
    "small": _Load(Pattern.RANDOM, 4096),
    "threads": _Load(Pattern.RANDOM, 4096, _THREADS_COUNT),
    "access": _Load(Pattern.RANDOM, 512),
}


@dataclass(frozen=True, slots=True)
class _Row:
    line_number: int
    test: str
    operation: Operation
    value: float | None
    unit: str


@dataclass(slots=True)
class _Document:
    version: str | None
    keys: dict[str, str] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)
    points: list[str] = field(default_factory=list)


class AsSsdImporter:
    """AS SSD Benchmark 1 and 2, with points or commas, in any order of the date."""

    name = "asssd"

    def recognises(self, head: bytes) -> bool:
        """Whether a text has the program's header and one of its tests."""
        whole = lines(head).whole
        header = _HEADER.search(whole) if "benchmark" in whole.lower() else None
        return bool(header and re.search(r"(?:Read|Lesen|Firmware) ?:", whole[header.end() :]))

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
            raise ImportProblem("AS SSD's text holds no line with a result: copy the whole text")
        return results


def _documents(data: bytes) -> tuple[_Document, ...]:
    found: list[_Document] = []
    test: str | None = None
    for line in lines(data):
        text = " ".join(line.text.split())
        if not text:
            continue
        if header := _HEADER.search(text):
            found.append(_Document(header[1]))
            test = None
        elif found and (key := _KEY.match(text)):
            found[-1].keys.setdefault(key[1], key[2])
        elif found:
            test = _take(found[-1], text, line.number, test)
    return tuple(found)


def _take(document: _Document, text: str, line_number: int, test: str | None) -> str | None:
    """Add the figures of a line; gives the test whose figures follow."""
    for match in _TOKEN.finditer(text):
        way = match["way"]
        if not way:
            test = next((name for name in (*_LOADS, "score") if match[name]), None)
        elif test == "score":
            document.points.append(match["figure"])
        elif test and way != "Total":
            operation = Operation.READ if way[0].lower() in "rl" else Operation.WRITE
            unit = (match["unit"] or "").lower()
            document.rows.append(_Row(line_number, test, operation, _value(match["figure"], unit), unit))
    return test


def _value(figure: str, unit: str) -> float | None:
    """The figure. Operations are whole or have two decimals: three digits behind a mark are thousands."""
    whole = whole_number(figure) if unit == "iops" else None
    return number(figure) if whole is None else float(whole)


def _results(document: _Document, whole: str) -> Iterator[Result]:
    score = f"score {'/'.join(document.points)}" if document.points else None
    origin = Origin(TOOL, document.version, None, score)
    created_at, remark = _moment(document.keys.get("Date") or document.keys.get("Datum") or "")
    facts = tuple(_facts(document))
    stale = not any(row.value for row in document.rows if row.test in {"small", "threads"})
    for count, row in enumerate(document.rows, 1):
        figures = _figures(row)
        yield imported(
            result_id(whole, count),
            origin,
            _task(row),
            figures,
            measurement=whole,
            created_at=created_at,
            facts=facts,
            checks=tuple(_checks(document, figures)),
            caveats=(*_caveats(row, stale=stale), *((remark,) if remark else ())),
            trouble=_trouble(row) if row.value is None or not row.unit else None,
        )


def _trouble(row: _Row) -> str:
    return f"Line {row.line_number} gives no figure that can be read: the text is damaged or cut short there."


def _task(row: _Row) -> IoTask:
    load = _LOADS[row.test]
    return IoTask(
        operation=row.operation,
        pattern=load.pattern,
        block_bytes=load.block_bytes,
        span_bytes=load.block_bytes,
        depth_count=load.thread_count,
        worker_count=load.thread_count,
        cache=Cache.BYPASS,
        durability=Durability.NONE,
        compressible_ratio=0.0,
        unstated=("span_bytes", "time_ns", "durability"),
    )


def _figures(row: _Row) -> Figures:
    block_bytes, value = _LOADS[row.test].block_bytes, row.value
    if not value or not row.unit:
        return Figures(rate_bytes_per_s=None)
    if row.unit == "ms":
        return Figures(rate_bytes_per_s=block_bytes * 1e3 / value, ops_per_s=1e3 / value, mean_latency_ns=value * 1e6)
    if row.unit == "iops":
        return Figures(rate_bytes_per_s=value * block_bytes, ops_per_s=value)
    return Figures(rate_bytes_per_s=value * MIB, stated_bytes_per_s=value * 1e6)


def _caveats(row: _Row, *, stale: bool) -> Iterator[str]:
    if row.unit == "mb/s":
        yield _MEBIBYTES
    if row.unit == "ms":
        yield _FROM_TIME
        if stale:
            yield _STALE


def _checks(document: _Document, figures: Figures) -> Iterator[Check]:
    told = document.keys.get("Name", "")
    if _AHCI.search(document.keys.get("Controller", "")):
        told += " SATA"
    if figures.rate_bytes_per_s and (check := within_link(told, figures.rate_bytes_per_s)):
        yield check


def _facts(document: _Document) -> Iterator[Fact]:
    for key, name in (("Name", "device_model"), ("Firmware", "device_firmware"), ("Controller", "driver")):
        # What people black out stands in brackets.
        if document.keys.get(key, "[").strip()[0] != "[":
            yield fact(name, document.keys[key], f"AS SSD: {key}")


def _moment(text: str) -> tuple[datetime, str | None]:
    """The time, and what must be said of it. Only slashes leave open which comes first, and only up to the 12th."""
    if year_first := stated_time(text):
        return year_first[0], LOCAL_TIME if year_first[1] else None
    match = _DATE.search(text)
    if not match:
        return UNKNOWN_TIME, None
    first, mark, second = int(match[1]), match[2], int(match[3])
    if mark == "/" and first <= 12 and second <= 12 and first != second:
        return UNKNOWN_TIME, _DATE_UNCLEAR.format(text.strip())
    day, month = (first, second) if second <= 12 else (second, first)
    try:
        return datetime(int(match[4]), month, day, *_clock(match), tzinfo=UTC), LOCAL_TIME
    except ValueError:
        return UNKNOWN_TIME, None


def _clock(match: re.Match[str]) -> tuple[int, int, int]:
    hour, minute, second = (int(part) for part in match.group(5, 6, 7)) if match[5] else (0, 0, 0)
    half = (match[8] or "").upper()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "P" else 0)
    return hour, minute, second
