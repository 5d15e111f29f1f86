"""Reads sysbench's fileio test, 0.4 to 1.1. Its "Mb", "MB" and "MiB" are all 2^20 bytes (sb_fileio.c, mebibyte).

0.4 and 0.5 give one rate of reads and writes together, and that is published; from 1.0 each has its own. It writes
zeros, through the page cache unless directio is asked for. Latencies are of all requests, fsync among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers.imported import Figures, imported, measurement_id, result_id
from graycard.importers.memory_speed import memory_speed
from graycard.importers.one_run import one_run
from graycard.importers.rows import bounded
from graycard.importers.sysbench_task import task
from graycard.importers.sysbench_text import Half, Report, is_own, reports
from graycard.importers.text import lines
from graycard.model import Fact, IoTask, Operation, Origin, Result, Run

TOOL = "sysbench"
_TOGETHER = "Reads and writes ran at once: this is the {} half alone."
_SUM = "Reads and writes ran at once and sysbench {} gives only their sum: {} reads and {} writes."
_FSYNC = "sysbench called fsync() after each {} requests, which slows writing down much: --file-fsync-freq=0 does not."
_CACHED = "sysbench read through the page cache, which it does not empty: part or all of it may be memory's speed."
_LATENCY = "Latencies have two decimals of a ms, and are of all requests together."


class SysbenchImporter:
    """sysbench's fileio, 0.4.12 to 1.1."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a text has sysbench's header, or its figures."""
        return is_own(lines(head))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """The results of each run in the text; ImportProblem where none has figures of files."""
        file = measurement_id(data, TOOL).encode()
        numbered = enumerate(reports(lines(data)), 1)
        found = bounded(
            (each for count, report in numbered for each in _results(report, measurement_id(file, count))), TOOL
        )
        if not found:
            raise ImportProblem(_failure(next((each.error for each in reports(lines(data)) if each.error), None)))
        return found


def _failure(error: str | None) -> str:
    if error:
        return f"sysbench failed: {error}; run sysbench fileio prepare first, then repeat"
    return "sysbench's text holds no figures of files: repeat it with sysbench fileio … run and keep the whole output"


def _results(report: Report, whole: str) -> Iterator[Result]:
    for count, half in enumerate(report.halves(), 1):
        load = task(report, half)
        rate = half.rate_bytes_per_s
        yield imported(
            result_id(whole, count),
            Origin(TOOL, report.version, report.io_mode),
            load,
            Figures(
                rate_bytes_per_s=rate,
                ops_per_s=half.ops_per_s,
                latency_ns=report.latency_ns,
                mean_latency_ns=report.mean_latency_ns,
                rounding_bytes_per_s=half.rounding_bytes_per_s,
            ),
            measurement=whole,
            facts=tuple(_facts(report)),
            runs=_runs(report, rate, load),
            checks=(memory_speed(rate),) if rate and load.worker_count == 1 else (),
            caveats=tuple(_caveats(report, half)),
            trouble=f"sysbench failed: {report.error}." if report.error else None,
        )


def _runs(report: Report, rate: float | None, load: IoTask) -> tuple[Run, ...]:
    moved = (rate or 0.0) * (report.elapsed_ns or 0) / 1e9
    return one_run(TOOL, moved, report.elapsed_ns or 0, ops_count=int(moved // load.block_bytes))


def _facts(report: Report) -> Iterator[Fact]:
    if report.settings:
        yield fact("engine_settings", "; ".join(report.settings), "sysbench")


def _caveats(report: Report, half: Half) -> Iterator[str]:
    if half.operation is None:
        yield _SUM.format(report.version or "", report.read_count or 0, report.write_count or 0)
    elif report.is_mixed:
        yield _TOGETHER.format(half.operation.value)
    if report.fsync_every and half.operation is not Operation.READ:
        yield _FSYNC.format(report.fsync_every)
    if "directio" not in report.flags and half.operation is not Operation.WRITE:
        yield _CACHED
    if report.latency_ns:
        yield _LATENCY
