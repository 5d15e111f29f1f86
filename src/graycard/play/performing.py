"""One run: every stream in a thread of its own, all by one clock, watched until the last frame or a stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from threading import Event, Thread

from graycard.errors import Problem, RunProblem, TargetProblem, io_problem
from graycard.model import Cache, Fact, Series, Target
from graycard.play.cadence import SECOND_NS, Cadence, frames_in
from graycard.play.files import Place
from graycard.play.following import StoppedError, Track, play_back, record
from graycard.play.frame_io import FrameIo
from graycard.play.judging import Judged, judge_playback, judge_recording
from graycard.play.library import Device, Library
from graycard.play.streams import Kind, Playing
from graycard.protocols import Clock, Host
from graycard.watch import Watch

# Time for all threads to be awake before the first read.
START_AHEAD_NS = 50_000_000
LOOK_EVERY_NS = 100_000_000
# Streams that are told to stop get so long; a call that hangs longer is left to its thread.
DRAIN_S = 0.5


@dataclass(slots=True)
class Stream:
    """One stream of a run, and what has become of its frames so far."""

    number: int
    kind: Kind
    cadence: Cadence
    track: Track = field(default_factory=Track)
    flush_ns: int | None = None
    problem: Problem | None = None

    @property
    def name(self) -> str:
        """As people count: "stream 1"."""
        return f"stream {self.number + 1}"

    def judged(self) -> Judged:
        """Its late and skipped frames."""
        moves = tuple(self.track.moves)
        return judge_recording(moves) if self.kind.records else judge_playback(self.cadence, moves)

    def reserve(self, at_ns: int) -> int:
        """Frames ready to be shown, or free places in the camera's buffer, as far as can be told in the middle."""
        done, due = len(self.track.moves), self.cadence.due_count(at_ns)
        left = self.cadence.queue_count - (due - done) if self.kind.records else done - due
        return max(0, min(left, self.cadence.queue_count))


@dataclass(frozen=True, slots=True)
class Live:
    """How far a run is, ten times a second."""

    elapsed_ns: int
    now_ns: int
    length_ns: int | None
    streams: tuple[Stream, ...]

    @property
    def dropped_count(self) -> int:
        """Dropped frames of all streams."""
        return sum(stream.track.dropped_count for stream in self.streams)

    @property
    def moved_bytes(self) -> int:
        """Bytes of all frames that were moved."""
        return sum(stream.track.moved_count * stream.kind.stride_bytes for stream in self.streams)


OnLive = Callable[[Live], None]


@dataclass(frozen=True, slots=True)
class Performance:
    """A run that has ended. Times of streams count by the clock of the stamps, which read `start_ns` at the start.

    `cut_short` says that it was ended before its time: by the user, or at the first dropped frame.
    """

    started_at: datetime
    start_ns: int
    elapsed_ns: int
    streams: tuple[Stream, ...]
    cache: Cache
    before: tuple[Fact, ...]
    after: tuple[Fact, ...]
    monitor: tuple[Series, ...]
    gap_ns: int
    cut_short: bool

    @property
    def dropped_count(self) -> int:
        """Dropped frames of all streams."""
        return sum(len(stream.judged().dropped) for stream in self.streams)


