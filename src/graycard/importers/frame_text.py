"""The text and the CSV of tframetest and vframetest, which may follow each other in one file.

    Results write:                          case,profile,threads,frames,bytes,time,fps,bps,mibps,fmin,favg,fmax
     frames: 60                             "write","4K-32bit-cmp",2,24,1225261056,2342767789,10.2,522997226.5,…,
     time  : 1097147006        (ns)         frame,start,open,io,close,frame
    Completion times:                       0,6871309,6890000,26180000,26190000,26200000
     max   : 81.225138 ms

A row of tframetest ends with a comma and so with an empty field; `--no-csv-header` leaves the header out. In the list
of single frames "frame" heads two columns: the number and the end. Its times are of the system's clock, in ns.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graycard.importers.frame_tests import FrameTest
from graycard.importers.rows import MOST_COUNT, count, limit
from graycard.importers.text import Text, number
from graycard.model import Operation

_PROFILE = re.compile(r"^Profile ?: ?(\S{1,60})$")
_RESULTS = re.compile(r"^Results (\w{1,20}):$")
_ENTRY = re.compile(r"^(frames|bytes|time|fps|B/s|MiB/s|min|avg|max) ?: ?([^\s]{1,40})(?: ms)?$")
_TIMES = re.compile(r"^(Completion|Open|I/O|Close) times:$")
_COUNT = re.compile(r"^(Frames failed|Frames with Direct I/O|Frames with Buffered I/O \(fallback\)): {1,4}(\d{1,12})$")
_HEADER = "case,profile,threads,frames,bytes,time,"
_ROW = re.compile(r'^"?(read|write)"?,"?[\w. -]{1,40}"?,\d{1,6},\d{1,18},\d{1,18},\d{1,18},')
_FRAMES = "frame,start,open,io,close,frame"
_COLUMNS = (*_HEADER.rstrip(",").split(","), "fps", "bps", "mibps", "fmin", "favg", "fmax")
_MARKED = (50.0, 95.0, 99.0)


@dataclass(slots=True)
class _Reading:
    """Where in the text the reader is. `section` is "" inside the counts, else the name of the times."""

    columns: Sequence[str] = _COLUMNS
    profile: str | None = None
    section: str = ""
    test: FrameTest | None = None
    frames_ns: list[int] | None = None
    done: list[FrameTest] = field(default_factory=list)

    def begin(self, test: FrameTest) -> None:
        self.end()
        self.test, self.section = test, ""

    def end(self) -> None:
        if self.test:
            _take_frames(self.test, self.frames_ns or [])
            self.done.append(self.test)
        self.test, self.frames_ns = None, None


def is_own(text: Text) -> bool:
    """Whether there is a line that only this family of tools writes."""
    # Marks of which each of its forms has one; most files of other tools have none.
    if not any(mark in text.whole for mark in ("frame", "read,", "write,", 'read"', 'write"')):
        return False
    before = ""
    for line in text:
        words = " ".join(line.text.split())
        if words.startswith(_HEADER) or _ROW.match(words) or words == _FRAMES:
            return True
        if _RESULTS.match(before) and words.startswith("frames"):
            return True
        before = words
    return False


def tests(text: Text) -> tuple[FrameTest, ...]:
    """Every test in the text, those without figures left out."""
    reading = _Reading()
    for line in text:
        _take(reading, " ".join(line.text.split()))
        limit(len(reading.done), "frametest")
    reading.end()
    return tuple(test for test in reading.done if test.rate_bytes_per_s is not None)


def _take(reading: _Reading, line: str) -> None:
    if line.startswith(_HEADER):
        reading.columns = [name.strip() for name in line.split(",")]
    elif _ROW.match(line):
        reading.begin(_row(line, reading.columns))
    elif line == _FRAMES:
        reading.frames_ns = []
    elif reading.frames_ns is not None and line[:1].isdigit():
        reading.frames_ns.extend(_frame_ns(line))
    elif match := _PROFILE.match(line):
        reading.profile = match[1]
    elif match := _RESULTS.match(line):
        reading.begin(FrameTest(operation=_operation(match[1]), profile=reading.profile))
    elif reading.test:
        _take_entry(reading, reading.test, line)


def _take_entry(reading: _Reading, test: FrameTest, line: str) -> None:
    if match := _TIMES.match(line):
        reading.section = match[1]
    elif match := _COUNT.match(line):
        _take_count(test, match[1], int(match[2]))
    elif match := _ENTRY.match(line):
        name, value = match[1], number(match[2], ".")
        if name in {"min", "avg", "max"}:
            if reading.section == "Completion" and value is not None:
                _take_latency(test, name, value * 1e6)
        else:
            _take_figure(test, name, value)


def _take_count(test: FrameTest, name: str, value: int) -> None:
    if name == "Frames failed":
        test.failed_count = value
    elif "Direct" in name:
        test.direct_count = value
    else:
        test.buffered_count = value


def _take_figure(test: FrameTest, name: str, value: float | None) -> None:
    whole = round(value) if value is not None and 0 <= value <= MOST_COUNT else None
    if name == "frames":
        test.frame_count = whole
    elif name == "bytes":
        test.moved_bytes = whole
    elif name == "time":
        test.elapsed_ns = whole
    elif name == "fps":
        test.frames_per_s = value
    elif name in {"B/s", "bps"}:
        test.stated_bytes_per_s = value
    elif name in {"MiB/s", "mibps"} and value is not None and test.stated_bytes_per_s is None:
        test.stated_bytes_per_s = value * (1 << 20)


def _take_latency(test: FrameTest, name: str, value_ns: float) -> None:
    if name.endswith("avg"):
        test.mean_latency_ns = value_ns
    else:
        test.latency_ns[0.0 if name.endswith("min") else 100.0] = value_ns


def _row(line: str, columns: Sequence[str]) -> FrameTest:
    fields = dict(zip(columns, next(csv.reader([line])), strict=False))
    test = FrameTest(operation=_operation(fields.get("case", "")), profile=fields.get("profile"))
    test.worker_count = count(fields.get("threads", ""))
    for name in ("frames", "bytes", "time", "fps", "bps", "mibps"):
        _take_figure(test, name, number(fields.get(name, ""), "."))
    for name in ("fmin", "favg", "fmax"):
        value = number(fields.get(name, ""), ".")
        if value is not None:
            _take_latency(test, name, value)
    for column, told in (
        ("frames_failed", "Frames failed"),
        ("direct_io_frames", "Direct"),
        ("buffered_io_frames", "Buffered"),
    ):
        if fields.get(column, "").isdigit():
            _take_count(test, told, min(int(fields[column]), MOST_COUNT))
    return test


def _frame_ns(line: str) -> Iterator[int]:
    """From the beginning of a frame to its end; nothing for a damaged row."""
    columns = line.split(",")
    if len(columns) == 6 and all(each.isascii() and each.isdigit() and len(each) < 20 for each in columns):
        took = int(columns[5]) - int(columns[1])
        if took >= 0:
            yield took


def _take_frames(test: FrameTest, frames_ns: list[int]) -> None:
    """Percentiles of the single frames: the smallest time that so many of a hundred did not exceed."""
    ordered = sorted(frames_ns)
    for percentile in _MARKED if len(ordered) >= 100 else _MARKED[:1] if ordered else ():
        test.latency_ns[percentile] = float(ordered[max(0, -(-len(ordered) * int(percentile) // 100) - 1)])


def _operation(name: str) -> Operation | None:
    return Operation(name) if name in {"read", "write"} else None
