"""Reads what fio prints: JSON and json+, its text for people, its terse lines, of one machine or of client and server.

Each row's reads and writes become a result each. Rows of one name are results of their own, for latencies do not add
up; the sum of all clients is left out, and so is what fio gives as "mixed" beside reads and writes. Alone that is a
result of both at once. Trims are no speed and are left out. A file may hold many runs. Where one run is there in
several forms, JSON counts before the text and that before the terse line. Logs (`fio_log.py`) are read as a stream.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers import fio_log, fio_normal, fio_options, fio_terse, fio_text
from graycard.importers.fio_job import FioHalf, FioJob
from graycard.importers.fio_jobs import parse, runs
from graycard.importers.fio_summary import summary
from graycard.importers.fio_text import FioText
from graycard.importers.fio_trouble import nothing, nothing_moved, of_job
from graycard.importers.imported import UNKNOWN_TIME, measurement_id, result_id
from graycard.model import SCHEMA, Fact, Operation, Origin, Result, Run, Samples

__all__ = ["FioImporter", "FioJob", "parse"]

# How far the same figure may be apart in two forms: the text has three digits or more.
_SAME_RATIO = 0.01

_Jobs = tuple[FioJob, ...]


class FioImporter:
    """fio, all versions (2.0.15 to 3.42 tested)."""

    name = "fio"

    def recognises(self, head: bytes) -> bool:
        """Whether the beginning of a file looks like fio's; 64 KiB are enough behind most progress lines."""
        return fio_text.recognises(head) or fio_log.recognises(head)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """As `read_stream`, of a file without a name."""
        return self.read_stream(io.BytesIO(data), "")

    def read_stream(self, file: BinaryIO, name: str) -> tuple[Result, ...]:
        """All results in the file; of a log `name` says what it holds. ImportProblem where there are none."""
        is_log = fio_log.recognises(file.read(fio_log.PEEK_BYTES))
        file.seek(0)
        if is_log:
            return fio_log.read(file, name)
        data = file.read(fio_log.WHOLE_LIMIT_BYTES + 1)
        if len(data) > fio_log.WHOLE_LIMIT_BYTES:
            most = fio_log.WHOLE_LIMIT_BYTES >> 20
            raise ImportProblem(f"fio's output is larger than {most} MiB: cut out the part that holds the figures")
        return self._read_whole(data)

    def _read_whole(self, data: bytes) -> tuple[Result, ...]:
        text = fio_text.find(data)
        found = _runs(text)
        jobs = tuple(job for run in found for job in run)
        if not jobs:
            raise ImportProblem(text.failure or nothing(fio_text.notes_in(text.rest)))
        if not any(half for job in jobs for half in _halves(job)):
            raise ImportProblem(nothing_moved(jobs))
        if len(found) == 1:
            return tuple(_results(measurement_id(data, "fio"), found[0], ""))
        digest = hashlib.sha256(data).digest()
        return tuple(
            result
            for number, run in enumerate(found, 1)
            for result in _results(measurement_id(digest, "fio", number), run, f"run {number}, ")
        )


def _runs(text: FioText) -> list[_Jobs]:
    """The jobs of every run, each once, whatever forms it is there in."""
    best = list(runs(text))
    for form in (fio_normal, fio_terse):
        known = {mark: half.moved_bytes for run in best for mark, half in _marks(run)}
        best += [run for run in form.runs(text.rest) if not _repeats(run, known)]
    return best


def _repeats(run: _Jobs, known: Mapping[tuple[str, Operation, int], int]) -> bool:
    """Whether all that the run moved is known from another form of the same output."""
    marks = [(known.get(mark), half.moved_bytes) for mark, half in _marks(run)]
    return bool(known) and all(one is not None and abs(one - other) <= other * _SAME_RATIO for one, other in marks)


def _marks(run: _Jobs) -> Iterator[tuple[tuple[str, Operation, int], FioHalf]]:
    for job in run:
        for half, operation in _halves(job):
            yield (job.name, operation, half.runtime_ns), half


def _halves(job: FioJob) -> Iterator[tuple[FioHalf, Operation]]:
    if job.read:
        yield job.read, Operation.READ
    if job.write:
        yield job.write, Operation.WRITE
    # unified_rw_reporting=mixed: one figure for both.
    operation = fio_options.operation_of_mixed(job)
    if job.mixed and operation and not (job.read or job.write):
        yield job.mixed, operation


def _results(whole: str, jobs: _Jobs, source: str) -> Iterator[Result]:
    number = 0
    for job in jobs:
        for half, operation in _halves(job):
            number += 1
            yield _result(job, half, operation, whole, number, source)
        # fio gives a job that failed at once a row without figures.
        if job.error and not any(_halves(job)):
            number += 1
            yield _failure(job, whole, number, source)


def _result(job: FioJob, half: FioHalf, operation: Operation, whole: str, number: int, source: str) -> Result:
    reading = fio_options.read(job, half, operation)
    created_at = job.created_at or UNKNOWN_TIME
    run = Run(0, 0, created_at - timedelta(microseconds=half.runtime_ns / 1000), _samples(job, half), (), ())
    return Result(
        id=result_id(whole, number),
        measurement_id=whole,
        schema=SCHEMA,
        created_at=created_at,
        origin=_origin(job, source),
        target=reading.target,
        task=reading.task,
        facts=tuple(_facts(job)),
        runs=(run,),
        summary=summary(job, half, reading.remarks),
        trouble=of_job(job),
    )


def _failure(job: FioJob, whole: str, number: int, source: str) -> Result:
    operation = Operation.WRITE if "write" in (job.options or {}).get("rw", "read") else Operation.READ
    nothing_done = FioHalf(0, 0, 0, 0.0, 0.0, None, None, counts_ops=False)
    reading = fio_options.read(job, nothing_done, operation)
    return Result(
        id=result_id(whole, number),
        measurement_id=whole,
        schema=SCHEMA,
        created_at=job.created_at or UNKNOWN_TIME,
        origin=_origin(job, source),
        target=reading.target,
        task=reading.task,
        facts=tuple(_facts(job)),
        runs=(),
        summary=None,
        trouble=of_job(job, moved=False),
    )


def _origin(job: FioJob, source: str) -> Origin:
    version = job.version.removeprefix("fio-") if job.version else None
    return Origin("fio", version, _engine(job), f"{source}job {job.name}")


def _samples(job: FioJob, half: FioHalf) -> Samples:
    alone = not (job.read and job.write)
    latency = half.latency
    return Samples(
        engine=f"fio {_engine(job) or ''}".strip(),
        elapsed_ns=half.runtime_ns,
        ops_count=half.ops_count,
        moved_bytes=half.moved_bytes,
        # Only fio's logs have a series over time.
        ticks=(),
        tick_ns=half.runtime_ns,
        latency=latency.histogram if latency else None,
        cpu_ns=job.cpu_ns if alone else None,
        error_count=job.error_count,
        flush_latency=job.sync.histogram if job.sync and half is job.write else None,
    )


def _engine(job: FioJob) -> str | None:
    return (job.options or {}).get("ioengine")


def _facts(job: FioJob) -> Iterator[Fact]:
    if job.options is not None:
        settings = " ".join(f"{name}={value}" if value else name for name, value in job.options.items())
        yield fact("engine_settings", settings, "fio: job options")
    if job.device_name:
        yield fact("device_name", job.device_name, "fio: disk_util")
