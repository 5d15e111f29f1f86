"""One destination's files: written under a temporary name, flushed to the medium, and only then given their own."""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import re
import threading
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from io import FileIO

from graycard.offload.files import BLOCK_BYTES, Access
from graycard.offload.items import FileFound
from graycard.offload.slabs import Stride

_PART = re.compile(r"\.graycard-[0-9a-f]{8}-[0-9]+\.part")
OnError = Callable[[FileFound, OSError], None]
# So many flushes are under way at once: a file system carries out those that wait together as one.
FINISHERS_COUNT = 4
_WAITING_COUNT = 32


def part_name(token: str, number: int) -> str:
    """The temporary name of what is not whole yet; `token` (8 hexadecimal digits) is the run's."""
    return f".graycard-{token}-{number}.part"


def _always() -> bool:
    return True


@dataclass(slots=True)
class Part:
    """A file on its way. `temporary` and `final` are absolute paths.

    `goes_on` is asked after each call whether there shall be another.
    """

    found: FileFound
    file: FileIO
    bypasses: bool
    temporary: str
    final: str
    goes_on: Callable[[], bool] = _always
    _stride: Stride = field(default_factory=Stride)

    def write(self, data: memoryview | bytes) -> bool:
        """Write all of the data; False if it was stopped before its end. OSError."""
        view = memoryview(data)
        while view:
            from_ns = time.monotonic_ns()
            moved_bytes = self.file.write(view[: self._stride.step_bytes])
            view = view[moved_bytes:]
            self._stride.took(moved_bytes, time.monotonic_ns() - from_ns)
            if not self.goes_on():
                return not view
        return True

    def write_direct(self, view: memoryview, bytes_count: int) -> bool:
        """Write whole blocks, of which the last may hold more than the file; as `write`."""
        whole = -(-bytes_count // BLOCK_BYTES) * BLOCK_BYTES
        done = self.write(view[:whole])
        if whole != bytes_count:
            self.file.truncate(self.found.size_bytes)
        return done

    def discard(self) -> None:
        """Remove it."""
        with contextlib.suppress(OSError):
            self.file.close()
        with contextlib.suppress(OSError):  # a drive that is gone keeps what it has
            os.unlink(self.temporary)


@dataclass(slots=True)
class Landing:
    """The folder `root`, which is there. `token` is in the names of this run's temporary files.

    `keeps_times` becomes False where the file system cannot set the time of a file's last change.
    """

    root: str
    access: Access
    token: str
    keeps_times: bool = True
    files_count: int = 0
    _has_links: bool = True
    _begun_count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, found: FileFound, *, is_large: bool, goes_on: Callable[[], bool] = _always) -> Part:
        """A new temporary file beside the final one; OSError."""
        final = os.path.join(self.root, found.path)
        self._begun_count += 1
        temporary = os.path.join(os.path.dirname(final), part_name(self.token, self._begun_count))
        file, bypasses = self.access.to_write(temporary, is_large=is_large)
        return Part(found, file, bypasses, temporary, final, goes_on)

    def finish(self, part: Part) -> None:
        """Flush the whole file, keep its time, give it its name. FileExistsError if that is taken; OSError."""
        os.fsync(part.file.fileno())
        part.file.close()
        self.keep_time(part.temporary, part.found.modified_ns)
        self._publish(part)
        with self._lock:
            self.files_count += 1

    def keep_time(self, path: str, modified_ns: int) -> None:
        """Set the time of the last change."""
        try:
            os.utime(path, ns=(modified_ns, modified_ns))
        except OSError:
            self.keeps_times = False

    def has(self, found: FileFound) -> bool:
        """Whether a file of that size has the final name already."""
        try:
            return os.lstat(os.path.join(self.root, found.path)).st_size == found.size_bytes
        except OSError:
            return False

    def _publish(self, part: Part) -> None:
        """A second name for the file is refused where the name is taken; a renaming would replace what has it."""
        if self._has_links:
            try:
                os.link(part.temporary, part.final)
            except FileExistsError:
                raise
            except OSError:
                self._has_links = False  # FAT, exFAT and some shares have no second names
            else:
                os.unlink(part.temporary)
                return
        with self._lock:
            if os.path.lexists(part.final):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), part.final)
            os.rename(part.temporary, part.final)


def remove_parts(root: str) -> None:
    """Remove what a killed copy left half-written below `root`; OSError."""
    for folder, _, names in os.walk(root):
        for name in names:
            if _PART.fullmatch(name):
                os.unlink(os.path.join(folder, name))


@dataclass(slots=True)
class _Taken:
    """A part to be finished, `after` the one before it whose name may be the same to the file system.

    `is_done` is there where another one waits for it.
    """

    part: Part
    kin: str
    after: threading.Event | None
    is_done: threading.Event | None = None


def _kin(path: str) -> str:
    """The same for all names that some file system takes for one: capitals, composed letters, dots at the end."""
    return unicodedata.normalize("NFC", path.casefold()).rstrip(". ")


class Finishers:
    """The threads that finish the parts of one landing.

    `goes_on` tells whether a part shall still be finished, `on_error` is told what went wrong with one. Of parts whose
    names may be one to the file system, the one that was taken first is finished first, and so has the name.
    """

    def __init__(self, landing: Landing, goes_on: Callable[[], bool], on_error: OnError) -> None:
        self._landing, self._goes_on, self._on_error = landing, goes_on, on_error
        self._parts: queue.Queue[_Taken | None] = queue.Queue(_WAITING_COUNT)
        self._under_way: dict[str, _Taken] = {}
        self._lock = threading.Lock()
        self.unflushed_bytes = 0
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(FINISHERS_COUNT)]
        for thread in self._threads:
            thread.start()

    def take(self, part: Part) -> None:
        """Finish that part; waits where many are under way."""
        kin = _kin(part.final)
        with self._lock:
            self._count(part, 1)
            before = self._under_way.get(kin)
            if before is not None:
                before.is_done = threading.Event()
            taken = self._under_way[kin] = _Taken(part, kin, before.is_done if before else None)
        self._parts.put(taken)

    def end(self) -> int:
        """Wait until all are finished; the time that took, in ns."""
        from_ns = time.monotonic_ns()
        for _ in self._threads:
            self._parts.put(None)
        for thread in self._threads:
            thread.join()
        return time.monotonic_ns() - from_ns

    def _count(self, part: Part, sign: int) -> None:
        """Keep count of what may still be in the system's memory; with the lock."""
        if not part.bypasses:
            self.unflushed_bytes += sign * part.found.size_bytes

    def _work(self) -> None:
        while (taken := self._parts.get()) is not None:
            if taken.after is not None:
                taken.after.wait()
            self._finish(taken.part)
            with self._lock:
                self._count(taken.part, -1)
                if self._under_way[taken.kin] is taken:
                    del self._under_way[taken.kin]
                if taken.is_done is not None:
                    taken.is_done.set()

    def _finish(self, part: Part) -> None:
        if not self._goes_on():
            part.discard()
            return
        try:
            self._landing.finish(part)
        except OSError as error:
            part.discard()
            self._on_error(part.found, error)
        # It has answered, whatever it said.
        self._goes_on()
