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
from graycard.importers.fio_job import FioHalf, FioJob, FioLatency
from graycard.importers.fio_text import FioText, find, notes_in
from graycard.importers.fio_trouble import nothing
from graycard.importers.rows import limit

SUM_OF_CLIENTS = "All clients"
# What 300 MB of memory hold beside the text; a row takes 8 kB until it is a result.
MOST_ROWS = 10_000
# What a figure can be at all; more than 2^62 would not fit into a store either.
_LARGEST = 1 << 62
# Documents of one run begin at the same time; fio tells the elapsed time in whole seconds, rounded up.
_SAME_START_S = 2.0


def parse(data: bytes) -> tuple[FioJob, ...]:
    """The jobs of the last document in fio's output. ImportProblem says what is wrong with it."""
    text = find(data)
    if not text.documents:
        raise ImportProblem(text.failure or nothing(notes_in(text.rest)))
    return _jobs(text.documents[-1].document, notes_in(text.rest), cut_short=text.failure is not None)


def runs(text: FioText) -> tuple[tuple[FioJob, ...], ...]:
    """The jobs of each run in the text. A run that tells its state now and then has many documents: the last counts."""
    found: list[tuple[dict[str, Any], list[str]]] = []
    for each in text.documents:
        if found and _one_run(found[-1][0], each.document):
            found[-1] = each.document, [*found[-1][1], *each.notes]
        else:
            found.append((each.document, list(each.notes)))
    limit(sum(len(_rows(document)) for document, _ in found), "fio", MOST_ROWS)
    last = len(found) - 1
    return tuple(
        _jobs(
            document,
            (*notes, *text.notes) if number == last else tuple(notes),
            cut_short=number == last and text.failure is not None,
        )
        for number, (document, notes) in enumerate(found)
    )


