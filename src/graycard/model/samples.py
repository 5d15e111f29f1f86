"""What was measured: samples, facts and runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Tick:
    """One fixed slot of time. Empty slots are kept: sum of `moved_bytes` over the ticks = the bytes of the run."""

    start_ns: int
    ops_count: int
    moved_bytes: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """`count` operations took at least `low_ns` and less than the next bucket's low."""

    low_ns: int
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """Latencies in log-linear buckets; `error_ratio` bounds the relative error of a value read from them."""

    error_ratio: float
    counts: tuple[Bucket, ...]
    sum_ns: int
    min_ns: int | None
    max_ns: int | None
    overflow_count: int = 0

    @property
    def ops_count(self) -> int:
        """All operations recorded, the overflow among them."""
        return sum(bucket.count for bucket in self.counts) + self.overflow_count


@dataclass(frozen=True, slots=True)
class Samples:
    """What one run of one task delivered, as the engine counted it.

    `elapsed_ns` is the whole timed part: issue, drain, flush and close; the last three are also told apart.
    `submit_ns` is the time spent inside submit calls, `cpu_ns` the processor time of the I/O threads,
    `late_count` the paced frames that started late (of played streams: that were read too late), `dropped_count` the
    frames that were not there when they were due (those that were never moved are not among `ops_count`),
    `gap_ns` the longest time the watching thread
    itself was not running (a stopped process, a suspended machine), `reap_gap_ns` the longest time between a
    completion's arrival check and the one before while I/O was in flight. `flush_latency` times the flushes that
    follow each write; the native core counts them into the `latency` of the write, too, and fio does not.
    None means: the engine cannot tell.
    """

    engine: str
    elapsed_ns: int
    ops_count: int
    moved_bytes: int
    ticks: tuple[Tick, ...]
    tick_ns: int
    latency: Histogram | None
    submit_ns: int | None = None
    drain_ns: int | None = None
    flush_ns: int | None = None
    close_ns: int | None = None
    cpu_ns: int | None = None
    late_count: int | None = None
    dropped_count: int | None = None
    error_count: int = 0
    gap_ns: int | None = None
    reap_gap_ns: int | None = None
    flush_latency: Histogram | None = None

    @property
    def rate_bytes_per_s(self) -> float | None:
        """Bytes over the whole timed part, flush and close inside it."""
        return self.moved_bytes * 1e9 / self.elapsed_ns if self.elapsed_ns else None

    @property
    def ops_per_s(self) -> float | None:
        """Operations over the whole timed part."""
        return self.ops_count * 1e9 / self.elapsed_ns if self.elapsed_ns else None

    @property
    def io_ns(self) -> int:
        """The part in which I/O was issued and drained, without flush and close."""
        return self.elapsed_ns - (self.flush_ns or 0) - (self.close_ns or 0)


FactValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Fact:
    """Something known about the set-up. `source` is the file, call or command it came from; names: `facts.py`."""

    name: str
    value: FactValue
    unit: str | None
    source: str


@dataclass(frozen=True, slots=True)
class Point:
    """One reading of a monitored figure."""

    at_ns: int
    value: float


@dataclass(frozen=True, slots=True)
class Series:
    """A figure watched while a run went on, every 100 ms or so; `name` is in `facts.py`."""

    name: str
    unit: str
    source: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One repeat of one task, with what the machine said before and after."""

    task_index: int
    repeat_index: int
    started_at: datetime
    samples: Samples
    before: tuple[Fact, ...]
    after: tuple[Fact, ...]
    monitor: tuple[Series, ...] = ()
