"""What became of the frames: pure functions of when each frame's transfer began and was complete.

A move is None where the frame was never transferred. Definitions (docs/method.md, “Frames at exact times”):

    played      late      read, and complete only after it was due
                skipped   its reading had not begun when it was due, so it was not read
                dropped   late or skipped: not there when it had to be shown
    recorded    dropped   given by the camera when the buffer was full, so never written
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graycard.play.cadence import Cadence


class Stamp(NamedTuple):
    """One frame's transfer. `waited` says that the stream was waiting for the moment of this frame."""

    begin_ns: int
    end_ns: int
    waited: bool = False


Moves = Sequence[Stamp | None]


@dataclass(frozen=True, slots=True)
class Judged:
    """Frame numbers, in order."""

    late: tuple[int, ...]
    skipped: tuple[int, ...]

    @property
    def dropped(self) -> tuple[int, ...]:
        """All frames that were not there in time."""
        return tuple(sorted((*self.late, *self.skipped)))


def is_late(cadence: Cadence, frame: int, stamp: Stamp) -> bool:
    """Whether a played frame was complete only after it was due."""
    return stamp.end_ns > cadence.due_ns(frame)


def judge_playback(cadence: Cadence, moves: Moves) -> Judged:
    """Late and skipped frames of a played stream."""
    late = (frame for frame, move in enumerate(moves) if move and is_late(cadence, frame, move))
    return Judged(tuple(late), _absent(moves))


def judge_recording(moves: Moves) -> Judged:
    """Dropped frames of a recorded stream; nothing is late, for the camera's buffer has no deadline but its size."""
    return Judged((), _absent(moves))


def _absent(moves: Moves) -> tuple[int, ...]:
    return tuple(frame for frame, move in enumerate(moves) if move is None)


def played_reserve(cadence: Cadence, moves: Moves, at_ns: Sequence[int]) -> list[int]:
    """Frames that are read and not yet due, at each of these times (ascending)."""
    ends = sorted((max(move.end_ns, 0), frame) for frame, move in enumerate(moves) if move)
    stamps = [end for end, _ in ends]
    ready: list[int] = []
    taken, found = 0, []
    for time_ns in at_ns:
        shown = cadence.due_count(time_ns)
        upto = bisect_right(stamps, time_ns)
        ready += [frame for _, frame in ends[taken:upto]]
        taken = upto
        ready = [frame for frame in ready if frame >= shown]
        found.append(len(ready))
    return found


def free_places(cadence: Cadence, moves: Moves, at_ns: Sequence[int]) -> list[int]:
    """Free places in a recording's buffer, at each of these times."""
    kept = [(cadence.due_ns(frame), move.end_ns) for frame, move in enumerate(moves) if move]
    given = [due for due, _ in kept]
    ended = [end for _, end in kept]
    return [cadence.queue_count - bisect_right(given, at) + bisect_right(ended, at) for at in at_ns]


def least_margin_ns(cadence: Cadence, moves: Moves) -> int | None:
    """The least time between a played frame's completion and its due time; below 0 it was late. None without any."""
    return min((cadence.due_ns(k) - move.end_ns for k, move in enumerate(moves) if move), default=None)


def latencies_ns(cadence: Cadence, moves: Moves, *, recorded: bool) -> list[int]:
    """How long each transferred frame took, from the moment at which it was to be moved.

    So a frame that had to wait behind slow ones counts its waiting (no coordinated omission). Frames of the first fill
    have no such moment but the completion of the frame before: theirs count from their own beginning.
    """
    found = []
    for frame, move in enumerate(moves):
        if move is None:
            continue
        asked_ns = cadence.due_ns(frame) if recorded else cadence.open_ns(frame)
        filling = not recorded and frame < cadence.queue_count
        found.append(move.end_ns - (move.begin_ns if filling else min(asked_ns, move.begin_ns)))
    return found


def lateness_ns(cadence: Cadence, moves: Moves, *, recorded: bool) -> list[int]:
    """How late the clock itself was: from the moment a waiting stream was to move a frame to the call that did it."""
    moment = cadence.due_ns if recorded else cadence.open_ns
    return [move.begin_ns - moment(frame) for frame, move in enumerate(moves) if move and move.waited]