def _one_run(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether both documents tell of one run, the second later: the same jobs, begun at the same time."""
    earlier, later = _rows(before), _rows(after)
    if [row.get("jobname") for row in earlier] != [row.get("jobname") for row in later] or not later:
        return False
    starts = [_start_s(document, rows) for document, rows in ((before, earlier), (after, later))]
    if starts[0] is not None and starts[1] is not None:
        return abs(starts[0] - starts[1]) <= _SAME_START_S
    # Before 2.8 there are no times: a run that goes on has taken longer.
    return all(_runtime(one) < _runtime(other) for one, other in zip(earlier, later, strict=True))


def _start_s(document: dict[str, Any], rows: list[dict[str, Any]]) -> float | None:
    stamp, elapsed = document.get("timestamp"), rows[0].get("elapsed")
    return stamp - elapsed if isinstance(stamp, int) and isinstance(elapsed, int) else None


def _runtime(row: dict[str, Any]) -> float:
    halves = [row.get(name) for name in ("read", "write")]
    times = [half.get("runtime") for half in halves if isinstance(half, dict)]
    return max((time for time in times if isinstance(time, int | float)), default=0)


def _rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    rows = document.get("jobs") or document.get("client_stats") or []
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict) and row.get("jobname") != SUM_OF_CLIENTS]


def _jobs(document: dict[str, Any], notes: tuple[str, ...], *, cut_short: bool) -> tuple[FioJob, ...]:
    rows = _rows(document)
    surroundings = _Surroundings(document, notes, cut_short)
    try:
        alike = Counter(_likeness(row) for row in rows)
        groups = Counter(row.get("groupid") for row in rows)
        return tuple(_job(row, surroundings, alike[_likeness(row)], groups[row.get("groupid")]) for row in rows)
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError, OSError) as error:
        raise ImportProblem(f"fio's JSON has an unknown form ({error!r}): please report it with the file") from error


@dataclass(frozen=True, slots=True)
class _Surroundings:
    document: dict[str, Any]
    notes: tuple[str, ...]
    cut_short: bool


def _likeness(row: dict[str, Any]) -> tuple[object, ...]:
    return row.get("jobname"), row.get("groupid"), row.get("hostname")


def _job(row: dict[str, Any], around: _Surroundings, alike_count: int, group_count: int) -> FioJob:
    document, own = around.document, row.get("job options")
    options = None if own is None else _options({**document.get("global options", {}), **own})
    numjobs = int((options or {}).get("numjobs", "1"))
    disks = [str(disk["name"]) for disk in document.get("disk_util", ())]
    error = _count(row.get("error", 0))
    host = row.get("hostname")
    return FioJob(
        name=str(row.get("jobname", "")),
        version=str(document["fio version"]),
        created_at=_moment(document),
        host=None if host is None else str(host),
        options=options,
        # Equal jobs have a row each, unless they were reported as a group.
        worker_count=numjobs if alike_count == 1 else 1,
        companion_count=group_count - 1,
        error=error,
        error_count=_count(row.get("total_err", 0)) or int(error != 0),
        read=_half(row, "read"),
        write=_half(row, "write"),
        mixed=_half(row, "mixed"),
        sync=_latency(row.get("sync", {}), "lat", 0),
        cpu_ns=_cpu_ns(row),
        device_name=disks[0] if disks else None,
        notes=around.notes,
        cut_short=around.cut_short,
    )


def _options(given: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in given.items()}


def _amount(value: object) -> float:
    """A figure as it is. ValueError for what is none: NaN and infinities (None here), negative, or beyond 2^62."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise ValueError(f"{str(value)[:40]} is no quantity")
    return value


def _count(value: object) -> int:
    return int(_amount(value))


def _moment(document: dict[str, Any]) -> datetime | None:
    # `time` is left alone: local time of an unknown place.
    if "timestamp_ms" in document:
        return datetime.fromtimestamp(_amount(document["timestamp_ms"]) / 1000, UTC)
    return datetime.fromtimestamp(_amount(document["timestamp"]), UTC) if "timestamp" in document else None


def _cpu_ns(row: dict[str, Any]) -> int | None:
    """Shares are of `job_runtime`, the sum over the jobs of a group (stat.c), which exists from 3.12 on."""
    if "job_runtime" not in row:
        return None
    share = (_amount(row["usr_cpu"]) + _amount(row["sys_cpu"])) / 100
    return round(share * _count(row["job_runtime"]) * 1e6)


def _half(row: dict[str, Any], name: str) -> FioHalf | None:
    half = row.get(name)
    if not half or not half["io_bytes"]:
        return None
    moved = _count(half["io_bytes"]) * (1 if "io_kbytes" in half else 1024)
    runtime_ms, iops = _count(half["runtime"]), _amount(half["iops"])
    ops, counted = (_count(half["total_ios"]), True) if "total_ios" in half else estimated_ops(moved, iops, runtime_ms)
    return FioHalf(
        moved_bytes=moved,
        runtime_ns=runtime_ms * 1_000_000,
        ops_count=ops,
        stated_bytes_per_s=_amount(half["bw_bytes"] if "bw_bytes" in half else half["bw"] * 1024),
        stated_ops_per_s=iops,
        completion=_latency(half, "clat", ops),
        total=_latency(half, "lat", ops),
        counts_ops=counted,
    )


def estimated_ops(moved_bytes: int, ops_per_s: float, runtime_ms: float) -> tuple[int, bool]:
    """Operations where fio counts none, and whether the figure is sure.

    IOPS are cut to a whole number there, so a block of 2^n that gives just these IOPS is tried.
    """
    if not runtime_ms:
        return 1, False
    about = max(1.0, ops_per_s * runtime_ms / 1000)
    block = 1 << max(0, round(moved_bytes / about).bit_length() - 1)
    per_s = moved_bytes / block * 1000 / runtime_ms
    fits = moved_bytes % block == 0 and ops_per_s <= per_s < ops_per_s + 1
    return (moved_bytes // block, True) if fits else (round(about), False)


def _latency(half: dict[str, Any], name: str, ops_count: int) -> FioLatency | None:
    scale = 1 if f"{name}_ns" in half else 1000
    found = half.get(f"{name}_ns") or half.get(name) or {}
    ops_count = _count(found.get("N", ops_count))
    if not ops_count or not found.get("max"):
        return None
    percentiles = found.get("percentile", {}).items()
    mean_ns, min_ns, max_ns = (_amount(found[key]) * scale for key in ("mean", "min", "max"))
    bins = {str(key): _count(value) for key, value in found.get("bins", {}).items()}
    return FioLatency(
        mean_ns=mean_ns,
        min_ns=round(min_ns),
        max_ns=round(max_ns),
        ops_count=ops_count,
        # Unused places of the list are written as 0.00.
        percentiles=tuple(
            sorted((float(key), _count(value) * scale) for key, value in percentiles if 0 < float(key) <= 100)
        ),
        histogram=histogram(bins, scale, mean_ns, round(min_ns), round(max_ns)),
    )
