"""What one leg of an offload did: bytes in fixed slots of time, and how long it worked and waited for the others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from graycard.model import Samples, Tick

# A slot holds many pieces of a fast drive, and a card of 512 GB at 100 MB/s is 51,000 slots.
TICK_NS = 100_000_000


class Meter:
    """One leg. Only its own thread works, waits and credits; anyone may read, and say that a call came back."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.moved_bytes = 0
        self.ops_count = 0
        self.files_count = 0
        self.busy_ns = 0
        self.wait_ns = 0
        self.flush_ns = 0
        self.began_ns = time.monotonic_ns()
        self.ended_ns: int | None = None
        self.last_ns = self.began_ns
        self._is_calling = False
        self._heard_ns = self.began_ns
        self._ticks: list[list[int]] = []

    def begin(self) -> None:
        """The leg begins now."""
        self.began_ns = self.last_ns = time.monotonic_ns()

    def end(self) -> None:
        """The leg has ended now."""
        self.ended_ns = time.monotonic_ns()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """The leg works: it calls the system, once or often."""
        from_ns = self._heard_ns = time.monotonic_ns()
        self._is_calling = True
        try:
            yield
        finally:
            self._is_calling = False
            self.busy_ns += time.monotonic_ns() - from_ns

    @contextmanager
    def ending(self) -> Iterator[None]:
        """The leg calls the system at its end, which counts as a flush or not at all."""
        busy_ns = self.busy_ns
        with self.busy():
            yield
        self.busy_ns = busy_ns

    def answered(self) -> None:
        """One of the calls of the leg came back; any thread may say so."""
        self._heard_ns = time.monotonic_ns()

    @property
    def silent_ns(self) -> int:
        """How long no call of the leg has come back while one is under way; 0 while there is none."""
        return max(0, time.monotonic_ns() - self._heard_ns) if self._is_calling else 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The leg waits for another, which is no call of its own."""
        from_ns, was_calling = time.monotonic_ns(), self._is_calling
        self._is_calling = False
        try:
            yield
        finally:
            self._heard_ns, self._is_calling = time.monotonic_ns(), was_calling
            self.wait_ns += self._heard_ns - from_ns

    def credit(self, moved_bytes: int) -> None:
        """One piece was moved just now."""
        self.last_ns = time.monotonic_ns()
        slot = (self.last_ns - self.began_ns) // TICK_NS
        while len(self._ticks) <= slot:
            self._ticks.append([0, 0])
        self._ticks[slot][0] += 1
        self._ticks[slot][1] += moved_bytes
        self.ops_count += 1
        self.moved_bytes += moved_bytes

    @property
    def elapsed_ns(self) -> int:
        """Time from the beginning to the end, or to now."""
        return (self.ended_ns or time.monotonic_ns()) - self.began_ns

    @property
    def busy_ratio(self) -> float:
        """Share of the time in which the leg worked, the flush at its end included."""
        return min(1.0, (self.busy_ns + self.flush_ns) / self.elapsed_ns) if self.elapsed_ns else 0.0

    @property
    def busy_bytes_per_s(self) -> float | None:
        """The rate while it worked: what it would give if it never had to wait."""
        spent_ns = self.busy_ns + self.flush_ns
        return self.moved_bytes * 1e9 / spent_ns if spent_ns and self.moved_bytes else None

    def samples(self, engine: str) -> Samples:
        """The run of this leg, with slots up to its end."""
        count = max(len(self._ticks), -(-(self.elapsed_ns - self.flush_ns) // TICK_NS))
        empty = [[0, 0]] * (count - len(self._ticks))
        ticks = tuple(Tick(index * TICK_NS, *counted) for index, counted in enumerate([*self._ticks, *empty]))
        return Samples(
            engine, self.elapsed_ns, self.ops_count, self.moved_bytes, ticks, TICK_NS, None, flush_ns=self.flush_ns
        )
