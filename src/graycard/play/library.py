"""The files of the streams, in the run's own folder.

What is played is written whole beforehand, with data that neither compress nor repeat. A recorded stream's file, or
its frame files, are made empty.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from mmap import mmap

from graycard.errors import RunProblem, TargetProblem, io_problem
from graycard.model import Cache, Fact
from graycard.plan.seeds import derived_seed
from graycard.play.files import ClipDevice, FrameFiles, Place, flush, shown
from graycard.play.frame_io import FrameIo
from graycard.play.streams import MIB, Kind, Playing
from graycard.protocols import Host
from graycard.scratch import Scratch

# Large enough for any drive's full rate; a stop is looked for after each.
LAYOUT_BYTES = 4 * MIB

# Told the bytes laid out so far; may raise to stop.
OnLaidOut = Callable[[int], None]
Device = ClipDevice | FrameFiles


class Library:
    """Makes and knows the files. `written_bytes` counts what was laid out."""

    def __init__(self, playing: Playing, scratch: Scratch, host: Host, io: FrameIo) -> None:
        self._playing = playing
        self._scratch = scratch
        self._host = host
        self._io = io
        self._made: set[str] = set()
        self._memory = memoryview(mmap(-1, LAYOUT_BYTES))
        self.written_bytes = 0
        self.cache = playing.cache
        self.note: str | None = None

    def lay_out(self, kinds: Sequence[Kind], on_laid_out: OnLaidOut) -> None:
        """Make what is missing for these streams, in this order. RunProblem in the middle."""
        for stream, kind in enumerate(kinds):
            for path, size_bytes in self._files(stream, kind):
                if path not in self._made and not (kind.records and kind.file_per_frame):
                    os.close(self._create(path, direct=False))
                    if not kind.records:
                        self._write(path, size_bytes, on_laid_out)

    def missing_bytes(self, kinds: Sequence[Kind]) -> int:
        """What `lay_out` would write."""
        files = {path: size for s, k in enumerate(kinds) if not k.records for path, size in self._files(s, k)}
        return sum(size for path, size in files.items() if path not in self._made)

    def device(self, place: Place, stream: int, kind: Kind) -> Device:
        """The stream's files, opened."""
        frames = self._playing.clip_frames(kind)
        if kind.file_per_frame:
            # Made beforehand: between two frames nothing is computed that a player would not compute.
            paths = [self._frame_path(stream, kind, frame) for frame in range(frames)]
            return FrameFiles(place, kind, stream, paths.__getitem__, frames, self.open)
        first = derived_seed(self._playing.seed, "start", stream) % frames if self._shares(kind) else 0
        if place.cache is Cache.COLD and not kind.records:
            self._host.drop_cache(self._clip_path(stream, kind))
        return ClipDevice(place, kind, stream, self._clip_path(stream, kind), frames, first)

    def facts(self, stream: int, kind: Kind) -> tuple[Fact, ...]:
        """What the system says of the stream's file, or of its first one."""
        return self._host.file_facts(next(iter(self._files(stream, kind)))[0])

    def open(self, path: str, *, write: bool, direct: bool) -> int:
        """A frame's file; one that is to be recorded is made the first time, as a recorder makes it."""
        if write and path not in self._made:
            return self._create(path, direct=direct)
        return self._host.open_file(path, write=write, direct=direct)

    # ---- files ----

    def _shares(self, kind: Kind) -> bool:
        return self._playing.shared and not kind.records and not kind.file_per_frame

    def _files(self, stream: int, kind: Kind) -> list[tuple[str, int]]:
        if kind.file_per_frame:
            frames = range(self._playing.clip_frames(kind))
            return [(self._frame_path(stream, kind, frame), kind.stride_bytes) for frame in frames]
        return [(self._clip_path(stream, kind), self._playing.clip_bytes(kind))]

    def _clip_path(self, stream: int, kind: Kind) -> str:
        if self._shares(kind):
            return self._scratch.file_path(f"shared-{derived_seed(0, kind.key):x}")
        return self._scratch.file_path(f"stream-{self._slot(stream, kind)}")

    def _frame_path(self, stream: int, kind: Kind, frame: int) -> str:
        return self._scratch.file_path(f"stream-{self._slot(stream, kind)}-f{frame}")

    @staticmethod
    def _slot(stream: int, kind: Kind) -> str:
        """Of its own for each stream and format: when the number of streams changes, files must not change hands."""
        return f"{stream}-{derived_seed(0, kind.key, kind.operation.value) % 16**8:x}"

    def _create(self, path: str, *, direct: bool) -> int:
        try:
            made = self._host.create_file(path, direct=direct, nocow=False)
        except FileExistsError as error:
            self._scratch.disown(path)
            says = f"another program made {shown(path)}; it was not touched, play elsewhere"
            raise RunProblem(says, errno=error.errno, offset_bytes=None, phase="layout") from error
        self._made.add(path)
        return made

    def _write(self, path: str, size_bytes: int, on_laid_out: OnLaidOut) -> None:
        fd = self._open(path)
        try:
            for offset in range(0, size_bytes, LAYOUT_BYTES):
                piece = self._memory[: min(LAYOUT_BYTES, size_bytes - offset)]
                self._io.fill(piece, self._playing.seed, 0, self.written_bytes)
                self._write_piece(fd, path, piece, offset)
                self.written_bytes += len(piece)
                on_laid_out(self.written_bytes)
            flush(self._io, fd, path)
        finally:
            os.close(fd)

    def _write_piece(self, fd: int, path: str, piece: memoryview, offset: int) -> None:
        moved = self._io.write(fd, piece, offset, 0).moved_bytes
        if 0 < moved < len(piece):
            more = self._io.write(fd, piece[moved:], offset + moved, 0).moved_bytes
            moved = more if more < 0 else moved + more
        if moved != len(piece):
            place = f"the clip {shown(path)}"
            raise io_problem(max(0, -moved), operation="write", place=place, offset_bytes=offset, phase="layout")

    def _open(self, path: str) -> int:
        """For direct I/O; where the file system refuses that, through the page cache from then on, and that is said."""
        if self.cache is Cache.BYPASS:
            try:
                return self._host.open_file(path, write=True, direct=True)
            except TargetProblem as problem:
                self.cache = Cache.COLD
                self.note = f"{problem}; played through the emptied page cache instead"
        return self._host.open_file(path, write=True, direct=False)
