"""What diskspd tells of one timespan, whether as text or as XML, and the results of it.

Buffers hold the bytes 0 to 255 again and again unless told otherwise (-Z, -Zr), which compress to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graycard.facts import fact
from graycard.importers.imported import LOCAL_TIME, NO_TARGET, UNKNOWN_TIME, Figures, imported, result_id
from graycard.importers.rows import MOST_COUNT
from graycard.model import (
    Cache,
    Check,
    Durability,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Samples,
    Target,
    TargetKind,
    Tick,
    Verdict,
)

TOOL = "diskspd"
# Percentiles that are kept, with the maximum: there are a hundred more, and more nines than operations.
PERCENTILES = frozenset({50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 100.0})
_SERVER_CACHE = "Only this computer's cache was passed by: that of the file server may have helped."


@dataclass(slots=True)
class Load:
    """What was asked for; None is not told. Of several files the settings are those of the first.

    `depth_count` is for each thread, `write_percent` the share of writes.
    """

    paths: list[str] = field(default_factory=list)
    block_bytes: int | None = None
    random_percent: int | None = None
    depth_count: int | None = None
    write_percent: int | None = None
    cache: Cache | None = None
    server_cache: bool = False
    write_through: bool | None = None
    compressible_ratio: float | None = None
    span_bytes: int | None = None
    time_ns: int | None = None
    command: str | None = None


@dataclass(slots=True)
class Half:
    """What was read, or written. `ops_per_s` and `stated_bytes_per_s` as printed; `bucket_ops` in each slot of time."""

    moved_bytes: int = 0
    ops_count: int = 0
    ops_per_s: float | None = None
    stated_bytes_per_s: float | None = None
    mean_ns: float | None = None
    latency_ns: dict[float, float] = field(default_factory=dict)
    bucket_ops: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Span:
    """One timespan; `total` is both halves together.

    `elapsed_ns` is None where it is printed too roughly to divide by; `bucket_ns` is that of `bucket_ops`.
    """

    load: Load
    halves: dict[Operation, Half] = field(default_factory=dict)
    total: Half | None = None
    worker_count: int | None = None
    elapsed_ns: int | None = None
    bucket_ns: int | None = None
    version: str | None = None
    began: tuple[datetime, bool] | None = None


def results(span: Span, whole: str) -> Iterator[Result]:
    """The halves that were asked for, or where that is not told, that moved bytes; of a mix both together, too."""
    percent = span.load.write_percent
    made = 0
    for operation, half in span.halves.items():
        share = None if percent is None else percent if operation is Operation.WRITE else 100 - percent
        if share or (share is None and half.moved_bytes):
            made += 1
            yield _result(span, operation, half, result_id(whole, made), whole)
    if span.total and percent and percent < 100:
        yield _result(span, None, span.total, result_id(whole, made + 1), whole)


def _result(span: Span, operation: Operation | None, half: Half, id_: str, whole: str) -> Result:
    """The result of a half, or with None for an operation, of both together."""
    load, task = span.load, _task(span, operation, half)
    began, local = span.began or (UNKNOWN_TIME, False)
    return imported(
        id_,
        Origin(TOOL, span.version, None, f"{operation.value if operation else 'total'} IO"),
        task,
        _figures(span, half, task),
        measurement=whole,
        created_at=began,
        target=Target(_place(load), TargetKind.FILE) if load.paths else NO_TARGET,
        facts=(fact("engine_settings", load.command, "diskspd: Command Line"),) if load.command else (),
        runs=_runs(span, half, began),
        checks=(_conserved(half, task),),
        caveats=(*_caveats(load, operation), *([LOCAL_TIME] if local else ())),
    )


def _place(load: Load) -> str:
    more = len(load.paths) - 1
    return load.paths[0] + (f" and {more} more" if more else "")


def _figures(span: Span, half: Half, task: IoTask) -> Figures:
    latency: Mapping[float, float] = half.latency_ns
    if span.elapsed_ns:
        return Figures(
            rate_bytes_per_s=half.moved_bytes * 1e9 / span.elapsed_ns,
            ops_per_s=half.ops_count * 1e9 / span.elapsed_ns,
            latency_ns=latency,
            mean_latency_ns=half.mean_ns,
        )
    # Operations a second have more digits than MiB/s.
    block = half.moved_bytes / half.ops_count if "block_bytes" in task.unstated and half.ops_count else task.block_bytes
    return Figures(
        rate_bytes_per_s=half.ops_per_s * block if half.ops_per_s else half.stated_bytes_per_s,
        ops_per_s=half.ops_per_s,
        latency_ns=latency,
        mean_latency_ns=half.mean_ns,
        stated_bytes_per_s=half.stated_bytes_per_s,
    )


def _conserved(half: Half, task: IoTask) -> Check:
    if "block_bytes" in task.unstated:
        says = "The size of a block is not told, so bytes and operations cannot be held against each other."
        return Check("bytes_conserved", None, float(half.moved_bytes), "bytes", 0.0, Verdict.UNKNOWN, says)
    counted = half.ops_count * task.block_bytes
    if counted == half.moved_bytes:
        says = "The bytes are operations × block."
        return Check("bytes_conserved", float(counted), float(counted), "bytes", 0.0, Verdict.PASS, says)
    says = "The file contradicts itself: its bytes are not its operations × block; do not use this figure."
    return Check("bytes_conserved", float(counted), float(half.moved_bytes), "bytes", 0.0, Verdict.FAIL, says)


def _runs(span: Span, half: Half, began: datetime) -> tuple[Run, ...]:
    if not span.elapsed_ns or not half.moved_bytes:
        return ()
    ticks = _ticks(span, half)
    samples = Samples(
        engine=TOOL,
        elapsed_ns=span.elapsed_ns,
        ops_count=half.ops_count,
        moved_bytes=half.moved_bytes,
        ticks=ticks,
        tick_ns=span.bucket_ns if ticks and span.bucket_ns else span.elapsed_ns,
        latency=None,
    )
    return (Run(0, 0, began, samples, (), ()),)


def _ticks(span: Span, half: Half) -> tuple[Tick, ...]:
    """The slots of time; what came after the last of them is in one more. None where they do not add up."""
    rest = half.ops_count - sum(half.bucket_ops)
    block, odd = divmod(half.moved_bytes, half.ops_count) if half.ops_count else (0, 1)
    if not half.bucket_ops or not span.bucket_ns or odd or not 0 <= rest <= max(half.bucket_ops):
        return ()
    slots = (*half.bucket_ops, *([rest] if rest else ()))
    return tuple(Tick(number * span.bucket_ns, ops, ops * block) for number, ops in enumerate(slots))


def _caveats(load: Load, operation: Operation | None) -> Iterator[str]:
    if operation and load.write_percent and load.write_percent < 100:
        reads = 100 - load.write_percent
        yield f"Reads and writes ran at once ({reads} % reads): this is the {operation.value} half alone."
    if load.server_cache:
        yield _SERVER_CACHE
    if load.random_percent and load.random_percent < 100:
        yield f"Of the blocks {load.random_percent} % were at random places, the others followed each other."
    if len(load.paths) > 1:
        yield f"The figure is the sum over {len(load.paths)} files."


def _block_bytes(half: Half) -> int | None:
    """All blocks are of one size: where it is not told, bytes over operations are it."""
    block, rest = divmod(half.moved_bytes, half.ops_count) if half.ops_count else (0, 0)
    return block if block and not rest else None


def _task(span: Span, operation: Operation | None, half: Half) -> IoTask:
    load, workers = span.load, span.worker_count or 1
    block = load.block_bytes or _block_bytes(half)
    stated = {
        "pattern": load.random_percent is not None,
        "block_bytes": bool(block),
        "span_bytes": bool(load.span_bytes),
        "depth_count": bool(load.depth_count),
        "worker_count": bool(span.worker_count),
        "cache": load.cache is not None,
        "durability": load.write_through is not None,
        "compressible_ratio": load.compressible_ratio is not None,
    }
    flushes = operation is not Operation.READ and load.write_through
    return IoTask(
        operation=operation or Operation.READ,
        pattern=Pattern.RANDOM if load.random_percent else Pattern.SEQUENTIAL,
        block_bytes=block or 1,
        span_bytes=load.span_bytes or block or 1,
        depth_count=min((load.depth_count or 1) * workers, MOST_COUNT),
        worker_count=workers,
        time_ns=load.time_ns or span.elapsed_ns,
        # A run must have an end: without a time it ended where it ended.
        byte_limit=None if load.time_ns or span.elapsed_ns else half.moved_bytes or 1,
        cache=load.cache or Cache.WARM,
        durability=Durability.EACH_WRITE if flushes else Durability.NONE,
        compressible_ratio=load.compressible_ratio or 0.0,
        unstated=tuple(name for name, told in stated.items() if not told),
        read_ratio=None if operation else 1 - (load.write_percent or 0) / 100,
    )
