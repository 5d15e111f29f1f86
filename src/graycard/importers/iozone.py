"""Reads iozone's output: the table, throughput mode (-t), the reports for a spreadsheet (-R as text, -b as a file).

Figures are KiB/s, whatever they are called ("kB", "Kbytes"): iozone.c counts 1024. iozone writes zeros with a few
marked words (99.8 % zeros, seen with 3.489), one request at a time, and reads what it has just written: from the
page cache, unless it was told to go around it (-I) or to unmount first (-U).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers.imported import (
    LOCAL_TIME,
    NO_TARGET,
    UNKNOWN_TIME,
    Figures,
    imported,
    measurement_id,
    result_id,
)
from graycard.importers.iozone_excel import Reports, is_workbook, line_cells, workbook
from graycard.importers.iozone_table import Table
from graycard.importers.iozone_tests import MIXED, MOVERS, TOOL, Figure, Settings, Unit
from graycard.importers.rows import bounded, figure, limit
from graycard.importers.text import Line, lines
from graycard.model import (
    Cache,
    Check,
    Durability,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Target,
    TargetKind,
    Verdict,
)
from graycard.units import format_rate

_BANNER = "Iozone: Performance Test of File I/O"
_OWN = re.compile(
    re.escape(_BANNER)
    + r"|^[ \t>]{0,99}k?K?B {1,12}reclen {1,12}write {1,12}rewrite|^[ \t>]{0,99}\"Writer report\""
    + r"|Parent sees throughput for {1,4}\d",
    re.MULTILINE,
)
_EACH = re.compile(
    r"Each (?:process|thread) writes a {1,8}(\d{1,12}) kBytes? file in {1,8}(\d{1,12}) kBytes? records", re.IGNORECASE
)
_SEEN = re.compile(
    r"(Children|Parent) sees? throughput for {1,8}(\d{1,6}) ([a-z -]{6,20})\s{1,8}= {0,12}(\S{1,40}) (\w{2,8})/sec"
)
_LEAST = re.compile(r"Min throughput per (?:process|thread)\s{1,8}= {0,12}0\.00 ")
# Children that were not slowed down by each other agree with their parent.
_CHILDREN_RATIO = 0.1
_FROM_CACHE = "Read through the page cache right after writing: what fitted into memory did not come from the drive."
_MIXED = "{} of {} processes read while the others wrote: which share of the bytes each moved is not told."
_NO_FIGURES = "iozone's output ends before the first figure: it was stopped; repeat the measurement"
_FAILED = re.compile(r"^(?:open: |write: |Can ?not open |Error (?:open|read|writ)ing )[^\n]{1,300}$", re.MULTILINE)


@dataclass(slots=True)
class _Session:
    """One call of iozone: its settings and figures."""

    settings: Settings = field(default_factory=Settings)
    table: list[Figure] = field(default_factory=list)
    throughput: list[Figure] = field(default_factory=list)
    reports: list[Figure] = field(default_factory=list)

    @property
    def figures(self) -> list[Figure]:
        """The reports repeat the table."""
        return [*self.table, *self.throughput] or self.reports


class IozoneImporter:
    """iozone 3, as it prints and as it writes spreadsheets; several calls in one file."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether there is iozone's banner, table, throughput or report."""
        whole = lines(head).whole
        # Marks of which each of its forms has one; most files of other tools have none.
        own = any(mark in whole for mark in ("Iozone", "reclen", "Writer report", "Parent sees"))
        return is_workbook(head) or bool(own and _OWN.search(whole))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results; ImportProblem where there is no figure, or it cannot be told of which test one is."""
        results = bounded(_results(data), TOOL)
        if not results:
            failed = None if is_workbook(data) else _FAILED.search(lines(data).whole)
            raise ImportProblem(f"iozone failed: {failed[0]}; repeat the measurement" if failed else _NO_FIGURES)
        return results


def _results(data: bytes) -> Iterator[Result]:
    made = 0
    file = measurement_id(data, TOOL).encode()
    for number, session in enumerate(_sessions(data), 1):
        whole = measurement_id(file, number)
        for each in session.figures:
            made += 1
            yield _result(session.settings, each, whole, made)


def _sessions(data: bytes) -> Iterator[_Session]:
    session = _Session()
    if is_workbook(data):
        session.reports += workbook(data, session.settings)
    else:
        reader = _Reader(session)
        for line in lines(data):
            if _BANNER in line.text:
                yield reader.session
                reader = _Reader(_Session())
            reader.line(line)
        reader.end(cut=not lines(data).whole.endswith("\n"))
        session = reader.session
    yield session


class _Reader:
    """Takes in the lines of one call of iozone."""

    def __init__(self, session: _Session) -> None:
        self.session = session
        self._table: Table | None = None
        self._reports = Reports()
        self._each: tuple[int | None, int | None] = (None, None)
        self._children: float | None = None
        self._in_row = False

    def line(self, line: Line) -> None:
        """Take in the next line."""
        text = line.text.strip()
        settings = self.session.settings
        settings.read(text)
        self._in_row = False
        limit(len(self.session.table) + len(self.session.reports), TOOL)
        if table := Table.at(line, settings.columns):
            self._table = table
        elif each := _EACH.match(text):
            self._each = (int(each[1]) or None, int(each[2]) or None)
        elif seen := _SEEN.match(text):
            self._seen(seen, line.number)
        elif _LEAST.match(text) and self.session.throughput:
            self.session.throughput[-1] = replace(self.session.throughput[-1], idle=True)
        elif not text or not self._table or not self._row(self._table, line):
            self.session.reports += self._reports.row(
                line_cells(line) if '"' in text else (), line.number, settings.unit
            )

    def end(self, *, cut: bool) -> None:
        """The end of the file. The last figure of a row that is cut off may lack digits: it is left out."""
        if cut and self._in_row:
            self.session.table.pop()

    def _row(self, table: Table, line: Line) -> bool:
        found = table.row(line)
        if not found:
            self._table = None
            return False
        span, record, cells = found
        unit = self.session.settings.unit
        self.session.table += [Figure(test, span, record, value, unit) for test, value in cells]
        self._in_row = bool(cells)
        return True

    def _seen(self, seen: re.Match[str], number: int) -> None:
        who, count, movers, value, unit = seen.groups()
        rate = figure(value, TOOL, number)
        if who == "Children":
            self._children = rate
        elif test := MOVERS.get(movers.strip()):
            kind = Unit.OPS_PER_S if unit == "ops" else Unit.KIB_PER_S
            self.session.throughput.append(Figure(test, *self._each, rate, kind, int(count) or 1, self._children))


def _result(settings: Settings, each: Figure, whole: str, made: int) -> Result:
    task = _task(settings, each)
    checks, caveats = _children(each, task), [] if not settings.began else [LOCAL_TIME]
    if task.operation is Operation.READ and task.cache is Cache.WARM and "cache" not in task.unstated:
        caveats.append(_FROM_CACHE)
    readers = settings.reader_count(each.worker_count) if each.test is MIXED else None
    if readers is not None:
        caveats.append(_MIXED.format(readers, each.worker_count))
    return imported(
        result_id(whole, made),
        Origin(TOOL, settings.version, None, each.test.name),
        task,
        _figures(each, task),
        measurement=whole,
        created_at=settings.began or UNKNOWN_TIME,
        target=Target(settings.file, TargetKind.FILE) if settings.file else NO_TARGET,
        facts=(fact("engine_settings", settings.command, "iozone: command line"),) if settings.command else (),
        checks=checks,
        caveats=tuple(caveats),
    )


def _figures(each: Figure, task: IoTask) -> Figures:
    if each.unit is Unit.KIB_PER_S:
        return Figures(rate_bytes_per_s=each.value * 1024)
    ops = each.value if each.unit is Unit.OPS_PER_S else 1e6 / each.value if each.value else 0.0
    return Figures(
        rate_bytes_per_s=None if "block_bytes" in task.unstated else ops * task.block_bytes,
        ops_per_s=ops,
        mean_latency_ns=each.value * 1e3 if each.unit is Unit.US_PER_OP else None,
    )


def _children(each: Figure, task: IoTask) -> tuple[Check, ...]:
    """Whether the sum over the children is the rate: it counts each one's own time, in which others may have idled."""
    factor = 1024 if each.unit is Unit.KIB_PER_S else task.block_bytes
    if each.children is None:
        return ()
    children, parent = each.children * factor, each.value * factor
    verdict, says = Verdict.PASS, "The processes ran at the same time."
    if each.idle or children > parent * (1 + _CHILDREN_RATIO):
        verdict = Verdict.CAVEAT
        idle = " and one of them moved nothing meanwhile" if each.idle else ""
        says = (
            f"The sum of what the processes saw, {format_rate(children)}, counts their own time alone{idle}; "
            f"the rate is that of the whole time, {format_rate(parent)}."
        )
    return (Check("children_agree", parent, children, "bytes/s", _CHILDREN_RATIO, verdict, says),)


