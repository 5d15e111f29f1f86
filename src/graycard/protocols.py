"""The sockets: what a plug-in must offer. Each room shows its plug-ins in one tuple; docs/add-a-plugin.md tells how.

    Engine      ENGINES     engines/     carries out a task and counts
    CopyMethod  COPY_METHODS  transfer/  copies as a program or a loop does it
    Importer    IMPORTERS   importers/   reads another tool's result file
    FactReader  FACT_READERS readings/   reads what another program says of a set-up
    Probe       PROBES      host/        reads facts about the set-up
    Rule        RULES       why/         tells a cause why a copy is slow
    Renderer    RENDERERS   report/      turns a report into bytes

and three that are handed in as arguments, so that no test has to freeze time or fake a machine: Host, Clock and
VolumeMaker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol, runtime_checkable

from graycard.model import Fact, IoTask, Report, Result, Samples, Target
from graycard.model.copying import CopyTask
from graycard.model.diagnosis import Finding, Seen
from graycard.model.image import Image

OnTick = Callable[["Progress"], None]
# Called between the parts of a long call; what it raises ends that.
Look = Callable[[], None]
# Told the bytes of an image written so far; may raise to stop.
OnWritten = Callable[[int], None]


def unwatched() -> None:
    """The Look of a call that nobody will want to stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What an engine tells about ten times a second while it runs. Whoever listens may raise to stop the run.

    `since_progress_ns` is the time since the last operation completed: large means "no progress for N s".
    """

    elapsed_ns: int
    ops_count: int
    moved_bytes: int
    since_progress_ns: int


class EnoughError(Exception):
    """Raised by who listens to a run of the native engine: it ends here, and `run` returns what was measured so far.

    The run is drained and not flushed. On another engine it passes through, as everything that is raised.
    """


class Engine(Protocol):
    """Carries out a task on one file. `run` raises RunProblem; what `on_tick` raises passes through after a drain."""

    @property
    def name(self) -> str: ...

    def refuses(self, task: IoTask, target: Target) -> str | None:
        """Why this engine cannot do the task (one sentence), or None."""
        ...

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        """Measure `task` on the file `target.path`, which exists and holds `task.span_bytes` written bytes."""
        ...

    def settings(self) -> str:
        """How the engine works here, as "io_uring" or "thread pool", or "fio 3.33 io_uring"."""
        ...

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        """Facts of the factor "instrument": what this engine reaches at the task's depth and block with no device."""
        ...


class Probe(Protocol):
    """Reads facts. What is absent is a fact with None; a probe never raises for a machine that lacks something."""

    @property
    def name(self) -> str: ...

    def read(self, target: Target) -> tuple[Fact, ...]: ...


class CopyMethod(Protocol):
    """One way to copy. `run` raises RunProblem; what `on_tick` raises ends the copy and passes through."""

    @property
    def name(self) -> str: ...

    def refuses(self, task: CopyTask) -> str | None:
        """Why it cannot do that here (what it is, or needs), or None."""
        ...

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy and flush; an operation is a file. `on_tick` is told about four times a second."""
        ...


class Importer(Protocol):
    """Reads another tool's file. `read` raises ImportProblem, saying where and what."""

    @property
    def name(self) -> str: ...

    def recognises(self, head: bytes) -> bool: ...

    def read(self, data: bytes) -> tuple[Result, ...]: ...


@runtime_checkable
class StreamImporter(Importer, Protocol):
    """An importer whose files may be larger than memory (logs, CSV), or whose file name says what they hold."""

    def read_stream(self, file: BinaryIO, name: str) -> tuple[Result, ...]:
        """As `read`, from an open file at its beginning; holds a small part of it at any time.

        `name` is the file's name without folders, "" where there is none. It is asked instead of `read`, also for
        small files. `importers.text.stream_lines` reads lines of bounded length.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document of another program says of one device, mount or session.

    `names` are what users and other programs may call it, the usual one first. `mount_points` are where it is mounted;
    `whole` is the device that it is a part of, or its own name. `facts` hold what is known, and no None.
    """

    names: tuple[str, ...]
    facts: tuple[Fact, ...]
    mount_points: tuple[str, ...] = ()
    whole: str | None = None


class FactReader(Protocol):
    """Reads facts from what another program printed; `read` raises ImportProblem, saying what and the next step."""

    @property
    def name(self) -> str: ...

    def recognises(self, head: bytes) -> bool: ...

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """One reading for each device, mount or session that the document tells of; never none."""
        ...


