"""What tframetest and its descendant vframetest tell of one test, and the result that becomes of it.

Both write frames of one constant byte, one file a frame, each worker one frame after the other, and never flush; the
files are only closed. Whether caches were bypassed depends on the system: Linux and Windows yes, macOS no (tframetest).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from graycard.facts import fact
from graycard.importers.imported import NO_TARGET, UNKNOWN_TIME, Figures, imported, result_id
from graycard.importers.one_run import one_run
from graycard.importers.rows import MOST_COUNT
from graycard.model import (
    Cache,
    Check,
    Durability,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Target,
    Verdict,
)
from graycard.units import format_rate

_UNFLUSHED = "The frames were closed but not flushed: the last of them may not have reached the drive."
_SYSTEM = (
    "The text does not tell the system: on macOS tframetest works through the cache, and its figures are memory's."
)
_IMPOSSIBLE = "Its times of frames are longer than the whole test, a known fault of {}: they are left out."
_BUFFERED = "{} of {} frames went through the cache, because direct I/O was refused."


@dataclass(slots=True)
class FrameTest:
    """One test. Latencies are of whole frames, in ns by percentile (0 the lowest, 100 the highest).

    `operation` None is not told, `direct_count` is how many frames bypassed the cache. `stated_bytes_per_s` is the rate
    as printed.
    """

    operation: Operation | None = None
    profile: str | None = None
    worker_count: int | None = None
    frame_count: int | None = None
    moved_bytes: int | None = None
    elapsed_ns: int | None = None
    frames_per_s: float | None = None
    stated_bytes_per_s: float | None = None
    frame_bytes: int | None = None
    latency_ns: dict[float, float] = field(default_factory=dict)
    mean_latency_ns: float | None = None
    direct_count: int | None = None
    buffered_count: int | None = None
    failed_count: int | None = None
    target: Target = NO_TARGET
    created_at: datetime = UNKNOWN_TIME
    caveats: list[str] = field(default_factory=list)

    @property
    def rate_bytes_per_s(self) -> float | None:
        """Bytes over time; else the printed rate."""
        if self.moved_bytes is not None and self.elapsed_ns:
            return self.moved_bytes * 1e9 / self.elapsed_ns
        return self.stated_bytes_per_s

    @property
    def block_bytes(self) -> int | None:
        """Size of a frame."""
        if self.frame_bytes:
            return self.frame_bytes
        return round(self.moved_bytes / self.frame_count) or None if self.moved_bytes and self.frame_count else None


def result(test: FrameTest, tool: str, whole: str, count: int) -> Result:
    """The result number `count` of the measurement `whole`."""
    rate = test.rate_bytes_per_s
    caveats = list(_caveats(test, tool))
    believed = not _impossible(test)
    return imported(
        result_id(whole, count),
        Origin(tool, None, None, test.profile and f"profile {test.profile}"),
        _task(test),
        Figures(
            rate_bytes_per_s=rate,
            ops_per_s=test.frames_per_s,
            latency_ns=test.latency_ns if believed else {},
            mean_latency_ns=test.mean_latency_ns if believed else None,
        ),
        measurement=whole,
        created_at=test.created_at,
        target=test.target,
        facts=tuple(_facts(test, tool)),
        runs=_runs(test, tool),
        checks=tuple(_checks(test, tool, rate)) if rate else (),
        caveats=tuple(caveats),
        trouble=f"{test.failed_count} frames failed." if test.failed_count else None,
    )


def _task(test: FrameTest) -> IoTask:
    block, workers = test.block_bytes, test.worker_count or 1
    total = min(test.moved_bytes or (block or 1) * (test.frame_count or 1), MOST_COUNT)
    missing = {
        "operation": test.operation is None,
        "block_bytes": not block,
        "depth_count": test.worker_count is None,
        "worker_count": test.worker_count is None,
        "cache": test.direct_count is None,
    }
    return IoTask(
        test.operation or Operation.WRITE,
        Pattern.SEQUENTIAL,
        min(block or 1, MOST_COUNT),
        max(1, total),
        depth_count=workers,
        worker_count=workers,
        byte_limit=max(1, total),
        cache=Cache.WARM if test.buffered_count and not test.direct_count else Cache.BYPASS,
        durability=Durability.NONE,
        compressible_ratio=1.0,
        unstated=tuple(name for name, absent in missing.items() if absent),
    )


def _impossible(test: FrameTest) -> bool:
    """No frame takes longer than the whole test."""
    longest = max([*test.latency_ns.values(), test.mean_latency_ns or 0.0])
    return bool(test.elapsed_ns) and longest > (test.elapsed_ns or 0)


def _caveats(test: FrameTest, tool: str) -> Iterator[str]:
    yield from test.caveats
    if _impossible(test):
        yield _IMPOSSIBLE.format(tool)
    if test.operation is not Operation.READ:
        yield _UNFLUSHED
    if test.direct_count is None:
        yield _SYSTEM
    if test.buffered_count:
        yield _BUFFERED.format(test.buffered_count, test.buffered_count + (test.direct_count or 0))


def _checks(test: FrameTest, tool: str, rate: float) -> Iterator[Check]:
    stated = test.stated_bytes_per_s
    if stated is None:
        return
    verdict, says = Verdict.PASS, f"{tool}'s rate is its bytes over its time."
    if abs(stated - rate) > 0.001 * rate:
        verdict = Verdict.FAIL
        says = (
            f"{tool} contradicts itself: it states {format_rate(stated)}, but its bytes over its time are "
            f"{format_rate(rate)}; do not use this figure."
        )
    yield Check("printed_rate", rate, stated, "bytes/s", 0.001, verdict, says)


def _facts(test: FrameTest, tool: str) -> Iterator[Fact]:
    if test.profile:
        yield fact("engine_settings", f"profile {test.profile}", tool)


def _runs(test: FrameTest, tool: str) -> tuple[Run, ...]:
    return one_run(
        tool,
        test.moved_bytes or 0,
        test.elapsed_ns or 0,
        ops_count=test.frame_count or 0,
        error_count=test.failed_count or 0,
        started_at=test.created_at,
    )
