"""The rows of fio's JSON as plain records, in bytes and nanoseconds whatever the version wrote.

`bw` is KiB/s in every release, `bw_bytes` exists from 3.2. `io_bytes` was KiB up to 2.20; since 2.21 it is bytes and
`io_kbytes` stands beside it. Latencies are in µs up to 2.21 and in ns from 2.99, where the keys end in `_ns`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.fio_bins import histogram
from graycard.importers.fio_text import FioText, find
from graycard.model import Histogram

SUM_OF_CLIENTS = "All clients"


@dataclass(frozen=True, slots=True)
class FioLatency:
    """One of fio's latencies. `histogram` is there in json+ only; `percentiles` are (percentile, ns)."""

    mean_ns: float
    min_ns: int
    max_ns: int
    ops_count: int
    percentiles: tuple[tuple[float, int], ...]
    histogram: Histogram | None


@dataclass(frozen=True, slots=True)
class FioHalf:
    """What one direction of a job moved. `completion` is fio's clat (from the submitted request), `total` its lat.

    `runtime_ns` is fio's runtime: whole ms, each part rounded up; a flush at the end is inside, closing is not.
    `stated_bytes_per_s` and `stated_ops_per_s` are what fio computed itself (whole KiB/s, and whole numbers, if old).
    """

    moved_bytes: int
    runtime_ns: int
    ops_count: int
    stated_bytes_per_s: float
    stated_ops_per_s: float
    completion: FioLatency | None
    total: FioLatency | None

    @property
    def latency(self) -> FioLatency | None:
        """From before the request was submitted, as graycard counts; where fio gives no distribution of it, `clat`."""
        return self.total if self.total and self.total.percentiles else self.completion

    @property
    def counted_bytes_per_s(self) -> float | None:
        """Bytes over runtime; None where fio's clock of whole ms shows nothing."""
        return self.moved_bytes * 1e9 / self.runtime_ns if self.runtime_ns else None


@dataclass(frozen=True, slots=True)
class FioJob:
    """One row: a job, or a group of `worker_count` equal jobs reported together.

    `options` are the global options overlaid by the job's; None where the version (before 2.8) writes none.
    `companion_count` is how many other rows ran at the same time. `error` is an errno, 0 if all went well.
    """

    name: str
    version: str
    created_at: datetime | None
    host: str | None
    options: dict[str, str] | None
    worker_count: int
    companion_count: int
    error: int
    error_count: int
    read: FioHalf | None
    write: FioHalf | None
    mixed: FioHalf | None
    sync: FioLatency | None
    cpu_ns: int | None
    device_name: str | None
    notes: tuple[str, ...]
    cut_short: bool

    @property
    def interrupted(self) -> bool:
        """Whether fio was told to stop before its time."""
        return any("terminating on signal" in note for note in self.notes)


def parse(data: bytes) -> tuple[FioJob, ...]:
    """The jobs of the last document in fio's output. ImportProblem says what is wrong with it."""
    text = find(data)
    rows = text.document.get("jobs") or text.document.get("client_stats") or []
    try:
        rows = [row for row in rows if row.get("jobname") != SUM_OF_CLIENTS]
        alike = Counter(_likeness(row) for row in rows)
        groups = Counter(row.get("groupid") for row in rows)
        return tuple(_job(row, text, alike[_likeness(row)], groups[row.get("groupid")]) for row in rows)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ImportProblem(f"fio's JSON has an unknown form ({error!r}): please report it with the file") from error


def _likeness(row: dict[str, Any]) -> tuple[object, ...]:
    return row.get("jobname"), row.get("groupid"), row.get("hostname")


def _job(row: dict[str, Any], text: FioText, alike_count: int, group_count: int) -> FioJob:
    document, own = text.document, row.get("job options")
    options = None if own is None else {**document.get("global options", {}), **own}
    numjobs = int((options or {}).get("numjobs", "1"))
    disks = [disk["name"] for disk in document.get("disk_util", ())]
    sync = row.get("sync", {})
    error = int(row.get("error", 0))
    return FioJob(
        name=row.get("jobname", ""),
        version=document["fio version"],
        created_at=_moment(document),
        host=row.get("hostname"),
        options=options,
        # Equal jobs have a row each, unless they were reported as a group.
        worker_count=numjobs if alike_count == 1 else 1,
        companion_count=group_count - 1,
        error=error,
        error_count=int(row.get("total_err", 0)) or int(error != 0),
        read=_half(row, "read"),
        write=_half(row, "write"),
        mixed=_half(row, "mixed"),
        sync=_latency(sync, "lat", 0),
        cpu_ns=_cpu_ns(row),
        device_name=disks[0] if disks else None,
        notes=text.notes,
        cut_short=text.cut_short,
    )


def _moment(document: dict[str, Any]) -> datetime | None:
    # `time` is left alone: local time of an unknown place.
    if "timestamp_ms" in document:
        return datetime.fromtimestamp(document["timestamp_ms"] / 1000, UTC)
    return datetime.fromtimestamp(document["timestamp"], UTC) if "timestamp" in document else None


def _cpu_ns(row: dict[str, Any]) -> int | None:
    """Shares are of `job_runtime`, the sum over the jobs of a group (stat.c), which exists from 3.12 on."""
    if "job_runtime" not in row:
        return None
    share = (float(row["usr_cpu"]) + float(row["sys_cpu"])) / 100
    return round(share * int(row["job_runtime"]) * 1e6)


def _half(row: dict[str, Any], name: str) -> FioHalf | None:
    half = row.get(name)
    if not half or not half["io_bytes"]:
        return None
    moved = int(half["io_bytes"]) * (1 if "io_kbytes" in half else 1024)
    ops = half["total_ios"] if "total_ios" in half else _ops(moved, half)
    return FioHalf(
        moved_bytes=moved,
        runtime_ns=half["runtime"] * 1_000_000,
        ops_count=ops,
        stated_bytes_per_s=half["bw_bytes"] if "bw_bytes" in half else half["bw"] * 1024,
        stated_ops_per_s=half["iops"],
        completion=_latency(half, "clat", ops),
        total=_latency(half, "lat", ops),
    )


def _ops(moved: int, half: dict[str, float]) -> int:
    """Operations where fio (before 2.8) counts none: IOPS are cut to a whole number there, so try a block of 2^n."""
    about = max(1.0, half["iops"] * half["runtime"] / 1000)
    block = 1 << (round(moved / about).bit_length() - 1)
    per_s = moved / block * 1000 / half["runtime"]
    fits = moved % block == 0 and half["iops"] <= per_s < half["iops"] + 1
    return moved // block if fits else round(about)


def _latency(half: dict[str, Any], name: str, ops_count: int) -> FioLatency | None:
    scale = 1 if f"{name}_ns" in half else 1000
    found = half.get(f"{name}_ns") or half.get(name) or {}
    ops_count = found.get("N", ops_count)
    if not ops_count or not found.get("max"):
        return None
    percentiles = found.get("percentile", {}).items()
    mean_ns = found["mean"] * scale
    return FioLatency(
        mean_ns=mean_ns,
        min_ns=found["min"] * scale,
        max_ns=found["max"] * scale,
        ops_count=ops_count,
        # Unused places of the list are written as 0.00.
        percentiles=tuple(sorted((float(key), value * scale) for key, value in percentiles if float(key) > 0)),
        histogram=histogram(found.get("bins"), scale, mean_ns, found["min"] * scale, found["max"] * scale),
    )
