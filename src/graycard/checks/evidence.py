"""What the checks look at: one task, its runs, and all that is known of the set-up; and how to read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graycard.facts import change, number, value
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Run

# Engines that do their I/O in another process, so that this process's own counters do not see it.
OUTSIDE_ENGINES = frozenset({"fio"})
MEMORY_FILE_SYSTEMS = frozenset({"tmpfs", "ramfs", "devtmpfs"})
NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "afp", "webdav", "ceph", "lustre", "glusterfs")
# The kernel does not charge their I/O to the process that asked: a program, another thread or the host does the work.
UNCHARGED_FILE_SYSTEMS = frozenset({"zfs", "9p", "virtiofs", "vboxsf", "prl_fs"})
LOOPBACK_SERVERS = ("127.", "localhost", "::1", "[::1]")

OWN_BYTES = {Operation.READ: "own_read_bytes", Operation.WRITE: "own_written_bytes"}
DEVICE_BYTES = {Operation.READ: "device_read_bytes", Operation.WRITE: "device_written_bytes"}
NETWORK_BYTES = {Operation.READ: "network_received_bytes", Operation.WRITE: "network_sent_bytes"}


@dataclass(frozen=True, slots=True)
class CheckEvidence:
    """All that the checks may judge by.

    `facts` are those of the volume, the medium and the folder; `file_before` describes the measured file after it was
    laid out, `file_after` after the last run; `instrument` are the engine's own limits; `engine` is its name;
    `others_count` counts other graycard runs on the volume.
    """

    task: IoTask
    facts: tuple[Fact, ...]
    runs: tuple[Run, ...]
    file_before: tuple[Fact, ...] = ()
    file_after: tuple[Fact, ...] = ()
    instrument: tuple[Fact, ...] = ()
    engine: str = "native"
    others_count: int | None = None

    @property
    def is_write(self) -> bool:
        """Whether the task writes."""
        return self.task.operation is Operation.WRITE

    @property
    def bypasses(self) -> bool:
        """Whether the task claims to go past the page cache."""
        return self.task.cache is Cache.BYPASS

    @property
    def file_system(self) -> str:
        """Its lower-case name; empty when unknown."""
        return str(value(self.facts, "file_system") or "").lower()

    @property
    def in_memory(self) -> bool:
        """Whether the file system keeps its files in memory alone."""
        return self.file_system in MEMORY_FILE_SYSTEMS

    @property
    def on_network(self) -> bool:
        """Whether the volume is a network share."""
        known = value(self.facts, "bus") == "network" or value(self.facts, "server") is not None
        return known or self.file_system.startswith(NETWORK_FILE_SYSTEMS)

    @property
    def server_is_here(self) -> bool:
        """Whether the share's server is this computer, so that no counted interface carries its bytes."""
        return str(value(self.facts, "server") or "").lower().startswith(LOOPBACK_SERVERS)

    @property
    def on_fuse(self) -> bool:
        """Whether a program, not the kernel, answers the requests (FUSE)."""
        names = (value(self.facts, name) for name in ("file_system", "driver"))
        if any("fuse" in str(name).lower() for name in names):
            return True
        watched = any(series.name == "fuse_waiting_count" for run in self.runs for series in run.monitor)
        return watched or any(number(run.before, "fuse_waiting_count") is not None for run in self.runs)

    @property
    def counts_own_bytes(self) -> bool:
        """Whether this process's own I/O counters see what the engine moves."""
        charged = not self.on_fuse and self.file_system not in UNCHARGED_FILE_SYSTEMS
        return charged and self.engine not in OUTSIDE_ENGINES


def own_bytes(evidence: CheckEvidence, run: Run, operation: Operation) -> float | None:
    """Bytes that this process moved to or from storage during the run; None where they cannot be counted."""
    return change(run.before, run.after, OWN_BYTES[operation]) if evidence.counts_own_bytes else None


def device_bytes(run: Run, operation: Operation) -> float | None:
    """Bytes that anyone moved on the device during the run."""
    return change(run.before, run.after, DEVICE_BYTES[operation])


def network_bytes(run: Run, operation: Operation) -> float | None:
    """Bytes that all interfaces but loopback carried in the operation's direction during the run."""
    return change(run.before, run.after, NETWORK_BYTES[operation])


def io_time_ns(evidence: CheckEvidence, run: Run) -> int | None:
    """The part of the run in which I/O was issued and drained; None when nothing is left of it.

    A flush after each write happens inside that part, a flush at the end after it.
    """
    samples = run.samples
    each_write = evidence.is_write and evidence.task.durability is Durability.EACH_WRITE
    left_ns = samples.elapsed_ns - (samples.close_ns or 0) if each_write else samples.io_ns
    return left_ns if left_ns > 0 else None


def points_of(run: Run, name: str) -> tuple[float, ...]:
    """The values of a figure watched during the run, in order; empty when it was not watched."""
    return tuple(point.value for series in run.monitor if series.name == name for point in series.points)


def cpu_share(evidence: CheckEvidence, run: Run) -> float | None:
    """Processor time of the I/O threads as a share of what they could have had: 1 means always busy."""
    available_ns = _thread_time_ns(evidence, run)
    if run.samples.cpu_ns is None or available_ns is None:
        return None
    return run.samples.cpu_ns / available_ns


def cpu_wait_share(evidence: CheckEvidence, run: Run) -> float | None:
    """Time in which this process's threads were ready but had no processor, as a share of what they could have had."""
    found = next((series for series in run.monitor if series.name == "cpu_wait_ns"), None)
    if found is None or len(found.points) < 2:
        return None
    first, last = found.points[0], found.points[-1]
    watched_ns = last.at_ns - first.at_ns
    if watched_ns <= 0 or last.value < first.value:
        return None
    return (last.value - first.value) / (watched_ns * _threads_count(evidence, run))


def file_facts(evidence: CheckEvidence) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    """The two descriptions of the measured file, each with the words for when it was taken."""
    yield "before the first run", evidence.file_before
    yield "after the last run", evidence.file_after


def _thread_time_ns(evidence: CheckEvidence, run: Run) -> float | None:
    """Processor time that the I/O threads could have had: no more of them run at once than there are processors."""
    elapsed_ns, processors = io_time_ns(evidence, run), number(evidence.facts, "cpu_count")
    threads = _threads_count(evidence, run)
    return elapsed_ns * min(threads, processors or threads) if elapsed_ns else None


def _threads_count(evidence: CheckEvidence, run: Run) -> int:
    """I/O threads: one a worker, or, where no call only submits, one a request in flight (a pool)."""
    in_pool = run.samples.submit_ns is None
    return max(1, evidence.task.worker_count, evidence.task.depth_count if in_pool else 0)
