"""fio's terse lines (--minimal), versions 2 to 5: one line a job, figures parted by semicolons.

The order is that of fio's stat.c (show_thread_status_terse_all, show_ddir_status_terse), the same from 2.0 to 3.42:
version 2 has no fio version; versions 2, 4 and 5 have trims after the writes; version 5 adds six figures to each
direction. Amounts are KiB, rates KiB/s, runtimes ms, latencies µs. Neither options nor the block are written down.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from graycard.errors import ImportProblem
from graycard.importers.fio_job import FioHalf, FioJob, FioLatency
from graycard.importers.fio_jobs import MOST_ROWS, SUM_OF_CLIENTS, estimated_ops
from graycard.importers.fio_text import notes_in
from graycard.importers.rows import limit
from graycard.importers.text import Line, Text, number

_TERSE = re.compile(r"(?:<\S{1,255}> ?)?(?:([345]);(fio-[^;]{1,60});|(2);)([^;]{0,255});\d{1,9};(\d{1,9});(?=\d)(.*)")
_ANYWHERE = re.compile(r"\b(?:[345];fio-|2;[^;\n]{0,255};\d)")
# Of each direction: KiB, KiB/s, IOPS, ms; slat and clat of 4 each; 20 percentiles; lat of 4; bw of 5.
_SIDE_COUNT = 41
_SIDE_COUNT_5 = 47
_PERCENTILE_COUNT = 20
# After the directions: 5 of the processor, 7 depths, 22 latencies; then 9 of each disk.
_TAIL_COUNT = 34
_DISK_COUNT = 8
_COMPANY = "Other jobs of this file may have run at the same time: fio's terse lines do not tell."
_KIB = 1024
_LARGEST = float(1 << 62)


def runs(text: str) -> tuple[tuple[FioJob, ...], ...]:
    """The jobs of each run: lines that follow one another. ImportProblem names a line that is cut short."""
    if not _ANYWHERE.search(text):
        return ()
    notes = notes_in(text)
    found: list[list[FioJob]] = []
    last_number = -10
    count = 0
    for line in Text(text, "utf-8"):
        match = _TERSE.fullmatch(line.text.strip())
        if not match or match[4] == SUM_OF_CLIENTS:
            continue
        if line.number - last_number > 1:
            found.append([])
        found[-1].append(_job(match, line, notes))
        count += 1
        limit(count, "fio", MOST_ROWS)
        last_number = line.number
    return tuple(_run(jobs) for jobs in found)


def _run(jobs: list[FioJob]) -> tuple[FioJob, ...]:
    """The jobs with what is to be said of them together. States of one job that goes on (--status-interval) are one."""
    by_name: dict[str, list[FioJob]] = {}
    for job in jobs:
        by_name.setdefault(job.name, []).append(job)
    kept = [job for alike in by_name.values() for job in (alike[-1:] if _goes_on(alike) else alike)]
    remarks = (_COMPANY,) if len(kept) > 1 else ()
    return tuple(replace(job, remarks=(*job.remarks, *remarks)) for job in kept)


def _goes_on(alike: list[FioJob]) -> bool:
    """Whether these are states of one job: bytes and time grow, and the second state took far longer than the first."""
    states = [(job.moved_bytes, job.runtime_ns) for job in alike]
    grows = all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(states))
    return len(states) > 1 and grows and states[1][1] > 1.5 * states[0][1]


def _job(match: re.Match[str], line: Line, notes: tuple[str, ...]) -> FioJob:
    version, fio_version, _, name, error, rest = match.groups()
    fields = rest.split(";")
    side_count = _SIDE_COUNT_5 if version == "5" else _SIDE_COUNT
    sides = 2 if version == "3" else 3
    if len(fields) < sides * side_count + _TAIL_COUNT:
        raise ImportProblem(f"fio's terse line is cut short at line {line.number}: get the whole file")
    device = sides * side_count + _TAIL_COUNT
    return FioJob(
        name=name,
        version=fio_version,
        created_at=None,
        host=None,
        options=None,
        worker_count=1,
        companion_count=0,
        error=int(error),
        error_count=int(error != "0"),
        read=_half(fields[:side_count], line),
        write=_half(fields[side_count : 2 * side_count], line),
        mixed=None,
        sync=None,
        cpu_ns=None,
        device_name=fields[device] if len(fields) > device + _DISK_COUNT else None,
        notes=notes,
        cut_short=False,
    )


def _half(fields: list[str], line: Line) -> FioHalf | None:
    moved, rate, iops, runtime_ms = (_figure(field, line) for field in fields[:4])
    if not moved:
        return None
    ops, sure = estimated_ops(int(moved) * _KIB, iops, runtime_ms)
    return FioHalf(
        moved_bytes=int(moved) * _KIB,
        runtime_ns=int(runtime_ms) * 1_000_000,
        ops_count=ops,
        stated_bytes_per_s=rate * _KIB,
        stated_ops_per_s=iops,
        completion=_latency(fields[8:12], fields[12 : 12 + _PERCENTILE_COUNT], ops, line),
        total=_latency(fields[32:36], [], ops, line),
        # Bytes are cut to KiB, too.
        rounding_bytes_per_s=_KIB + (_KIB * 1000 / runtime_ms if runtime_ms else 0.0),
        counts_ops=sure,
    )


def _latency(fields: list[str], percentiles: list[str], ops: int, line: Line) -> FioLatency | None:
    low, high, mean, _ = (_figure(field, line) * 1000 for field in fields)
    if not high and not mean:
        return None
    pairs = (field.partition("%=") for field in percentiles)
    found = ((_figure(level, line), round(_figure(value, line) * 1000)) for level, _, value in pairs)
    # Unused places of the list are written as 0%=0.
    listed = tuple(sorted((level, value) for level, value in found if 0 < level <= 100))
    return FioLatency(mean, round(low), round(high), ops, listed, None)


def _figure(text: str, line: Line) -> float:
    value = number(text, ".")
    if value is None or not 0 <= value <= _LARGEST:
        raise ImportProblem(f"fio's terse line has “{text[:20]}” for a figure at line {line.number}: get the file anew")
    return value
