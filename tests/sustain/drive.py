"""A drive of known truth on a virtual clock: its write rate is a function of the bytes and the time, with noise."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from graycard.engines.simulated import VirtualClock
from graycard.facts import fact
from graycard.model import Bucket, Fact, Histogram, IoTask, Operation, Samples, Target, Tick
from graycard.protocols import EnoughError, OnTick, Progress

MB = 1_000_000
S = 10**9
TICK_NS = 20_000_000
TICKS_A_LOOK = 5
Rate = Callable[[int, int], float]


def falls(at_bytes: int, fast: float, slow: float) -> Rate:
    """`fast` until so many bytes have been written, then `slow`."""
    return lambda moved, _now: fast if moved < at_bytes else slow


def even(rate: float) -> Rate:
    """One rate."""
    return lambda _moved, _now: rate


@dataclass
class Drive:
    """The engine. `write` gives bytes/s for (bytes written so far in all, virtual time); `read_rate` is constant.

    `recovers_ns` without a write empties the cache. After `trouble_bytes` written in all it raises `trouble`.
    """

    clock: VirtualClock
    write: Rate
    read_rate: float = 500 * MB
    noise: float = 0.02
    recovers_ns: int | None = None
    trouble_bytes: int | None = None
    trouble: Exception | None = None
    name: str = "simulated"
    tasks: list[IoTask] = field(default_factory=list)
    written_bytes: int = 0
    _since_ns: int = 0
    _random: random.Random = field(default_factory=lambda: random.Random(1))

    def refuses(self, task: IoTask, target: Target) -> str | None:
        return None

    def settings(self) -> str:
        return "drive of known truth"

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        return (fact("ceiling_ops_per_s", 1e6, "known"),)

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        self.tasks.append(task)
        writes = task.operation is Operation.WRITE
        if writes and self.recovers_ns is not None and self.clock.monotonic_ns() - self._since_ns >= self.recovers_ns:
            self.written_bytes = 0
        ticks: list[Tick] = []
        moved, carry, is_over = 0, 0.0, False
        limit = task.byte_limit or task.span_bytes
        while moved < limit and not is_over:
            carry += self._rate(writes) * (1 + self._random.gauss(0, self.noise)) * TICK_NS / S
            blocks = min(int(carry // task.block_bytes), (limit - moved) // task.block_bytes)
            carry -= blocks * task.block_bytes
            ticks.append(Tick(len(ticks) * TICK_NS, blocks, blocks * task.block_bytes))
            moved += blocks * task.block_bytes
            self.clock.sleep_ns(TICK_NS)
            if writes:
                self.written_bytes += blocks * task.block_bytes
                self._since_ns = self.clock.monotonic_ns()
            is_over = self.looked(task, ticks, moved, on_tick)
        return self._samples(ticks, moved, task.block_bytes)

    def _rate(self, writes: bool) -> float:
        return self.write(self.written_bytes, self.clock.monotonic_ns()) if writes else self.read_rate

    def looked(self, task: IoTask, ticks: list[Tick], moved: int, on_tick: OnTick) -> bool:
        """Tell the listener ten times a second; whether the run ends now."""
        if self.trouble and self.trouble_bytes is not None and self.written_bytes >= self.trouble_bytes:
            raise self.trouble
        if len(ticks) % TICKS_A_LOOK == 0:
            try:
                on_tick(Progress(len(ticks) * TICK_NS, moved // task.block_bytes, moved, 0))
            except EnoughError:
                return True
        return task.time_ns is not None and len(ticks) * TICK_NS >= task.time_ns

    def _samples(self, ticks: list[Tick], moved: int, block: int) -> Samples:
        count, elapsed_ns = moved // block, len(ticks) * TICK_NS
        each_ns = elapsed_ns // max(1, count)  # one request at a time: Little's law
        latency = Histogram(1 / 256, (Bucket(each_ns, count),), each_ns * count, each_ns, each_ns) if count else None
        return Samples(self.name, elapsed_ns, count, moved, tuple(ticks), TICK_NS, latency, flush_ns=0, close_ns=0)
