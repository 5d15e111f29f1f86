"""The nouns: frozen values that every room passes on and none changes.

Bytes and nanoseconds inside; the unit stands in the name. Unknown is None and never 0. Times are aware and in UTC.
All of it encodes to JSON and back by msgspec with these field names (schema "graycard/1").
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

SCHEMA = "graycard/1"


class TargetKind(StrEnum):
    """What the user named."""

    FILE = "file"
    FOLDER = "folder"
    SHARE = "share"


class Operation(StrEnum):
    """Read or write."""

    READ = "read"
    WRITE = "write"


class Pattern(StrEnum):
    """Order of the offsets."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


class Cache(StrEnum):
    """bypass: direct I/O; cold: through the page cache, emptied of this file first; warm: through the page cache."""

    BYPASS = "bypass"
    COLD = "cold"
    WARM = "warm"


class Durability(StrEnum):
    """none: no flush; at_end: one flush inside the timed part; each_write: a flush after every write."""

    NONE = "none"
    AT_END = "at_end"
    EACH_WRITE = "each_write"


class Verdict(StrEnum):
    """caveat: true, but limits what the figure means; fail: the figure is not what it claims to be."""

    PASS = "pass"
    CAVEAT = "caveat"
    FAIL = "fail"
    UNKNOWN = "unknown"


class Aggregate(StrEnum):
    """How a tool made one figure of its repeats."""

    MEAN = "mean"
    MEDIAN = "median"
    BEST = "best"


class Steady(StrEnum):
    """How the rate behaved over the time of the runs."""

    STEADY = "steady"
    CLIFF = "cliff"
    UNDULATING = "undulating"
    STALLING = "stalling"
    FIRST_RUN_DIFFERS = "first run differs"
    SCATTERED = "scattered"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Target:
    """Where to measure. `path` is the resolved path as the operating system gives it (surrogates escape bad UTF-8)."""

    path: str
    kind: TargetKind

    @property
    def shown(self) -> str:
        """The path as one printable line: control characters and undecodable bytes as backslash escapes."""
        return "".join(c if c.isprintable() else escaped(c) for c in self.path)


def escaped(character: str) -> str:
    """A character as a backslash escape; a surrogate that stands for an undecodable byte as that byte."""
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


@dataclass(frozen=True, slots=True)
class Pace:
    """Frames due at a fixed rate: latency counts from the moment a frame is due."""

    frames_per_s: float
    frame_bytes: int


@dataclass(frozen=True, slots=True)
class IoTask:
    """One kind of load. `depth_count` requests are in flight in all, dealt to `worker_count` threads or rings.

    A run ends after `time_ns` or `byte_limit` moved bytes, whichever comes first; None means no such limit
    (a run must have at least one). `span_bytes` is the size of the file that is touched.
    `compressible_ratio` is the share of each block that is zeros: 0.0 is incompressible.
    """

    operation: Operation
    pattern: Pattern
    block_bytes: int
    span_bytes: int
    depth_count: int = 1
    worker_count: int = 1
    time_ns: int | None = None
    byte_limit: int | None = None
    cache: Cache = Cache.BYPASS
    durability: Durability = Durability.AT_END
    compressible_ratio: float = 0.0
    seed: int = 0
    pace: Pace | None = None

    @property
    def label(self) -> str:
        """The field's short name, as "SEQ1M QD8 read" or "RND4K QD512 T16 write"."""
        pattern = "SEQ" if self.pattern is Pattern.SEQUENTIAL else "RND"
        threads = f" T{self.worker_count}" if self.worker_count > 1 else ""
        return f"{pattern}{short_size(self.block_bytes)} QD{self.depth_count}{threads} {self.operation.value}"


def short_size(size_bytes: int) -> str:
    """A block size as the field writes it: 4096 is "4K", 1048576 is "1M", 1000 is "1000B"."""
    for letter, unit in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit}{letter}"
    return f"{size_bytes}B"


@dataclass(frozen=True, slots=True)
class Repeat:
    """When to stop repeating: at least `min_count` runs, then looks until `precision_ratio` is met or `max_count`.

    `precision_ratio` None means exactly `min_count` runs. `rest_ns` is the pause before each run.
    """

    min_count: int = 5
    max_count: int = 20
    precision_ratio: float | None = 0.05
    rest_ns: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole measurement. `seed` fixes the interleaved order and the data; `budget_ns` ends the repeating.

    `engine_count` engines run each task, interleaved: 2 for a cross-check.
    """

    name: str
    target: Target
    tasks: tuple[IoTask, ...]
    repeat: Repeat
    budget_ns: int | None
    write_limit_bytes: int
    seed: int
    nocow: bool = False
    engine_count: int = 1


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
    `late_count` the paced frames that started late, `gap_ns` the longest time the watching thread
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that never travels alone. `low` and `high` are None where no interval can be given (single run)."""

    value: float
    low: float | None
    high: float | None
    unit: str
    n_count: int
    level_ratio: float | None
    method: str

    @property
    def half_width_ratio(self) -> float | None:
        """Half the interval's width as a share of the value (what users call ±), or None."""
        if self.low is None or self.high is None or not self.value:
            return None
        return (self.high - self.low) / 2 / abs(self.value)


@dataclass(frozen=True, slots=True)
class Check:
    """One test of a figure's truth. `says` is a sentence for the user; the numbers stand beside it."""

    name: str
    expected: float | None
    measured: float | None
    unit: str | None
    tolerance_ratio: float | None
    verdict: Verdict
    says: str


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of one run at one level; `start_bytes` are the bytes moved before it began."""

    run_index: int
    start_ns: int
    end_ns: int
    start_bytes: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Stalls:
    """Times with under a quarter of the usual rate for 0.3 s or more. `per_min` has a Garwood interval."""

    count: int
    per_min: Estimate | None
    longest_ns: int
    share_ratio: float


@dataclass(frozen=True, slots=True)
class Undulation:
    """The rate swings between two levels; `period_ns` is None where no period was found."""

    low_bytes_per_s: float
    high_bytes_per_s: float
    explained_ratio: float
    period_ns: int | None


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How even the rate was: within the runs and between them. `says` is a sentence for the user."""

    verdict: Steady
    says: str
    run_spread_ratio: float | None
    phases: tuple[Phase, ...] = ()
    undulation: Undulation | None = None
    first_run: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Percentile:
    """A latency percentile; 100 stands for the maximum."""

    percentile: float
    latency: Estimate


@dataclass(frozen=True, slots=True)
class Summary:
    """What is published of a result: numbers with intervals, how steady, and what was checked."""

    rate: Estimate
    ops: Estimate
    latency_ns: tuple[Percentile, ...]
    stalls: Stalls | None
    steadiness: Steadiness
    checks: tuple[Check, ...]
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who measured. `aggregate` names how the tool made one figure of its repeats."""

    tool: str
    tool_version: str | None
    engine: str | None
    imported_from: str | None = None
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One task, measured. The tasks of one `measure` share `measurement_id`. `summary` is None before the first run."""

    id: str
    measurement_id: str
    schema: str
    created_at: datetime
    origin: Origin
    target: Target
    task: IoTask
    facts: tuple[Fact, ...]
    runs: tuple[Run, ...]
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """The other engine's rate over that of `engine`, from interleaved pairs of one task."""

    task_label: str
    engine: str
    other_engine: str
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class Report:
    """What a renderer turns into bytes."""

    title: str
    results: tuple[Result, ...]
