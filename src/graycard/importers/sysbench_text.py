"""sysbench's text as records: settings, figures and errors of each run in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from graycard.importers.rows import MOST_COUNT, count, duration_ns, half_step
from graycard.importers.text import Text, number
from graycard.model import Operation

_UNIT = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_HEADER = re.compile(r"^sysbench (\d[\w.-]{0,40}?):? ")
_SIZE = r"([\d.]{1,15}) ?([KMGT]?)i?[Bb]"
_BLOCK = re.compile(rf"^Block size {_SIZE}")
_SPAN = re.compile(rf"^{_SIZE} total file size")
_FILES = re.compile(rf"^(\d{{1,9}}) files, {_SIZE}")
_THREADS = re.compile(r"^Number of threads: (\d{1,6})")
_FLAGS = re.compile(r"^Extra file open flags: (.{1,60})$")
_FSYNC = re.compile(r"^Periodic FSYNC enabled, calling fsync\(\) each (\d{1,9}) requests")
_MODE = re.compile(r"^Using (\S.{0,30}) I/O mode")
_TEST = re.compile(r"^Doing (sequential|random) (.{1,30}) test")
_PER_S = re.compile(r"^(reads|writes)/s: {1,40}([^\s]{1,20})$")
_THROUGHPUT = re.compile(r"^(read|written), MiB/s: {1,40}([^\s]{1,20})$")
_LATER = re.compile(r"^(read|write): {1,8}IOPS=([\d.]{1,20}) ([\d.]{1,20}) MiB/s")
_OPERATIONS = re.compile(r"^Operations performed: {1,8}(\d{1,18}) reads?, (\d{1,18}) writes?,", re.IGNORECASE)
_TOTAL = re.compile(
    rf"^Read {_SIZE} {{1,8}}Written {_SIZE} {{1,8}}Total transferred {_SIZE} {{1,8}}\({_SIZE}/s(?:ec)?\)"
)
_REQUESTS = re.compile(r"^([\d.]{1,20}) Requests/sec executed")
_TIME = re.compile(r"^total time: {1,40}([\d.]{1,20})s$")
_LATENCY = re.compile(r"^(avg|max|(?:approx\. {1,4})?(\d{1,2})(?:th)? percentile): {1,60}([^\s]{1,20}?)(?:ms)?$")
_PREPARED = re.compile(r"^(\d{1,18}) bytes written in ([\d.]{1,15}) seconds \(([\d.]{1,15}) M(?:i?B|b)/s(?:ec)?\)")
_ERROR = re.compile(r"^(?:FATAL|ALERT): (\S.{0,300})$")
# 1.5 reads for a write.
_READ_RATIO = 0.6
_SETTINGS = (_FILES, _BLOCK, _THREADS, _FLAGS, _FSYNC, _MODE, _TEST)


@dataclass(frozen=True, slots=True)
class Half:
    """A rate of one operation, or of reads and writes together (None)."""

    operation: Operation | None
    rate_bytes_per_s: float | None
    ops_per_s: float | None
    rounding_bytes_per_s: float


@dataclass(slots=True)
class Report:
    """What one run says. `test` is "read", "write (creation)", "rewrite", "r/w"; `rates` are by operation."""

    version: str | None = None
    threads: int | None = None
    block_bytes: int | None = None
    span_bytes: int | None = None
    flags: str = ""
    fsync_every: int | None = None
    fsync_at_end: bool = False
    fsync_each: bool = False
    io_mode: str | None = None
    random: bool = False
    test: str = ""
    elapsed_ns: int | None = None
    read_count: int | None = None
    write_count: int | None = None
    mean_latency_ns: float | None = None
    latency_ns: dict[float, float] = field(default_factory=dict)
    ops: dict[Operation, float] = field(default_factory=dict)
    rates: dict[Operation, tuple[float, float]] = field(default_factory=dict)
    together: tuple[float, float] | None = None
    requests_per_s: float | None = None
    prepared: bool = False
    error: str | None = None
    settings: list[str] = field(default_factory=list)

    @property
    def is_mixed(self) -> bool:
        """Whether it read and wrote at once."""
        return self.test == "r/w"

    @property
    def read_ratio(self) -> float:
        """The share of reads; sysbench's default where it is not told."""
        total = (self.read_count or 0) + (self.write_count or 0)
        return (self.read_count or 0) / total if total else _READ_RATIO

    @property
    def is_empty(self) -> bool:
        """Whether it has no figure of files."""
        return not self.rates and not self.together

    def halves(self) -> Iterator[Half]:
        """What was measured. An operation that the test is not of, and that gives 0, is left out."""
        if self.together:
            only = {"read": Operation.READ}.get(self.test, Operation.WRITE)
            yield Half(None if self.is_mixed else only, self.together[0], self.requests_per_s, self.together[1])
        for operation, (rate, rounding) in self.rates.items():
            if rate or (operation is Operation.READ) == (self.test == "read"):
                yield Half(operation, rate, self.ops.get(operation), rounding)