class Rule(Protocol):
    """Tells one cause why a copy is slow, without any I/O. It never raises, and a figure that is None shows nothing."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str:
        """Where it comes from: an address, or what was measured."""
        ...

    @property
    def yields_to(self) -> tuple[str, ...]:
        """Names of rules that say it better where they hit, too."""
        ...

    def missing(self, seen: Seen) -> tuple[str, ...]:
        """The figures that it needs and that are not known, in words."""
        ...

    def __call__(self, seen: Seen) -> Finding | None:
        """What it found; None where its figures say no, or where they are missing."""
        ...


class Renderer(Protocol):
    """Turns a report into bytes, without any I/O."""

    @property
    def name(self) -> str: ...

    @property
    def media_type(self) -> str: ...

    def render(self, report: Report) -> bytes: ...


class Clock(Protocol):
    """Time, as an argument."""

    def monotonic_ns(self) -> int: ...

    def utc_now(self) -> datetime: ...

    def sleep_ns(self, duration_ns: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Volume:
    """A mounted file system. `why_not` says in one sentence why it cannot be measured, or None."""

    mount_point: str
    source: str
    file_system: str
    size_bytes: int | None
    free_bytes: int | None
    read_only: bool
    network: bool
    why_not: str | None


class Host(Protocol):
    """The operating system, as far as graycard needs it, one per platform; raises TargetProblem, RunProblem."""

    @property
    def name(self) -> str: ...

    def resolve(self, path: str) -> Target:
        """The real path and kind of what the user named. TargetProblem for a missing path or a raw device."""
        ...

    def volume(self, target: Target) -> Volume:
        """The volume that holds the target."""
        ...

    def volumes(self) -> tuple[Volume, ...]:
        """All mounted volumes a user may care for."""
        ...

    def facts(self, target: Target) -> tuple[Fact, ...]:
        """The six factors and the medium: all PROBES read."""
        ...

    def counters(self, target: Target) -> tuple[Fact, ...]:
        """The moving figures ("counter", "level", temperature), cheap enough to read before and after each run."""
        ...

    def levels(self, target: Target) -> tuple[Fact, ...]:
        """The figures watched ten times a second during a run: dirty pages, requests in flight, FUSE requests."""
        ...

    def file_facts(self, path: str, look: Look = unwatched) -> tuple[Fact, ...]:
        """The facts of the factor "file" about one existing file, opened for direct I/O where possible.

        What of it is dirty is counted and then written back, with `look` in between as in `write_back`.
        """
        ...

    def folder_facts(self, folder: str) -> tuple[Fact, ...]:
        """What can only be learnt by writing: whether zeros are compressed, and direct writes buffered.

        Writes at most 2 MiB and removes it.
        """
        ...

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        """A descriptor of an existing regular file, never following a last symlink, never creating; caller closes."""
        ...

    def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
        """A new file, exclusively; FileExistsError if the name is taken; opened for reading and writing."""
        ...

    def write_back(self, path: str, look: Look) -> None:
        """Write this file's dirty pages to the medium, piece by piece where the system can.

        `look` is called in between; what it raises ends the writing, in a fraction of a second also on a slow drive.
        """
        ...

    def drop_cache(self, path: str) -> None:
        """Write back and evict this file's pages from the page cache, as far as the system lets a user do."""
        ...


class VolumeMaker(Protocol):
    """Makes, mounts and removes file systems in image files, never on a device; one per platform.

    All paths are absolute; `path` is the image file, `mount_point` an existing empty folder. Who calls keeps both in a
    folder that is proven graycard's own: see `scratch.ImageFolder`. Raises TargetProblem, RunProblem.
    """

    @property
    def name(self) -> str: ...

    @property
    def suffix(self) -> str:
        """How the name of an image file must end, as ".img"."""
        ...

    @property
    def file_systems(self) -> tuple[str, ...]:
        """Those of `model.image.FILE_SYSTEMS` that this system can know; `refuses` tells what is missing here."""
        ...

    def refuses(self, image: Image) -> str | None:
        """Why this computer cannot make and mount it (one sentence with the next step), or None. Touches no disk."""
        ...

    def driver(self, image: Image) -> str | None:
        """What will serve the file system, as "kernel" or "mount.exfat-fuse"; None where it cannot be mounted."""
        ...

    def make(self, image: Image, path: str, on_written: OnWritten | None = None) -> None:
        """A new file, formatted; FileExistsError if the name is taken. After a failure or a stop nothing is left."""
        ...

    def mount(self, image: Image, path: str, mount_point: str) -> None:
        """Mount it; after a failure nothing is left mounted or attached."""
        ...

    def unmount(self, path: str, mount_point: str) -> None:
        """Unmount and detach, also what a killed process left; nothing to do is no error.

        RunProblem (phase "cleanup") where it is still in use: a mount is never hidden and left behind.
        """
        ...

    def remove(self, path: str) -> None:
        """Remove the image file, which is not mounted; one that is gone is no error."""
        ...
