"""Runs of the tests' own making: ticks and slots, as few or as many as a test needs."""

from __future__ import annotations

from graycard.model import Samples, Tick
from graycard.stats.shape import Shape, shape
from graycard.stats.slots import Slots

MB = 1_000_000
MS = 1_000_000
S = 1_000_000_000


def ticks(moved: list[int], tick_ns: int = 10 * MS, ops: int = 100) -> tuple[Tick, ...]:
    return tuple(Tick(i * tick_ns, ops if size else 0, size) for i, size in enumerate(moved))


def samples(moved: list[int], tick_ns: int = 10 * MS, ops: int = 100, flush_ns: int = 0) -> Samples:
    all_ticks = ticks(moved, tick_ns, ops)
    elapsed_ns = tick_ns * len(moved) + flush_ns
    ops_count = sum(tick.ops_count for tick in all_ticks)
    return Samples("test", elapsed_ns, ops_count, sum(moved), all_ticks, tick_ns, None, flush_ns=flush_ns)


def slots(moved: list[int], ops: int = 1000) -> Slots:
    return Slots(100 * MS, tuple(moved), tuple(ops if size else 0 for size in moved))


def shaped(run: Samples, depth_count: int = 1) -> Shape:
    found = shape(run, 0, depth_count)
    assert found is not None
    return found


def regular(every_ms: int, batch: int, duration_s: int = 10) -> Samples:
    """`batch` blocks of 1 MiB together every so many milliseconds, in ticks of 10 ms."""
    counts = [0] * (duration_s * 100)
    for at_ms in range(0, duration_s * 1000, every_ms):
        counts[at_ms // 10] += batch
    all_ticks = tuple(Tick(i * 10 * MS, count, count << 20) for i, count in enumerate(counts))
    ops_count = sum(counts)
    return Samples("test", duration_s * S, ops_count, ops_count << 20, all_ticks, 10 * MS, None)
