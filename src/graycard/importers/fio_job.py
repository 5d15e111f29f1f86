"""What fio reports of a job, in bytes and nanoseconds, whichever form it was written in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graycard.model import Histogram

# fio cuts `bw` to whole KiB/s.
KIB_PER_S = 1024.0


@dataclass(frozen=True, slots=True)
class FioLatency:
    """One of fio's latencies. `histogram` is there in json+ only; `percentiles` are (percentile, ns)."""

    mean_ns: float
    min_ns: int
    max_ns: int
    ops_count: int
    percentiles: tuple[tuple[float, int], ...]
    histogram: Histogram | None


@dataclass(frozen=True, slots=True)
class FioHalf:
    """What one direction of a job moved. `completion` is fio's clat (from the submitted request), `total` its lat.

    `runtime_ns` is fio's runtime: whole ms, each part rounded up; a flush at the end is inside, closing is not.
    `stated_bytes_per_s` and `stated_ops_per_s` are what fio computed itself; `rounding_bytes_per_s` is how far the
    first may be from the truth because of its few digits. `counts_ops`: fio counted the operations, they are not
    worked out from IOPS.
    """

    moved_bytes: int
    runtime_ns: int
    ops_count: int
    stated_bytes_per_s: float
    stated_ops_per_s: float
    completion: FioLatency | None
    total: FioLatency | None
    rounding_bytes_per_s: float = KIB_PER_S
    counts_ops: bool = True

    @property
    def latency(self) -> FioLatency | None:
        """From before the request was submitted, as graycard counts; where fio gives no distribution of it, `clat`."""
        return self.total if self.total and self.total.percentiles else self.completion

    @property
    def counted_bytes_per_s(self) -> float | None:
        """Bytes over runtime; None where fio's clock of whole ms shows nothing."""
        return self.moved_bytes * 1e9 / self.runtime_ns if self.runtime_ns else None


@dataclass(frozen=True, slots=True)
class FioJob:
    """One row: a job, or a group of `worker_count` equal jobs reported together.

    `options` are the global options overlaid by the job's; None where none are written (JSON before 2.8, terse).
    `options_complete`: what is not among the options had fio's default; the text for people tells only a few.
    `remarks` are sentences that must be known to compare it; `local_time`: `created_at` is of an unknown time zone.
    `companion_count` is how many other rows ran at the same time. `error` is an errno, 0 if all went well.
    """

    name: str
    version: str | None
    created_at: datetime | None
    host: str | None
    options: dict[str, str] | None
    worker_count: int
    companion_count: int
    error: int
    error_count: int
    read: FioHalf | None
    write: FioHalf | None
    mixed: FioHalf | None
    sync: FioLatency | None
    cpu_ns: int | None
    device_name: str | None
    notes: tuple[str, ...]
    cut_short: bool
    options_complete: bool = True
    local_time: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def moved_bytes(self) -> int:
        """Bytes read and written."""
        return sum(half.moved_bytes for half in (self.read, self.write) if half)

    @property
    def runtime_ns(self) -> int:
        """The longer of the times that it read and wrote."""
        return max((half.runtime_ns for half in (self.read, self.write) if half), default=0)

    @property
    def interrupted(self) -> bool:
        """Whether fio was told to stop before its time."""
        return any("terminating on signal" in note for note in self.notes)
