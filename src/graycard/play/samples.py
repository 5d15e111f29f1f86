"""The streams of one kind in one run, as samples: bytes over time, latencies, late and dropped frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from graycard.model import Bucket, Histogram, Point, Samples, Series, Tick
from graycard.play.judging import free_places, latencies_ns, lateness_ns, played_reserve
from graycard.play.performing import Performance, Stream

TICK_NS = 10_000_000
RESERVE_EVERY_NS = 100_000_000
RESERVE = "frame_reserve_count"
# Log-linear buckets of 7 bits, as the core's: the middle of one is off by 1/256 at most (stats/latency.py).
BITS = 7
ENGINE = "frames"


def histogram(values_ns: Iterable[int]) -> Histogram:
    """Latencies in the core's buckets."""
    values = list(values_ns)
    counts = Counter(_low(value) for value in values)
    buckets = tuple(Bucket(low, count) for low, count in sorted(counts.items()))
    return Histogram(
        2.0 ** -(BITS + 1), buckets, sum(values), min(values, default=None), max(values, default=None)
    )  # fmt: skip


def _low(value: int) -> int:
    shift = max(0, value.bit_length() - 1 - BITS)
    return value >> shift << shift


def samples_of(performance: Performance, streams: Sequence[Stream]) -> Samples:
    """What these streams moved. Every slot is kept; operations are frames."""
    ends = [(m.end_ns - performance.start_ns, s.kind.stride_bytes) for s in streams for m in s.track.moves if m]
    slots = [[0, 0] for _ in range(performance.elapsed_ns // TICK_NS + 1)]
    for at_ns, size_bytes in ends:
        slot = slots[min(len(slots) - 1, max(0, at_ns // TICK_NS))]
        slot[0] += 1
        slot[1] += size_bytes
    judged = [stream.judged() for stream in streams]
    records = streams[0].kind.records
    flushes = [stream.flush_ns for stream in streams if stream.flush_ns is not None]
    return Samples(
        engine=ENGINE,
        elapsed_ns=performance.elapsed_ns,
        ops_count=len(ends),
        moved_bytes=sum(size_bytes for _, size_bytes in ends),
        ticks=tuple(Tick(index * TICK_NS, *slot) for index, slot in enumerate(slots)),
        tick_ns=TICK_NS,
        latency=histogram(value for s in streams for value in latencies_ns(s.cadence, s.track.moves, recorded=records)),
        flush_ns=max(flushes) if records and flushes else None,
        late_count=None if records else sum(len(each.late) for each in judged),
        dropped_count=sum(len(each.dropped) for each in judged),
        gap_ns=performance.gap_ns,
    )


def reserves(performance: Performance, streams: Sequence[Stream]) -> list[tuple[int, int]]:
    """(time since the start in ns, frames in reserve of the stream that had least), from the first due frame on."""
    begin_ns = max(stream.cadence.first_due_ns for stream in streams)
    end_ns = min(performance.start_ns + performance.elapsed_ns, *(_last_due_ns(stream) for stream in streams))
    times = range(begin_ns, max(begin_ns + 1, end_ns), RESERVE_EVERY_NS)
    lists = [
        (free_places if stream.kind.records else played_reserve)(stream.cadence, stream.track.moves, times)
        for stream in streams
    ]
    return [(at - performance.start_ns, min(each)) for at, each in zip(times, zip(*lists, strict=True), strict=True)]


def _last_due_ns(stream: Stream) -> int:
    """Until when its queue is kept full: the last frame that was reached is no longer followed by others."""
    last = len(stream.track.moves) - (0 if stream.kind.records else stream.cadence.queue_count)
    return stream.cadence.due_ns(max(0, last))


def reserve_series(performance: Performance, streams: Sequence[Stream]) -> Series:
    """The same as a series to store."""
    points = tuple(Point(at_ns, float(value)) for at_ns, value in reserves(performance, streams))
    return Series(RESERVE, "count", "times of the frames", points)


def clock_lateness_ns(streams: Sequence[Stream]) -> list[int]:
    """How late the clock of these streams was for each frame that it waited for, ascending."""
    return sorted(
        late for s in streams for late in lateness_ns(s.cadence, s.track.moves, recorded=s.kind.records)
    )  # fmt: skip
