"""Writes on: file after file, each new, until the bytes, the time or the steady level is reached."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from graycard.errors import RunProblem, TargetProblem
from graycard.model import Cache, Durability, IoTask, Operation, Target, TargetKind
from graycard.protocols import EnoughError, Progress
from graycard.scratch import Scratch
from graycard.sustain.live import Sparkline
from graycard.sustain.lookout import Lookout
from graycard.sustain.series import Joining
from graycard.sustain.session import Carried, Gauges, Session, carried
from graycard.units import format_duration, format_size

SUSTAINED = "sustained"
# Free space is looked at so often while it is written.
_SPACE_NS = 5_000_000_000
_SILENT_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """One file: its seed, and how much of it is written."""

    path: str
    seed: int
    size_bytes: int


@dataclass(slots=True)
class Writing:
    """The writing as it goes on. `ended` says in words why it ended before all bytes were written."""

    session: Session
    scratch: Scratch
    gauges: Gauges
    lookout: Lookout | None
    joining: Joining = field(default_factory=Joining)
    pieces: list[Piece] = field(default_factory=list)
    ended: str | None = None
    trouble: RunProblem | TargetProblem | KeyboardInterrupt | None = None
    spark: Sparkline = field(default_factory=Sparkline)
    _space_ns: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be written."""
        return self.ended is not None or self.trouble is not None or self.session.stopped

    def write_on(self) -> None:
        """Write until something ends it. Trouble is kept, not raised: what was written before it counts."""
        for index, size_bytes in enumerate(_sizes(self.session.order.byte_limit, self.session.order.piece_bytes)):
            self._write_piece(index, size_bytes)
            if self.is_over:
                return

    def _write_piece(self, index: int, size_bytes: int) -> None:
        path = self.scratch.file_path(f"sustain{index}")
        try:
            # First the file: it may turn out that this file system refuses direct I/O.
            _create(self.session, self.scratch, path)
            task = self._task(index, size_bytes)
            self._take(carried(self.session, task, path, self._listen), path, task)
        except (RunProblem, TargetProblem) as problem:
            self.trouble = problem

    def _task(self, index: int, size_bytes: int) -> IoTask:
        """The writing of one file: with data of its own, the last one flushed, in the time that is left."""
        order = self.session.order
        last = self.joining.moved_bytes + size_bytes >= order.byte_limit
        return replace(
            order.task(Operation.WRITE, SUSTAINED, size_bytes, self.session.cache),
            seed=order.seed + index,
            durability=Durability.AT_END if last else Durability.NONE,
            time_ns=None if order.time_ns is None else max(1, order.time_ns - self.joining.elapsed_ns),
        )

    def _take(self, done: Carried, path: str, task: IoTask) -> None:
        self.trouble = done.trouble
        if done.samples is None:
            return
        short = done.samples.moved_bytes < task.span_bytes
        # A run that was ended is not flushed.
        cut = short and (self.ended is not None or self.session.stopped)
        self.joining.add(replace(done.samples, flush_ns=None) if cut else done.samples)
        self.pieces.append(Piece(path, task.seed, done.samples.moved_bytes))
        if short and self.ended is None and not done.trouble and not self.session.stopped:
            self.ended = f"ended after {format_duration(self.joining.elapsed_ns)}, the most time that it was to take"

    def _listen(self, progress: Progress) -> None:
        elapsed_ns = self.joining.elapsed_ns + progress.elapsed_ns
        moved = self.joining.moved_bytes + progress.moved_bytes
        # A volume that does not answer must not hold up whoever asks it for its space.
        if progress.since_progress_ns > _SILENT_NS:
            self._tell(elapsed_ns, moved, progress)
            return
        self.gauges.look(elapsed_ns)
        self.spark.add(elapsed_ns, moved)
        self._tell(elapsed_ns, moved, progress)
        if self.lookout and self.lookout.sees_steady(elapsed_ns, moved):
            self.ended = "ended as the rate after its fall was steady"
            raise EnoughError
        self._look_at_space(elapsed_ns)

    def _tell(self, elapsed_ns: int, moved: int, progress: Progress) -> None:
        limit = self.session.order.byte_limit
        says = f"writing, {format_size(moved)} of {'at most ' if self.lookout else ''}{format_size(limit)}"
        done = None if self.lookout else min(moved / limit, 0.999)
        left_ns = int(elapsed_ns * (limit - moved) / moved) if moved and done is not None else None
        whole = Progress(elapsed_ns, progress.ops_count, moved, progress.since_progress_ns)
        self.session.tell("run", f"{says} {self.spark.line()}", whole, done, left_ns)

    def _look_at_space(self, elapsed_ns: int) -> None:
        """End early where others take the space that is to stay free."""
        if elapsed_ns < self._space_ns:
            return
        self._space_ns = elapsed_ns + _SPACE_NS
        free = self.session.host.volume(self.session.order.target).free_bytes
        # Half of it: what the files' bookkeeping takes is no reason to end.
        if free is not None and free < self.session.order.reserve_bytes / 2:
            self.ended = f"ended early: other programs took space, and only {format_size(free)} were left"
            raise EnoughError


def _sizes(whole_bytes: int, piece_bytes: int) -> Iterator[int]:
    """The sizes of the files, all but the last one whole."""
    for start in range(0, whole_bytes, piece_bytes):
        yield min(piece_bytes, whole_bytes - start)


def _create(session: Session, scratch: Scratch, path: str) -> None:
    """A new, empty file. Where the file system refuses direct I/O, all goes through memory, and the user is told."""
    try:
        os.close(session.host.create_file(path, direct=False, nocow=False))
    except FileExistsError as error:
        scratch.disown(path)
        says = f"another program made {Target(path, TargetKind.FILE).shown}; it was not touched, measure elsewhere"
        raise RunProblem(says, errno=error.errno, offset_bytes=None, phase="measure") from error
    if session.cache is not Cache.BYPASS:
        return
    try:
        os.close(session.host.open_file(path, write=True, direct=True))
    except TargetProblem as problem:
        session.notes.append(f"{problem}; written through the system's memory instead")
        session.cache = Cache.COLD
