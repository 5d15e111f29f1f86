"""The far end's own folder: files of the test are written and read there and nowhere else, and all of it is removed.

The folder that the far end may use is named when it starts, by the person or command that starts it. The near end names
no path at all: it asks for so many bytes to be written or read, and says which of graycard's own names the folder has
and what its marker says, so that `graycard clean` can prove whose it was should the far end be killed. Without such a
folder there are no disk tests.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import threading
import time
from typing import TYPE_CHECKING, Any

from graycard.agent.counting import Counter

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK_BYTES = 1 << 20
# Random data are made once: a NAS needs a second for 100 MB of them. Each write begins elsewhere in them.
POOL_BYTES = 16 << 20
MOST_BYTES = 64 << 30
RESERVE_RATIO = 0.05
LOOK_EVERY_S = 0.1
# What a near end may name it, so that it can prove later whose it was; and the longest proof.
_NAME = re.compile(r"\.graycard-[0-9a-f]{16}")
MARKER, DATA = "owner.json", "data.graycard"
MOST_MARKER_BYTES = 4096
MOST_KEPT = 16
_DONTNEED = getattr(os, "POSIX_FADV_DONTNEED", 4)


class Ground:
    """A folder below `root`, made when it is first needed, with one file in it and the near end's marker.

    And those that the near end has made there by itself, over the share: should it be gone, they are removed here.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._name = ".graycard-" + secrets.token_hex(8)
        self._marker = b""
        self._folder = ""
        self._job: Job | None = None
        self._kept: dict[str, bytes] = {}

    def call(self, name: str, marker: str) -> None:
        """What the folder is called, and the text of its marker; ValueError for a name that is no run's folder."""
        text = _checked(name, marker)
        if not self._folder:
            self._name, self._marker = name, text

    def keep(self, name: str, marker: str) -> None:
        """A folder of the near end's, which is removed with the last word of it if it has that marker; ValueError."""
        text = _checked(name, marker)
        if not text or len(self._kept) >= MOST_KEPT:
            raise ValueError("a folder without a marker, or too many of them")
        self._kept[name] = text

    def free_bytes(self) -> int:
        """What may be written: the free space without a reserve of 5 % of the volume."""
        found = shutil.disk_usage(self._root)
        return max(0, int(found.free - RESERVE_RATIO * found.total))

    def begin(self, what: str, count: int) -> None:
        """Start to write or read in a thread; ValueError where that cannot be, OSError where there is no folder."""
        if self._job is not None and self._job.is_running:
            raise ValueError("a disk test is running already")
        if not 0 < count <= MOST_BYTES:
            raise ValueError("a disk test moves 1 byte to 64 GiB")
        if what == "write" and count > self.free_bytes():
            raise ValueError("there is not enough free space for that beside a reserve of 5 %; make room there")
        self._job = Job(what, self._file(), count)

    def told(self) -> dict[str, Any]:
        """How far the test is, and what it gave when it has ended."""
        if self._job is None:
            raise ValueError("no disk test was begun")
        return self._job.told()

    def remove(self) -> None:
        """Remove the file and the folder; a test that runs ends first."""
        if self._job is not None:
            self._job.stop()
            self._job = None
        if self._folder:
            for name in (DATA, MARKER):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(self._folder, name))
            os.rmdir(self._folder)
            self._folder = ""

    def remove_kept(self) -> None:
        """Remove the folders of the near end that are still there, with all that is in them."""
        for name, marker in self._kept.items():
            folder = os.path.join(self._root, name)
            if _read(os.path.join(folder, MARKER)) == marker and not os.path.islink(folder):
                _remove_all(folder)

    def _file(self) -> str:
        if not self._folder:
            folder = os.path.join(self._root, self._name)
            os.mkdir(folder, 0o700)
            self._folder = folder
            if self._marker:
                self._mark()
        return os.path.join(self._folder, DATA)

    def _mark(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(os.path.join(self._folder, MARKER), flags, 0o600)
        try:
            os.write(descriptor, self._marker)
        finally:
            os.close(descriptor)


def _checked(name: str, marker: str) -> bytes:
    text = marker.encode("utf-8")
    if not _NAME.fullmatch(name) or len(text) > MOST_MARKER_BYTES:
        raise ValueError("that is no folder of a run, or a marker that is too long")
    return text


def _read(path: str) -> bytes | None:
    """A small regular file; None for what is none, or cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        return os.read(descriptor, MOST_MARKER_BYTES + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _remove_all(folder: str) -> None:
    """The marker goes last: what cannot be removed is still known as the run's. No link is followed."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        elif entry.name != MARKER:
            os.unlink(entry.path)
    shutil.rmtree(folder)


class Job:
    """One write or read in a thread of its own, so that the far end hears when the near one has gone."""

    def __init__(self, what: str, path: str, count: int) -> None:
        if what not in ("write", "read"):
            raise ValueError("a disk test writes or reads")
        self._counter = Counter()
        self._path = path
        self._stopped = threading.Event()
        self._found: dict[str, Any] = {}
        work = self._write if what == "write" else self._read
        self._thread = threading.Thread(target=self._run, args=(work, path, count), daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it still moves bytes, or flushes."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it. A flush waits for the disk; what is no longer part of the file needs not be written any more."""
        self._stopped.set()
        while self._thread.is_alive():
            with contextlib.suppress(OSError):
                os.truncate(self._path, 0)
            self._thread.join(LOOK_EVERY_S)

    def told(self) -> dict[str, Any]:
        """Bytes and slots so far; `flush_ns` and `error` where it has ended."""
        return dict(self._counter.told(), running=self.is_running, **self._found)

    def _run(self, work: Any, path: str, count: int) -> None:
        try:
            work(path, count)
        except OSError as error:
            self._found["error_text"] = error.strerror or str(error)

    def _write(self, path: str, count: int) -> None:
        """Write a new file, then flush it: the time of the flush stands apart."""
        pool = memoryview(os.urandom(POOL_BYTES))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            self._counter.begin()
            for number, size in enumerate(self._pieces(count)):
                # An odd step: blocks that are written one after the other share no aligned part.
                start = number * 262_147 % (POOL_BYTES - BLOCK_BYTES)
                self._counter.add(os.write(descriptor, pool[start : start + size]))
            begun = time.perf_counter_ns()
            os.fsync(descriptor)
            self._found["flush_ns"] = time.perf_counter_ns() - begun
        finally:
            os.close(descriptor)

    def _read(self, path: str, count: int) -> None:
        """Read what was written before, from the disk as far as this system lets one ask for that."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            forget = getattr(os, "posix_fadvise", None)
            if forget is not None:
                forget(descriptor, 0, 0, _DONTNEED)
            self._found["is_cold"] = forget is not None
            self._counter.begin()
            for size in self._pieces(count):
                data = os.read(descriptor, size)
                if not data:
                    return
                self._counter.add(len(data))
        finally:
            os.close(descriptor)

    def _pieces(self, count: int) -> Iterator[int]:
        """Blocks of 1 MiB until all is done or it was stopped."""
        while count > 0 and not self._stopped.is_set():
            size = min(BLOCK_BYTES, count)
            yield size
            count -= size
