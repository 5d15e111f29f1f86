"""A stream's loop: take one frame after the other at its time. Time and transfers are the device's.

Both directions go in the order of the frames, so what becomes of a frame is known when its turn comes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from graycard.play.cadence import Cadence
from graycard.play.judging import Stamp, is_late


class StoppedError(Exception):
    """The stream was asked to stop."""


class FrameDevice(Protocol):
    """Moves the frames of one stream, which has its own file or files."""

    def now_ns(self) -> int:
        """The clock of all stamps."""
        ...

    def move(self, frame: int, moment_ns: int) -> Stamp:
        """Wait until `moment_ns`, then transfer the frame whole. Raises StoppedError, RunProblem."""
        ...


class Track:
    """The frames of one stream so far. Others may read it while the stream goes on."""

    def __init__(self) -> None:
        self.moves: list[Stamp | None] = []
        self.dropped_count = 0
        self.moved_count = 0

    def add(self, move: Stamp | None, *, dropped: bool) -> None:
        """The next frame."""
        self.dropped_count += dropped
        self.moved_count += move is not None
        self.moves.append(move)


def play_back(cadence: Cadence, frames: Iterable[int], device: FrameDevice, track: Track) -> None:
    """Read each frame as soon as it may be read; one that is due before its reading began is skipped."""
    for frame in frames:
        if device.now_ns() >= cadence.due_ns(frame):
            track.add(None, dropped=True)
        else:
            move = device.move(frame, cadence.open_ns(frame))
            track.add(move, dropped=is_late(cadence, frame, move))


def record(cadence: Cadence, frames: Iterable[int], device: FrameDevice, track: Track) -> None:
    """Write each frame that the camera gives; one that is given while the buffer is full is dropped.

    The buffer is full when as many frames as it has places were given before and are not yet written. They are
    written in order, so that is told by the completion of the frame that came so many before.
    """
    ends: deque[int] = deque(maxlen=cadence.queue_count)
    for frame in frames:
        given_ns = cadence.due_ns(frame)
        if len(ends) == cadence.queue_count and ends[0] > given_ns:
            track.add(None, dropped=True)
        else:
            move = device.move(frame, given_ns)
            ends.append(move.end_ns)
            track.add(move, dropped=False)
