"""Several files written one after the other are one run: their series joined, in bounded memory.

The time between two files, in which nothing is asked of the drive, is left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

from graycard.model import Histogram, Samples, Tick
from graycard.protocols import Progress
from graycard.stats.latency import merge

TICK_NS = 10_000_000
# 11 minutes at 10 ms, 1.8 hours at 0.1 s; more would be stored and not be seen.
MOST_TICKS = 1 << 16


class Joining:
    """Samples joined piece by piece; slots of time double in width where they would be more than `MOST_TICKS`."""

    def __init__(self, tick_ns: int = TICK_NS) -> None:
        self._tick_ns = tick_ns
        self._ops: list[int] = []
        self._moved: list[int] = []
        self._elapsed_ns = 0
        self._latency: Histogram | None = None
        self._pieces: list[Samples] = []

    @property
    def elapsed_ns(self) -> int:
        """Time of all pieces."""
        return self._elapsed_ns

    @property
    def moved_bytes(self) -> int:
        """Bytes of all pieces."""
        return sum(piece.moved_bytes for piece in self._pieces)

    def add(self, samples: Samples) -> None:
        """Put a piece behind those before it."""
        while self._tick_ns < samples.tick_ns:
            self._widen()
        for tick in samples.ticks:
            if tick.moved_bytes or tick.ops_count:
                self._credit(self._elapsed_ns + tick.start_ns + samples.tick_ns // 2, tick)
        self._elapsed_ns += samples.elapsed_ns
        if samples.latency is not None and (self._latency is not None or not self._pieces):
            self._latency = merge([each for each in (self._latency, samples.latency) if each])
        else:
            self._latency = None
        self._pieces.append(_without_series(samples))

    def samples(self) -> Samples | None:
        """All pieces as one run; None without any."""
        if not self._pieces:
            return None
        last = self._pieces[-1]
        return Samples(
            engine=last.engine,
            elapsed_ns=self._elapsed_ns,
            ops_count=sum(piece.ops_count for piece in self._pieces),
            moved_bytes=self.moved_bytes,
            ticks=self._ticks(),
            tick_ns=self._tick_ns,
            latency=self._latency,
            submit_ns=self._over(sum, lambda piece: piece.submit_ns),
            drain_ns=self._over(sum, lambda piece: piece.drain_ns),
            flush_ns=last.flush_ns,
            close_ns=self._over(sum, lambda piece: piece.close_ns),
            cpu_ns=self._over(sum, lambda piece: piece.cpu_ns),
            gap_ns=self._over(max, lambda piece: piece.gap_ns),
            reap_gap_ns=self._over(max, lambda piece: piece.reap_gap_ns),
        )

    def _credit(self, at_ns: int, tick: Tick) -> None:
        while at_ns // self._tick_ns >= MOST_TICKS:
            self._widen()
        index = at_ns // self._tick_ns
        missing = index + 1 - len(self._ops)
        if missing > 0:
            self._ops += [0] * missing
            self._moved += [0] * missing
        self._ops[index] += tick.ops_count
        self._moved[index] += tick.moved_bytes

    def _widen(self) -> None:
        self._tick_ns *= 2
        self._ops, self._moved = _pairs(self._ops), _pairs(self._moved)

    def _ticks(self) -> tuple[Tick, ...]:
        missing = -(-self._elapsed_ns // self._tick_ns) - len(self._ops)
        ops, moved = (counts + [0] * max(0, missing) for counts in (self._ops, self._moved))
        return tuple(Tick(index * self._tick_ns, *pair) for index, pair in enumerate(zip(ops, moved, strict=True)))

    def _over(self, join: Callable[[list[int]], int], read: Callable[[Samples], int | None]) -> int | None:
        """A figure of all pieces; None where one of them does not tell."""
        told = [found for piece in self._pieces if (found := read(piece)) is not None]
        return join(told) if len(told) == len(self._pieces) else None


class Looks:
    """What was seen of a run while it went on: all that is left of one that failed. Bounded: then every second goes."""

    MOST = 1 << 15

    def __init__(self) -> None:
        self._seen: list[Progress] = []

    def add(self, progress: Progress) -> None:
        """Keep what the engine told."""
        self._seen.append(progress)
        if len(self._seen) > self.MOST:
            del self._seen[:-1:2]

    def samples(self, engine: str) -> Samples | None:
        """A run with the bytes as they were seen, evenly spread between two looks; None if nothing was seen moving.

        Latencies and what only the engine knows are None.
        """
        last = self._seen[-1] if self._seen else None
        if last is None or not last.moved_bytes:
            return None
        tick_ns = TICK_NS
        while last.elapsed_ns // tick_ns >= MOST_TICKS:
            tick_ns *= 2
        ends = [min(index * tick_ns, last.elapsed_ns) for index in range(-(-last.elapsed_ns // tick_ns) + 1)]
        moved = self._between(ends, lambda look: look.moved_bytes)
        ops = self._between(ends, lambda look: look.ops_count)
        pairs = enumerate(zip(ops, moved, strict=True))
        ticks = tuple(Tick(index * tick_ns, *pair) for index, pair in pairs)
        return Samples(engine, last.elapsed_ns, last.ops_count, last.moved_bytes, ticks, tick_ns, None)

    def _between(self, ends: Sequence[int], read: Callable[[Progress], int]) -> list[int]:
        """The increase of a counter in each slot; whole numbers whose sum is the last reading."""
        times = [0, *(look.elapsed_ns for look in self._seen)]
        counts = [0, *(read(look) for look in self._seen)]
        totals = [_interpolated(times, counts, end) for end in ends]
        return [after - before for before, after in pairwise(totals)]


def _interpolated(times: Sequence[int], counts: Sequence[int], at: int) -> int:
    place = bisect_right(times, at)
    if place == len(times):
        return counts[-1]
    before, after = place - 1, place
    width = times[after] - times[before]
    return counts[before] + (counts[after] - counts[before]) * (at - times[before]) // width


def _pairs(counts: list[int]) -> list[int]:
    if len(counts) % 2:
        counts = [*counts, 0]
    return [first + second for first, second in zip(counts[::2], counts[1::2], strict=True)]


def _without_series(samples: Samples) -> Samples:
    return Samples(
        samples.engine,
        samples.elapsed_ns,
        samples.ops_count,
        samples.moved_bytes,
        (),
        samples.tick_ns,
        None,
        submit_ns=samples.submit_ns,
        drain_ns=samples.drain_ns,
        flush_ns=samples.flush_ns,
        close_ns=samples.close_ns,
        cpu_ns=samples.cpu_ns,
        gap_ns=samples.gap_ns,
        reap_gap_ns=samples.reap_gap_ns,
    )
