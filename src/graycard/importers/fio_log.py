"""Reads fio's logs (write_bw_log, write_iops_log, write_lat_log, write_hist_log): a rate over time where they hold one.

- A log with a row for each operation gives bytes, operations and, as lat or clat log, latencies: a whole result.
- An averaged bw log gives bytes over time. fio writes no row for time without I/O: such gaps are empty slots here.
- A histogram log gives operations and latencies; times the block they are bytes.
- An averaged iops or lat log tells no bytes: its result says so and gives the mean in words.

The value's meaning is told by the file's name alone. Jobs that share one log become results of their own, for their
rates add up only where they ran at the same time. The last row ends the time, so what came after it is not counted.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.importers import fio_log_rows, fio_log_sums
from graycard.importers.fio_log_figures import WHAT, Latency, latency, mean_in_words, percentiles
from graycard.importers.fio_log_rows import Layout
from graycard.importers.fio_log_sums import Sums
from graycard.importers.imported import UNKNOWN_TIME, Figures, imported, measurement_id, result_id
from graycard.model import (
    Cache,
    Durability,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Samples,
    Steadiness,
    Steady,
)
from graycard.units import format_duration

# The most that is read at once: a text, or a log that is not as fio wrote it (quoted, UTF-16). Other logs are never
# held whole.
WHOLE_LIMIT_BYTES = 32 << 20
PEEK_BYTES = 1 << 16
_ROWS_AHEAD_COUNT = 1000
_OPERATIONS = {0: Operation.READ, 1: Operation.WRITE}
_UNSTATED = ("pattern", "depth_count", "worker_count", "cache", "durability", "compressible_ratio", "span_bytes")
_NAMELESS = (
    "fio's log does not tell whether its figures are rates, operations or latencies: give the file the name back that "
    "fio gave it, as x_bw.1.log"
)
# Stands where nothing is stated.
_UNKNOWN_BYTES = 1
_LARGEST = 1 << 62
_STEADINESS = "fio's log shows how the rate went over time; graycard does not judge it here."


def recognises(head: bytes) -> bool:
    """Whether the first lines are rows of a log, and nothing else; quoted or as UTF-16, too."""
    return fio_log_rows.recognises(head) or fio_log_rows.recognises(fio_log_rows.plain(head[:PEEK_BYTES]))


def read(file: BinaryIO, name: str) -> tuple[Result, ...]:
    """A result for each direction of each job. ImportProblem where a row is none, or the name does not tell."""
    content = _Content(file)
    rows = fio_log_rows.rows(content.read)
    first = list(islice(rows, _ROWS_AHEAD_COUNT))
    if not first:
        raise ImportProblem("fio's log is empty: repeat the measurement with a longer runtime")
    layout = fio_log_rows.layout(first, name)
    if layout.interval_ms and not layout.kind:
        raise ImportProblem(_NAMELESS)
    found = list(_directions(fio_log_sums.parts(chain(first, rows), layout)))
    if not found:
        raise ImportProblem("fio's log holds no reads and no writes: measure with rw=read or rw=write")
    whole = measurement_id(content.digest(), "fio log", layout.kind)
    several = found[-1][0] > 1
    return tuple(
        _result(whole, number, operation, sums, layout, f"job {part} in the " if several else "")
        for number, (part, operation, sums) in enumerate(found, 1)
    )


class _Content:
    """The log as fio wrote it, read once and hashed on the way."""

    def __init__(self, file: BinaryIO) -> None:
        head = file.read(PEEK_BYTES)
        file.seek(0)
        self._file = file if fio_log_rows.recognises(head) else _repaired(file)
        self._hash = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """The next bytes, `size` at most."""
        data = self._file.read(size)
        self._hash.update(data)
        return data

    def digest(self) -> bytes:
        """The hash of all that was read."""
        return self._hash.digest()


def _repaired(file: BinaryIO) -> BinaryIO:
    data = file.read(WHOLE_LIMIT_BYTES + 1)
    if len(data) > WHOLE_LIMIT_BYTES:
        raise ImportProblem("fio's log is quoted or not UTF-8, and too large to be read whole: get it as fio wrote it")
    return io.BytesIO(fio_log_rows.plain(data))


def _directions(parts: Iterator[dict[int, Sums]]) -> Iterator[tuple[int, Operation, Sums]]:
    """Reads and writes of each part, which are counted from 1; trims are left out."""
    for number, part in enumerate(parts, 1):
        for key, operation in _OPERATIONS.items():
            if key in part:
                yield number, operation, part[key]


def _result(whole: str, number: int, operation: Operation, sums: Sums, layout: Layout, place: str) -> Result:
    moved, ops = round(sums.moved), round(sums.ops)
    if max(moved, ops, sums.values) > _LARGEST:
        raise ImportProblem("fio's log has figures that no storage reaches: the file is damaged; get it anew")
    times = latency(sums, layout)
    end = _end(sums, layout)
    told = imported(
        result_id(whole, number),
        Origin("fio", None, None, f"{place}{WHAT[layout.kind]}"),
        _task(operation, sums, moved),
        _figures(sums, times),
        measurement=whole,
        created_at=end,
        runs=(_run(sums, times, end),) if moved else (),
        caveats=tuple(_caveats(sums, layout, times)),
        trouble=None if moved else _trouble(sums, layout),
    )
    shown = told.summary and replace(told.summary, steadiness=Steadiness(Steady.UNKNOWN, _STEADINESS, None))
    return replace(told, summary=shown)


def _end(sums: Sums, layout: Layout) -> datetime:
    if not layout.since_1970:
        return UNKNOWN_TIME
    return datetime.fromtimestamp((layout.base_ms + sums.end_ms) / 1000, UTC)


def _task(operation: Operation, sums: Sums, moved: int) -> IoTask:
    block = next(iter(sums.blocks)) if len(sums.blocks) == 1 else 0
    return IoTask(
        operation=operation,
        pattern=Pattern.SEQUENTIAL,
        block_bytes=block or _UNKNOWN_BYTES,
        span_bytes=_UNKNOWN_BYTES,
        byte_limit=moved or None,
        time_ns=None if moved else sums.end_ms * 1_000_000,
        cache=Cache.BYPASS,
        durability=Durability.NONE,
        unstated=_UNSTATED if block else ("block_bytes", *_UNSTATED),
    )


def _figures(sums: Sums, times: Latency | None) -> Figures:
    per_s = 1000 / sums.end_ms if sums.end_ms else 0.0
    return Figures(
        rate_bytes_per_s=sums.moved * per_s,
        ops_per_s=sums.ops * per_s or None,
        latency_ns=percentiles(times) if times else {},
        mean_latency_ns=times.mean_ns if times else None,
    )


def _run(sums: Sums, times: Latency | None, end: datetime) -> Run:
    # An averaged bw log counts no operations: there are 0 in its slots then.
    moved, ops = round(sums.moved), round(sums.ops)
    samples = Samples(
        engine="fio",
        elapsed_ns=sums.end_ms * 1_000_000,
        ops_count=ops,
        moved_bytes=moved,
        ticks=sums.slots.ticks(moved, ops),
        tick_ns=sums.slots.width_ms * 1_000_000,
        latency=times.histogram if times else None,
    )
    return Run(0, 0, end - timedelta(milliseconds=sums.end_ms), samples, (), ())


def _caveats(sums: Sums, layout: Layout, times: Latency | None) -> Iterator[str]:
    if layout.base_ms and not layout.since_1970:
        before = format_duration(layout.base_ms * 1e6)
        yield f"The log begins after {before}: a ramp, or a time without I/O, which is not counted."
    if len(sums.blocks) > 1:
        yield "Blocks of several sizes were used."
    if layout.bins:
        yield "The rate is what the histograms count, times the block that stands beside each of them."
    if layout.kind == "slat" and not layout.interval_ms:
        yield "Times are those of submission, for it is a slat log."
    if times and layout.kind != "lat":
        yield "Latencies are fio's clat, which leaves out the submit call."
    if times and times.caveat:
        yield times.caveat


def _trouble(sums: Sums, layout: Layout) -> str:
    if layout.kind == "bw" or not layout.interval_ms or layout.bins:
        return "Nothing was moved in this direction."
    return f"No rate: {mean_in_words(sums, layout)}; import the bw log or the JSON of the same run."