@dataclass(slots=True)
class Stage:
    """What a run needs, and keeps from one run to the next. `partial` is the run that an exception ended."""

    playing: Playing
    library: Library
    host: Host
    io: FrameIo
    clock: Clock
    partial: Performance | None = None

    @property
    def target(self) -> Target:
        """The folder whose volume is watched."""
        return self.playing.target

    def perform(
        self, kinds: Sequence[Kind], length_ns: int | None, on_live: OnLive, *, stop_at_drop: bool
    ) -> Performance:
        """Play and record these streams, for ever where `length_ns` is None. Raises RunProblem, what `on_live` raises.

        The clips are laid out. After an exception that stopped it `partial` holds what there was until then.
        """
        self.partial = None
        stop = Event()
        place = Place(self.host, self.io, self.library.cache, self.playing.seed, stop)
        try:
            devices = self._opened(kinds, place)
            return self._run(kinds, devices, place, length_ns, on_live, stop_at_drop=stop_at_drop)
        except TargetProblem as problem:
            raise _in_the_middle(problem, self.target) from problem
        finally:
            stop.set()

    def _opened(self, kinds: Sequence[Kind], place: Place) -> list[Device]:
        devices: list[Device] = []
        try:
            for number, kind in enumerate(kinds):
                devices.append(self.library.device(place, number, kind))
        except Problem:
            for device in devices:
                device.close()
            raise
        return devices

    def _run(
        self,
        kinds: Sequence[Kind],
        devices: Sequence[Device],
        place: Place,
        length_ns: int | None,
        on_live: OnLive,
        *,
        stop_at_drop: bool,
    ) -> Performance:
        before, started_at = self.host.counters(self.target), self.clock.utc_now()
        start_ns = self.io.now_ns() + START_AHEAD_NS
        streams = tuple(Stream(n, kind, self._cadence(n, kind, start_ns, len(kinds))) for n, kind in enumerate(kinds))
        threads = [
            Thread(target=_live, args=(stream, device, place, length_ns), name=stream.name, daemon=True)
            for stream, device in zip(streams, devices, strict=True)
        ]
        watched = Watched(Watch(self.host, self.target), self.io, start_ns, self._whole_ns(length_ns))
        for thread in threads:
            thread.start()
        ended = False
        try:
            watched.until_the_end(threads, streams, on_live, stop_at_drop=stop_at_drop)
            ended = not any(thread.is_alive() for thread in threads)
        finally:
            place.stop.set()
            _join(threads)
            after, elapsed_ns = self.host.counters(self.target), self.io.now_ns() - start_ns
            self.partial = Performance(
                started_at, start_ns, elapsed_ns, streams, place.cache, before, after, watched.series,
                watched.gap_ns, not ended,
            )  # fmt: skip
        _raise_first(streams, self.target)
        return self.partial

    def _cadence(self, number: int, kind: Kind, start_ns: int, stream_count: int) -> Cadence:
        """Together: all by the same clock. Spread: stream i of n starts i/n of its period later."""
        period_ns = SECOND_NS * kind.rate.denominator // kind.rate.numerator
        begin_ns = start_ns + (period_ns * number // stream_count if self.playing.spread else 0)
        prebuffer_ns = 0 if kind.records else self.playing.prebuffer_ns
        return Cadence(kind.rate, begin_ns + prebuffer_ns, self.playing.queue_count(kind), begin_ns)

    def _whole_ns(self, length_ns: int | None) -> int | None:
        return None if length_ns is None else length_ns + self.playing.prebuffer_ns


class Watched:
    """Looks at a run ten times a second from outside."""

    def __init__(self, watch: Watch, io: FrameIo, start_ns: int, length_ns: int | None) -> None:
        self._watch = watch
        self._io = io
        self._start_ns = start_ns
        self._length_ns = length_ns
        self.gap_ns = 0

    @property
    def series(self) -> tuple[Series, ...]:
        """The levels of the host meanwhile."""
        return self._watch.series()

    def until_the_end(
        self, threads: Sequence[Thread], streams: tuple[Stream, ...], on_live: OnLive, *, stop_at_drop: bool
    ) -> None:
        """Return when all have ended, one has failed, or, if that is asked for, a frame was dropped."""
        looked_ns = self._io.now_ns()
        while any(thread.is_alive() for thread in threads):
            next(thread for thread in [*filter(Thread.is_alive, threads), threads[0]]).join(LOOK_EVERY_NS / 1e9)
            now_ns = self._io.now_ns()
            self.gap_ns = max(self.gap_ns, now_ns - looked_ns - LOOK_EVERY_NS)
            looked_ns = now_ns
            elapsed_ns = max(0, now_ns - self._start_ns)
            self._watch.look(elapsed_ns)
            live = Live(elapsed_ns, now_ns, self._length_ns, streams)
            on_live(live)
            if any(stream.problem for stream in streams) or (stop_at_drop and live.dropped_count):
                return


def _live(stream: Stream, device: Device, place: Place, length_ns: int | None) -> None:
    """The thread of one stream. A problem is kept for the one that waits."""
    frames = count() if length_ns is None else range(frames_in(stream.kind.rate, length_ns))
    follow = record if stream.kind.records else play_back
    try:
        follow(stream.cadence, frames, device, stream.track)
        begin_ns = place.io.now_ns()
        device.finish()
        stream.flush_ns = place.io.now_ns() - begin_ns
    except StoppedError:
        return
    except Problem as problem:
        stream.problem = problem
        place.stop.set()
    finally:
        device.close()  # here, so that no transfer still under way ever meets another file of that number


def _join(threads: Sequence[Thread]) -> None:
    end_s = time.monotonic() + DRAIN_S
    for thread in threads:
        thread.join(max(0.0, end_s - time.monotonic()))


def _raise_first(streams: Sequence[Stream], target: Target) -> None:
    for stream in streams:
        if isinstance(stream.problem, TargetProblem):
            raise _in_the_middle(stream.problem, target) from stream.problem
        if stream.problem:
            raise stream.problem


def _in_the_middle(problem: TargetProblem, target: Target) -> RunProblem:
    """What would have made the place unfit before the start is an error of the run now."""
    cause = problem.__cause__
    if isinstance(cause, OSError) and cause.errno:
        return io_problem(cause.errno, operation="open", place=f"a clip in {target.shown}", phase="measure")
    return RunProblem(str(problem), errno=None, offset_bytes=None, phase="measure")
