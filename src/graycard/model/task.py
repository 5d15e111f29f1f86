"""What to measure: the target, the tasks and the plan."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


class Action(StrEnum):
    """What a transfer does."""

    COPY = "copy"
    SEND = "send"
    RECEIVE = "receive"


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy or a network test instead of I/O on one file. `method` is the program or protocol, as "rsync" or "TCP".

    The task's operation is what happened at its target: a copy or a receiving writes there, a sending reads.
    """

    method: str
    action: Action
    file_count: int | None = None
    stream_count: int | None = None


@dataclass(frozen=True, slots=True)
class IoTask:
    """One kind of load. `depth_count` requests are in flight in all, dealt to `worker_count` threads or rings.

    A run ends after `time_ns` or `byte_limit` moved bytes, whichever comes first; None means no such limit
    (a run must have at least one). `span_bytes` is the size of the file that is touched.
    `compressible_ratio` is the share of each block that is zeros: 0.0 is incompressible.
    `read_ratio` is the share of reads where a tool gives one figure for reads and writes at once; `operation` is READ
    then, and None here means that all operations are of one kind.
    `unstated` names the fields of which another tool's result says nothing: their values here mean nothing.
    `variant` names a way that no other field tells: another tool's, as "rewrite", "stride" or "per character"; of a
    copy the part, as "source" or "verify"; of a paced task the format of its frames, as "prores-422-hq/uhd/25".
    Of a paced task `worker_count` are the streams.
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
    transfer: Transfer | None = None
    unstated: tuple[str, ...] = ()
    read_ratio: float | None = None
    variant: str | None = None

    @property
    def label(self) -> str:
        """The short name: "SEQ1M QD8 read", "RND4K QD512 T16 write", "SEQ1M QD8 mix of 70% reads", "rsync copy",
        "3 streams of prores-422-hq/uhd/25 play".
        """
        if self.transfer:
            streams = f" {self.transfer.stream_count} streams" if (self.transfer.stream_count or 1) > 1 else ""
            variant = f" ({self.variant})" if self.variant else ""
            return f"{self.transfer.method}{streams} {self.transfer.action.value}{variant}"
        if self.pace:
            return self._paced(self.pace)
        pattern = "" if "pattern" in self.unstated else "SEQ" if self.pattern is Pattern.SEQUENTIAL else "RND"
        block = "" if "block_bytes" in self.unstated else short_size(self.block_bytes)
        depth = "" if "depth_count" in self.unstated else f" QD{self.depth_count}"
        threads = f" T{self.worker_count}" if self.worker_count > 1 else ""
        label = f"{pattern}{block}{depth}{threads} {self._kind}{f' ({self.variant})' if self.variant else ''}"
        return label.lstrip()

    def _paced(self, pace: Pace) -> str:
        streams = f"{self.worker_count} streams of " if self.worker_count > 1 else ""
        frames = self.variant or f"{short_size(pace.frame_bytes)} frames at {pace.frames_per_s:g}/s"
        return f"{streams}{frames} {'play' if self.operation is Operation.READ else 'record'}"

    @property
    def _kind(self) -> str:
        return self.operation.value if self.read_ratio is None else f"mix of {self.read_ratio:.0%} reads"


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
