"""The thread that reads: each file once, in pieces that all others get. The copy and the verification both use it."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO

from graycard.errors import io_problem
from graycard.model import Target, TargetKind
from graycard.offload.faults import Fault, Faults, Kind
from graycard.offload.files import Access
from graycard.offload.items import FileFound, Item
from graycard.offload.messages import (
    BATCH_BYTES,
    BATCH_COUNT,
    SMALL_BYTES,
    Batch,
    Closed,
    Inbox,
    Message,
    Opened,
    Piece,
    Small,
    send,
)
from graycard.offload.meter import Meter
from graycard.offload.slabs import Slabs, Stride

_DENIED = {errno.EACCES, errno.EPERM}
_MISSING = {errno.ENOENT, errno.ENOTDIR}


class GoneError(Exception):
    """The place that is read is not there any more."""


@dataclass(slots=True)
class Reader:
    """Reads the files below `root`. `prepare` is called with each path before it is opened.

    A file whose size or time of change is not that of its item becomes a fault of the kind `changed_kind`; with
    `is_strict` the time counts, too. Faulty files are left out, and the others go on.
    """

    root: str
    access: Access
    slabs: Slabs
    meter: Meter
    faults: Faults
    stop: threading.Event
    inboxes: Sequence[Inbox]
    changed_kind: Kind
    missing_kind: Kind
    is_strict: bool = False
    prepare: Callable[[str], None] = lambda _path: None
    _batch: Batch = field(default_factory=list)
    _batch_bytes: int = 0

    def run(self, items: Iterable[Item]) -> None:
        """Read all items, then tell the others that it is the end, whatever happened."""
        self.meter.begin()
        try:
            for item in items:
                if self.stop.is_set():
                    break
                self._take(item)
            self._send_batch()
        except GoneError as gone:
            self.faults.add(Fault(Kind.VANISHED, self.root, None, str(gone)))
        except OSError as error:
            self.faults.add(Fault(Kind.VANISHED, self.root, None, self._cannot_read(self.root, error)))
        finally:
            self.meter.end()
            self._send(None)

    def _take(self, item: Item) -> None:
        if not isinstance(item, FileFound):
            self._add(item, 0)
        elif item.size_bytes > SMALL_BYTES:
            self._send_batch()
            self._large(item)
        else:
            self._small(item)

    # ---- small files ----

    def _small(self, found: FileFound) -> None:
        path = os.path.join(self.root, found.path)
        try:
            with self.meter.busy():
                self.prepare(path)
                with self.access.to_read(path, is_large=False) as file:
                    data = file.read(found.size_bytes + 1) or b""
                    is_sound = self._is_sound(found, file, len(data))
        except OSError as error:
            self._told(found, error)
            return
        if is_sound:
            self.meter.credit(len(data))
            self.meter.files_count += 1
            self._add(Small(found, data), len(data))

    def _add(self, item: Item | Small, data_bytes: int) -> None:
        self._batch.append(item)
        self._batch_bytes += data_bytes
        if self._batch_bytes >= BATCH_BYTES or len(self._batch) >= BATCH_COUNT:
            self._send_batch()

    def _send_batch(self) -> None:
        if self._batch:
            self._send(self._batch)
            self._batch, self._batch_bytes = [], 0

    # ---- large files ----

    def _large(self, found: FileFound) -> None:
        path = os.path.join(self.root, found.path)
        is_open = is_whole = False
        try:
            with self._opened(path) as file:
                with self.meter.busy():
                    is_sound = self._is_sound(found, file, found.size_bytes)
                if is_sound:
                    self._send(Opened(found))
                    is_open = True
                    at = self._pieces(found, file)
                    with self.meter.busy():
                        is_whole = not self.stop.is_set() and self._is_sound(found, file, at)
        except OSError as error:
            self._told(found, error)
        finally:
            if is_open:
                self.meter.files_count += is_whole
                self._send(Closed(is_whole))

    @contextmanager
    def _opened(self, path: str) -> Iterator[FileIO]:
        """The open file; closing it asks the file system, too."""
        with self.meter.busy():
            self.prepare(path)
            file = self.access.to_read(path, is_large=True)
        try:
            yield file
        finally:
            with self.meter.busy():
                file.close()

    def _pieces(self, found: FileFound, file: FileIO) -> int:
        """Hand over the file's pieces; the bytes that came."""
        at, stride = 0, Stride()
        while at < found.size_bytes and not self.stop.is_set():
            with self.meter.waiting():
                slab = self.slabs.take()
            count = 0
            try:
                with self.meter.busy():
                    from_ns = time.monotonic_ns()
                    count = min(file.readinto(slab.view[: stride.step_bytes]) or 0, found.size_bytes - at)
                    stride.took(count, time.monotonic_ns() - from_ns)
            finally:
                if not count:
                    slab.lend(0)
            if not count:
                break
            self.meter.credit(count)
            self._send(Piece(slab, count))
            at += count
        return at

    # ---- what may go wrong ----

    def _is_sound(self, found: FileFound, file: FileIO, came_bytes: int) -> bool:
        """Whether the open file still is what was listed, and all of it came; if not, it is told."""
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            says = "is no regular file any more"
        elif info.st_size != found.size_bytes or came_bytes != found.size_bytes:
            actual = min(info.st_size, came_bytes) if came_bytes < found.size_bytes else info.st_size
            says = f"has {actual} bytes instead of {found.size_bytes}"
        elif self.is_strict and info.st_mtime_ns != found.modified_ns:
            says = "was written to while it was copied"
        else:
            return True
        came_bytes = min(info.st_size, came_bytes)
        short_at = came_bytes if came_bytes < found.size_bytes else None
        kind = Kind.DIFFERS if self.changed_kind is Kind.SHORT and short_at is None else self.changed_kind
        self.faults.add(Fault(kind, self.root, found.path, f"{self._shown(found)} {says}", short_at))
        return False

    def _told(self, found: FileFound, error: OSError) -> None:
        """Make a fault of the error; GoneError if the whole place is gone."""
        with self.meter.busy():
            is_there = _is_there(self.root)
        if not is_there:
            raise GoneError(self._cannot_read(self.root, error)) from error
        if error.errno in _MISSING:
            kind, says = self.missing_kind, f"{self._shown(found)} is not there"
        else:
            kind, says = Kind.UNREADABLE, self._cannot_read(os.path.join(self.root, found.path), error)
        self.faults.add(Fault(kind, self.root, found.path, says))

    def _cannot_read(self, path: str, error: OSError) -> str:
        place = Target(path, TargetKind.FILE).shown
        advice = "check your permission" if error.errno in _DENIED else None
        return str(io_problem(error.errno or errno.EIO, operation="read", place=place, phase="measure", advice=advice))

    def _shown(self, found: FileFound) -> str:
        return Target(os.path.join(self.root, found.path), TargetKind.FILE).shown

    def _send(self, message: Message | None) -> None:
        with self.meter.waiting():
            send(message, self.inboxes)


def _is_there(root: str) -> bool:
    try:
        os.stat(root)
    except OSError:
        return False
    return True
