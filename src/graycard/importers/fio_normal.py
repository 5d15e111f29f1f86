"""fio's text for people, of versions 2.0 to 3.42, one machine or client and server.

    mix: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=16        a job that was asked for
    fio-2.2.10                                                                        begins a run
    mix: (groupid=0, jobs=8): err= 0: pid=4175: Tue Apr  4 17:21:33 2017              a row of figures
      read : io=4096.0MB, bw=245439KB/s, iops=61359, runt= 17089msec                  up to 2.16
      read: IOPS=400, BW=400MiB/s (419MB/s)(32.0MiB/80msec)                           since 2.17
    Run status group 0 (all jobs):                                                    sums, which are not read again

`fio_figures.py` reads the rows. A run that tells its state now and then has the same row several times: the
last counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graycard.importers.fio_figures import RowReader
from graycard.importers.fio_job import FioJob
from graycard.importers.fio_jobs import MOST_ROWS, SUM_OF_CLIENTS
from graycard.importers.fio_text import NOTES_COUNT, notes_in
from graycard.importers.rows import limit
from graycard.importers.text import Text

_HOST = re.compile(r"<(\S{1,255})> ?(.*)")
_CLIENT = re.compile(r"hostname=([^,\s]{1,255}),.{0,200}\bfio=(fio-[^,\s]{1,60})")
_HOST_BEHIND_PROGRESS = re.compile(r"<([^<>\s]{1,255})>$")
_VERSION = re.compile(r"fio-\d[\w.+-]{0,60}$")
_ASKED = re.compile(
    r"(.{1,255}?): \(g=(\d{1,9})\): rw=(\w{1,20}), bs=(.{1,200}?), ioengine=(\w{1,40}), iodepth=(\d{1,9})"
)
_ROW = re.compile(r"(.{1,255}?): \(groupid=(\d{1,9}), jobs=(\d{1,9})\): err= ?(\d{1,9})(.*)")
_PID = re.compile(r"pid=(\d{1,12})")
_DATE = re.compile(r"[A-Z][a-z]{2} +([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4})$")
_DISK = re.compile(r"([\w./-]{1,60}): ios=\d")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_GROUP_END = "Run status group"


@dataclass(slots=True)
class _Row:
    """A row that is being read. `pid` tells it from rows of equal jobs."""

    name: str
    group: int
    workers: int
    error: int
    pid: str
    host: str | None
    created_at: datetime | None
    figures: RowReader


@dataclass(slots=True)
class _Run:
    """What was read of one run so far. `asked` are the options by group and name, `lines` its notes.

    `rows_before` are those of the runs before it. `remote`: the figures come from other machines (client and server),
    and the version was told first.
    """

    rows_before: int = 0
    version: str | None = None
    host: str | None = None
    remote: bool = False
    asked: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)
    rows: dict[tuple[object, ...], _Row] = field(default_factory=dict)
    current: _Row | None = None
    lines: list[str] = field(default_factory=list)
    device: str | None = None


def runs(text: str) -> tuple[tuple[FioJob, ...], ...]:
    """The rows of each run; none where there are none. Never fails: what is damaged is no row, or a row with less."""
    if "(groupid=" not in text:
        return ()
    found = [_Run()]
    for line in Text(text, "utf-8"):
        _take(found, line.text)
    return tuple(jobs for run in found if (jobs := _jobs(run)))


def _take(found: list[_Run], text: str) -> None:
    run = found[-1]
    host = _HOST.match(text)
    if host:
        run.host, text = host.groups()
    elif text.startswith("Jobs: ") and (behind := _HOST_BEHIND_PROGRESS.search(text)):
        run.host = behind[1]
    for pattern, take in _LINES:
        if match := pattern.match(text):
            take(found, match)
            break
    else:
        if text.startswith(_GROUP_END):
            run.current = None
        elif run.current:
            run.current.figures.take(text)
    if text.startswith(("fio: ", "note: ", "verify: ")) and len(found[-1].lines) < NOTES_COUNT:
        found[-1].lines.append(text)


def _begin(found: list[_Run], match: re.Match[str]) -> None:
    """The version of fio stands after the jobs that were asked for and before their rows."""
    if found[-1].rows or found[-1].version:
        _next(found)
    found[-1].version = match[0]


def _next(found: list[_Run]) -> None:
    """Another run begins; one without rows ends as nothing."""
    last = found[-1]
    if last.rows:
        found.append(_Run(rows_before=last.rows_before + len(last.rows)))
    else:
        found[-1] = _Run(rows_before=last.rows_before)


def _client(found: list[_Run], match: re.Match[str]) -> None:
    if found[-1].rows:
        _next(found)
    found[-1].host, found[-1].version = match.groups()
    found[-1].remote = True


def _asked(found: list[_Run], match: re.Match[str]) -> None:
    # A job that is asked for after the figures, or after fio's version, belongs to the next run.
    if found[-1].rows or (found[-1].version and not found[-1].remote):
        _next(found)
    name, group, rw, sizes, engine, depth = match.groups()
    options = {"rw": rw, "bs": sizes, "ioengine": engine, "iodepth": depth}
    found[-1].asked[int(group), name.strip()] = options
    limit(len(found[-1].asked), "fio", MOST_ROWS)


def _row(found: list[_Run], match: re.Match[str]) -> None:
    run = found[-1]
    name, group, workers, error, rest = match.groups()
    pid = _PID.search(rest)
    row = _Row(
        name=name.strip(),
        group=int(group),
        workers=int(workers),
        error=int(error),
        pid=pid[1] if pid else "",
        host=run.host,
        created_at=_date(rest),
        figures=RowReader(),
    )
    run.current = row
    if row.name != SUM_OF_CLIENTS:
        run.rows[row.host, row.name, row.group, row.pid] = row
        limit(run.rows_before + len(run.rows), "fio", MOST_ROWS)


def _device(found: list[_Run], match: re.Match[str]) -> None:
    found[-1].device = found[-1].device or match[1]


_LINES: tuple[tuple[re.Pattern[str], Callable[[list[_Run], re.Match[str]], None]], ...] = (
    (_VERSION, _begin),
    (_CLIENT, _client),
    (_ASKED, _asked),
    (_ROW, _row),
    (re.compile(r"\s{1,8}" + _DISK.pattern), _device),
)


def _date(text: str) -> datetime | None:
    match = _DATE.search(text.rstrip())
    if not match or match[1] not in _MONTHS:
        return None
    month, day, clock, year = _MONTHS.index(match[1]) + 1, *match.groups()[1:]
    try:
        return datetime.fromisoformat(f"{year}-{month:02}-{int(day):02}T{clock}").replace(tzinfo=UTC)
    except ValueError:
        return None


def _jobs(run: _Run) -> tuple[FioJob, ...]:
    notes = notes_in("\n".join(run.lines))
    rows = list(run.rows.values())
    return tuple(_job(run, row, notes, sum(other.group == row.group for other in rows)) for row in rows)


def _job(run: _Run, row: _Row, notes: tuple[str, ...], group_count: int) -> FioJob:
    asked = run.asked.get((row.group, row.name))
    figures = row.figures.figures(asked["bs"] if asked else None)
    options = {"name": row.name, **asked, "numjobs": str(row.workers)} if asked else None
    return FioJob(
        name=row.name,
        version=run.version,
        created_at=row.created_at,
        host=row.host,
        options=options,
        worker_count=row.workers,
        companion_count=group_count - 1,
        error=row.error,
        error_count=figures.error_count or int(row.error != 0),
        read=figures.read,
        write=figures.write,
        mixed=figures.mixed,
        sync=None,
        cpu_ns=None,
        device_name=run.device,
        notes=notes,
        cut_short=False,
        options_complete=False,
        local_time=row.created_at is not None,
    )
