"""The frames of a stream as files: one clip that goes round, or a folder of frame files. Both know their own time."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from mmap import mmap
from threading import Event
from typing import Protocol

from graycard.errors import io_problem
from graycard.model import Cache, Target, TargetKind
from graycard.play.following import StoppedError
from graycard.play.frame_io import FrameIo, Moved
from graycard.play.judging import Stamp
from graycard.play.streams import ALIGN_BYTES, Kind
from graycard.protocols import Host

# One call moves at most so much (EVS servers read 8 MB blocks): a stop is looked for in between.
PIECE_BYTES = 8 << 20
# The last part of a wait is the core's, which needs no lock to wake; before it a stop is looked for.
LAST_WAIT_NS = 20_000_000
LOOK_EVERY_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """What all streams of a run share: the machine, the calls, the way through or past the page cache, the stop."""

    host: Host
    io: FrameIo
    cache: Cache
    seed: int
    stop: Event

    @property
    def direct(self) -> bool:
        """Whether files are opened for direct I/O."""
        return self.cache is Cache.BYPASS

    def look(self) -> None:
        """StoppedError if a stop was asked for."""
        if self.stop.is_set():
            raise StoppedError

    def wait(self, moment_ns: int) -> bool:
        """Wait until shortly before the moment; whether there is, or was, anything to wait for."""
        self.look()
        left_ns = moment_ns - self.io.now_ns()
        waits = left_ns > 0
        while left_ns > LAST_WAIT_NS:
            self.stop.wait(min(left_ns - LAST_WAIT_NS // 2, LOOK_EVERY_NS) / 1e9)
            self.look()
            left_ns = moment_ns - self.io.now_ns()
        return waits


class Opened(Protocol):
    """Opens a frame's file, or makes it where it is to be written for the first time."""

    def __call__(self, path: str, *, write: bool, direct: bool) -> int:
        """The descriptor; the caller closes it."""
        ...


class Memory:
    """A buffer for one frame. Page-aligned, as direct I/O needs it."""

    def __init__(self, place: Place, kind: Kind, stream: int) -> None:
        self._place = place
        self._kind = kind
        self._stream = stream
        self._view = memoryview(mmap(-1, kind.stride_bytes))
        self._bytes = kind.stride_bytes

    def renew(self, frame: int) -> None:
        """For a frame to write: data that no other frame has."""
        if self._kind.records:
            self._place.io.fill(self._view, self._place.seed, self._stream + 1, frame)

    def transfer(self, fd: int, path: str, offset: int, moment_ns: int) -> tuple[int, int]:
        """The whole frame; when it began and ended. RunProblem, StoppedError."""
        begin_ns = end_ns = 0
        for start in range(0, self._bytes, PIECE_BYTES):
            self._place.look()
            piece = self._view[start : start + PIECE_BYTES]
            move = self._call(fd, piece, offset + start, 0 if start else moment_ns)
            self._judge(move, fd, path, piece, offset + start)
            begin_ns, end_ns = begin_ns or move.begin_ns, move.end_ns
        return begin_ns, end_ns

    def _call(self, fd: int, piece: memoryview, offset: int, moment_ns: int) -> Moved:
        io = self._place.io
        return (io.write if self._kind.records else io.read)(fd, piece, offset, moment_ns)

    def _judge(self, move: Moved, fd: int, path: str, piece: memoryview, offset: int) -> None:
        if move.moved_bytes == len(piece):
            return
        code = max(0, -move.moved_bytes)
        if move.moved_bytes > 0 and move.moved_bytes % ALIGN_BYTES == 0:
            # Why it was short, as on a full disk, is told by the rest.
            code = max(0, -self._call(fd, piece[move.moved_bytes :], offset + move.moved_bytes, 0).moved_bytes)
        operation = self._kind.operation.value
        raise io_problem(code, operation=operation, place=shown(path), offset_bytes=offset, phase="measure")


class ClipDevice:
    """A stream whose frames lie one behind the other in one file; after the last comes the first again."""

    def __init__(
        self, place: Place, kind: Kind, stream: int, path: str, clip_frames: int, first_frame: int = 0
    ) -> None:
        self._place = place
        self._stride = kind.stride_bytes
        self._path = path
        self._clip_frames = clip_frames
        self._first = first_frame
        self._records = kind.records
        self._written_count = 0  # a frame that was dropped leaves no hole in a recording
        self._memory = Memory(place, kind, stream)
        self._fd = place.host.open_file(path, write=kind.records, direct=place.direct)

    def now_ns(self) -> int:
        """The clock of all stamps."""
        return self._place.io.now_ns()

    def move(self, frame: int, moment_ns: int) -> Stamp:
        """One frame."""
        number = (self._first + (self._written_count if self._records else frame)) % self._clip_frames
        self._written_count += self._records
        self._memory.renew(frame)
        if number == 0 and frame and self._place.cache is Cache.COLD and not self._records:
            self._place.host.drop_cache(self._path)
        waited = self._place.wait(moment_ns)
        return Stamp(*self._memory.transfer(self._fd, self._path, number * self._stride, moment_ns), waited)

    def finish(self) -> None:
        """Flush what was written."""
        if self._records:
            flush(self._place.io, self._fd, self._path)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


class FrameFiles:
    """A stream with one file a frame: opening and closing are parts of each frame's time, so is making a new one."""

    def __init__(
        self,
        place: Place,
        kind: Kind,
        stream: int,
        path_of: Callable[[int], str],
        clip_frames: int,
        opened: Opened,
    ) -> None:
        self._place = place
        self._open_file = opened
        self._written_count = 0
        self._path_of = path_of
        self._clip_frames = clip_frames
        self._records = kind.records
        self._memory = Memory(place, kind, stream)

    def now_ns(self) -> int:
        """The clock of all stamps."""
        return self._place.io.now_ns()

    def move(self, frame: int, moment_ns: int) -> Stamp:
        """One frame: open, transfer, close."""
        path = self._path_of((self._written_count if self._records else frame) % self._clip_frames)
        self._written_count += self._records
        self._memory.renew(frame)
        waited = self._place.wait(moment_ns)
        self._sleep(moment_ns)
        begin_ns = self.now_ns()
        fd = self._open(path)
        try:
            self._memory.transfer(fd, path, 0, 0)
        finally:
            os.close(fd)
        stamp = Stamp(begin_ns, self.now_ns(), waited)
        if self._place.cache is Cache.COLD and not self._records:
            self._place.host.drop_cache(path)
        return stamp

    def finish(self) -> None:
        """Nothing is held back but what the page cache holds: the last frame's flush waits for the volume."""

    def close(self) -> None:
        """No file is open between frames."""

    def _open(self, path: str) -> int:
        return self._open_file(path, write=self._records, direct=self._place.direct)

    def _sleep(self, moment_ns: int) -> None:
        self._place.stop.wait(max(0, moment_ns - self.now_ns()) / 1e9)


def flush(io: FrameIo, fd: int, path: str) -> None:
    """Everything written goes to the medium; RunProblem where that fails."""
    try:
        io.flush(fd)
    except OSError as error:
        raise io_problem(error.errno, operation="flush", place=shown(path), phase="flush") from error


def shown(path: str) -> str:
    """A path as one printable line."""
    return Target(path, TargetKind.FILE).shown