def _task(settings: Settings, each: Figure) -> IoTask:
    task = _load(settings, each)
    if each.test is not MIXED:
        return task
    readers = settings.reader_count(each.worker_count)
    pattern = Pattern.SEQUENTIAL if settings.sequential_mix else Pattern.RANDOM
    if readers in (0, each.worker_count):
        return replace(task, pattern=pattern, operation=Operation.READ if readers else Operation.WRITE)
    share = 0.5 if readers is None else readers / each.worker_count
    # The share of the processes is known, that of the bytes is not.
    return replace(task, pattern=pattern, read_ratio=share, unstated=(*task.unstated, "read_ratio"))


def _load(settings: Settings, each: Figure) -> IoTask:
    span, record = (each.span_kib or 0) * 1024, (each.record_kib or 0) * 1024
    # In throughput mode each process has a file of its own.
    span *= each.worker_count
    unstated = [name for name, value in (("block_bytes", record), ("span_bytes", span)) if not value]
    unstated += [] if settings.stated else ["cache", "durability"]
    unstated += ["compressible_ratio"] if settings.other_data else []
    return IoTask(
        operation=each.test.operation,
        pattern=each.test.pattern,
        block_bytes=record or 1,
        span_bytes=span or 1,
        depth_count=each.worker_count,
        worker_count=each.worker_count,
        byte_limit=span or 1,
        cache=_cache(settings),
        durability=_durability(settings, each),
        compressible_ratio=1.0,
        unstated=tuple(unstated),
        variant=each.test.variant,
    )


def _cache(settings: Settings) -> Cache:
    if settings.direct:
        return Cache.BYPASS
    return Cache.COLD if settings.unmounts else Cache.WARM


def _durability(settings: Settings, each: Figure) -> Durability:
    if each.test.operation is Operation.READ and each.test is not MIXED:
        return Durability.NONE
    if settings.sync:
        return Durability.EACH_WRITE
    return Durability.AT_END if settings.flush else Durability.NONE
