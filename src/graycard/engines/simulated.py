"""An engine without a device, on a virtual clock: the whole measurement runs in tests in no time at all.

Its rate is a known number with a seeded scatter between runs, so what comes out at the end can be compared with what
was put in.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from graycard.facts import fact
from graycard.model import Bucket, Fact, Histogram, IoTask, Operation, Samples, Target, Tick
from graycard.protocols import OnTick, Progress

TICK_NS = 10_000_000
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class VirtualClock:
    """Time that passes only when somebody sleeps or measures."""

    def __init__(self) -> None:
        self._now_ns = 0

    def monotonic_ns(self) -> int:
        """Nanoseconds since the clock was made."""
        return self._now_ns

    def utc_now(self) -> datetime:
        """The virtual day: starts with 2026."""
        return _EPOCH + timedelta(microseconds=self._now_ns // 1000)

    def sleep_ns(self, duration_ns: int) -> None:
        """Let time pass at once."""
        self._now_ns += max(0, duration_ns)


class SimulatedEngine:
    """A device of `rate_bytes_per_s` whose runs scatter log-normally with `run_spread_ratio`."""

    name = "simulated"

    def __init__(self, clock: VirtualClock, rate_bytes_per_s: float, run_spread_ratio: float = 0.0) -> None:
        self._clock = clock
        self._rate_bytes_per_s = rate_bytes_per_s
        self._spread_ratio = run_spread_ratio

    def refuses(self, task: IoTask, target: Target) -> str | None:
        """It can do everything but paced tasks."""
        return "the simulated engine keeps no pace; leave the pace out" if task.pace else None

    def settings(self) -> str:
        """What it is."""
        return "simulated device on a virtual clock"

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        """A hundred times the simulated rate."""
        ops_per_s = 100 * self._rate_bytes_per_s / task.block_bytes
        return (fact("ceiling_ops_per_s", ops_per_s, "simulated"),)

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        """A run at this repeat's rate; the virtual clock moves on by its length."""
        spread = random.Random(task.seed).gauss(0, self._spread_ratio)
        rate = self._rate_bytes_per_s * (1 + spread)
        by_time = rate * task.time_ns / 1e9 if task.time_ns else float("inf")
        ops_count = max(1, int(min(by_time, task.byte_limit or float("inf")) / task.block_bytes))
        moved_bytes = ops_count * task.block_bytes
        elapsed_ns = int(moved_bytes / rate * 1e9)
        self._clock.sleep_ns(elapsed_ns)
        on_tick(Progress(elapsed_ns, ops_count, moved_bytes, 0))
        return Samples(
            engine=self.name,
            elapsed_ns=elapsed_ns,
            ops_count=ops_count,
            moved_bytes=moved_bytes,
            ticks=_ticks(elapsed_ns, ops_count, task.block_bytes),
            tick_ns=TICK_NS,
            latency=_latency(elapsed_ns, ops_count, task.depth_count),
            submit_ns=0,
            flush_ns=0 if task.operation is Operation.WRITE else None,
            close_ns=0,
            cpu_ns=0,
            gap_ns=0,
        )


def _ticks(elapsed_ns: int, ops_count: int, block_bytes: int) -> tuple[Tick, ...]:
    """The operations spread evenly over the slots."""
    slots = elapsed_ns // TICK_NS + 1
    edges = [ops_count * slot // slots for slot in range(slots + 1)]
    return tuple(
        Tick(slot * TICK_NS, last - first, (last - first) * block_bytes)
        for slot, (first, last) in enumerate(pairwise(edges))
    )


def _latency(elapsed_ns: int, ops_count: int, depth_count: int) -> Histogram:
    """One bucket: every operation took its share of the time, by Little's law."""
    each_ns = elapsed_ns * depth_count // ops_count
    return Histogram(1 / 256, (Bucket(each_ns, ops_count),), each_ns * ops_count, each_ns, each_ns)