def is_own(text: Text) -> bool:
    """Whether a line is one that only sysbench writes."""
    # Marks of which each of these lines has one; most files of other tools have none.
    if not any(mark in text.whole for mark in ("sysbench", "MiB/s:", "transferred", "IOPS=")):
        return False
    return any(
        _HEADER.match(line) or _THROUGHPUT.match(line) or _TOTAL.match(line) or _LATER.match(line)
        for line in (" ".join(each.text.split()) for each in text)
    )


def reports(text: Text) -> Iterator[Report]:
    """Each run, from its header or its settings on."""
    report, version = Report(), None
    for line in text:
        words = line.text.strip()
        header = _HEADER.match(words + " ")
        if header or (_THREADS.match(words) and not report.is_empty):
            if not report.is_empty or report.error:
                yield report
            version = header[1] if header else version
            report = Report(version)
        _take(report, words)
    if not report.is_empty or report.error:
        yield report


def _take(report: Report, line: str) -> None:
    if any(pattern.match(line) for pattern in _SETTINGS):
        report.settings.append(line.rstrip("."))
        _take_setting(report, line)
    elif match := _SPAN.match(line):
        report.span_bytes = _size(match[1], match[2])
    elif line.startswith("Calling fsync()"):
        report.fsync_at_end |= "end of test" in line
        report.fsync_each |= "after each write" in line
    elif match := _ERROR.match(line):
        report.error = report.error or match[1]
    else:
        _take_figure(report, line)


def _take_setting(report: Report, line: str) -> None:
    if match := _BLOCK.match(line):
        report.block_bytes = _size(match[1], match[2])
    elif match := _THREADS.match(line):
        report.threads = int(match[1]) or None
    elif match := _FLAGS.match(line):
        # 0.4 writes the number of the system's flags: 16384 is Linux's O_DIRECT.
        report.flags = match[1].replace("16384", "directio")
    elif match := _FSYNC.match(line):
        report.fsync_every = int(match[1]) or None
    elif match := _MODE.match(line):
        report.io_mode = match[1]
    elif match := _TEST.match(line):
        report.random, report.test = match[1] == "random", match[2]


def _take_figure(report: Report, line: str) -> None:
    if match := _PER_S.match(line):
        value = number(match[2], ".")
        if value is not None:
            report.ops[Operation.READ if match[1] == "reads" else Operation.WRITE] = value
    elif match := _THROUGHPUT.match(line):
        _take_rate(report, "read" if match[1] == "read" else "write", match[2])
    elif match := _LATER.match(line):
        report.ops[Operation(match[1])] = number(match[2], ".") or 0.0
        _take_rate(report, match[1], match[3])
    elif match := _PREPARED.match(line):
        report.test, report.prepared, report.fsync_at_end = "write (creation)", True, True
        report.span_bytes = count(match[1])
        _take_rate(report, "write", match[3])
        rate = report.rates[Operation.WRITE][0]
        # The printed time has two decimals, fewer than the rate.
        report.elapsed_ns = duration_ns(str(report.span_bytes / rate)) if rate and report.span_bytes else None
    elif match := _LATENCY.match(line):
        _take_latency(report, match)
    else:
        _take_total(report, line)


def _take_total(report: Report, line: str) -> None:
    if match := _TOTAL.match(line):
        unit = _UNIT[match[8]]
        report.together = ((number(match[7], ".") or 0.0) * unit, half_step(match[7]) * unit)
    elif match := _OPERATIONS.match(line):
        report.read_count, report.write_count = int(match[1]), int(match[2])
    elif match := _REQUESTS.match(line):
        report.requests_per_s = number(match[1], ".")
    elif match := _TIME.match(line):
        report.elapsed_ns = duration_ns(match[1])


def _take_rate(report: Report, operation: str, text: str) -> None:
    value = number(text, ".")
    # What is no number stands as 0: not measured.
    report.rates[Operation(operation)] = ((value or 0.0) * (1 << 20), half_step(text) * (1 << 20))


def _take_latency(report: Report, match: re.Match[str]) -> None:
    value = number(match[3], ".")
    if not value:
        return
    if match[1] == "avg":
        report.mean_latency_ns = value * 1e6
    elif match[1] == "max":
        report.latency_ns[100.0] = value * 1e6
    elif match[2]:
        report.latency_ns[float(match[2])] = value * 1e6


def _size(text: str, prefix: str) -> int | None:
    value = number(text, ".")
    size = (value or 0.0) * _UNIT[prefix]
    return round(size) or None if size <= MOST_COUNT else None
