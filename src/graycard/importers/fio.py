"""Reads fio's JSON (also json+): each row's reads and writes become a result each.

Rows of one name are results of their own, for latencies do not add up; the sum of all clients is left out, and so is
what fio gives as "mixed" beside reads and writes. Trims are no speed and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers import fio_options, fio_text
from graycard.importers.fio_jobs import FioHalf, FioJob, parse
from graycard.importers.fio_summary import summary
from graycard.importers.imported import UNKNOWN_TIME, measurement_id, result_id
from graycard.model import SCHEMA, Fact, Operation, Origin, Result, Run, Samples

__all__ = ["FioImporter", "FioJob", "parse"]


class FioImporter:
    """fio, all versions with JSON (2.0.15 to 3.42 tested)."""

    name = "fio"

    def recognises(self, head: bytes) -> bool:
        """Whether the beginning of a file looks like fio's; 64 KiB are enough behind most progress lines."""
        return fio_text.recognises(head)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results of the last document in `data`; ImportProblem where there are none."""
        jobs = parse(data)
        whole = measurement_id(data, "fio")
        found = [(job, half, operation) for job in jobs for half, operation in _halves(job)]
        if not found:
            raise ImportProblem(_nothing(jobs))
        return tuple(
            _result(job, half, operation, whole, number) for number, (job, half, operation) in enumerate(found, 1)
        )


def _halves(job: FioJob) -> Iterator[tuple[FioHalf, Operation]]:
    if job.read:
        yield job.read, Operation.READ
    if job.write:
        yield job.write, Operation.WRITE


def _nothing(jobs: tuple[FioJob, ...]) -> str:
    for job in jobs:
        if job.error:
            why = f": “{job.notes[-1]}”" if job.notes else ""
            return (
                f"fio's job “{job.name}” failed with error {job.error} and moved nothing{why}; repeat the measurement"
            )
        if job.mixed:
            return f"fio's job “{job.name}” adds up reads and writes: repeat it without unified_rw_reporting"
    return "fio's file holds no job that read or wrote: repeat the measurement with rw=read or rw=write"


def _result(job: FioJob, half: FioHalf, operation: Operation, whole: str, number: int) -> Result:
    reading = fio_options.read(job, half, operation)
    created_at = job.created_at or UNKNOWN_TIME
    run = Run(0, 0, created_at - timedelta(microseconds=half.runtime_ns / 1000), _samples(job, half), (), ())
    return Result(
        id=result_id(whole, number),
        measurement_id=whole,
        schema=SCHEMA,
        created_at=created_at,
        origin=Origin("fio", job.version.removeprefix("fio-"), _engine(job), f"job {job.name}"),
        target=reading.target,
        task=reading.task,
        facts=tuple(_facts(job)),
        runs=(run,),
        summary=summary(job, half, reading.remarks),
    )


def _samples(job: FioJob, half: FioHalf) -> Samples:
    alone = not (job.read and job.write)
    latency = half.latency
    return Samples(
        engine=f"fio {_engine(job) or ''}".strip(),
        elapsed_ns=half.runtime_ns,
        ops_count=half.ops_count,
        moved_bytes=half.moved_bytes,
        # fio's JSON has no series over time.
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
