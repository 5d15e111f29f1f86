"""When each frame of a stream is due: whole nanoseconds from exact fractions, never added up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

SECOND_NS = 10**9


@dataclass(frozen=True, slots=True)
class Cadence:
    """The frame clock of one stream. Frame k is due at `first_due_ns` + k periods, rounded down to whole ns.

    Played, frame k is shown when it is due, and may be read as soon as frame k − `queue_count` is due; the first
    `queue_count` frames from `fill_ns` on. Recorded, the camera gives frame k when it is due.
    """

    rate: Fraction
    first_due_ns: int
    queue_count: int
    fill_ns: int = 0

    def due_ns(self, frame: int) -> int:
        """When frame `frame` (from 0) is shown, or given by the camera."""
        return self.first_due_ns + frame * SECOND_NS * self.rate.denominator // self.rate.numerator

    def open_ns(self, frame: int) -> int:
        """From when on a player may read the frame."""
        return self.due_ns(frame - self.queue_count) if frame >= self.queue_count else self.fill_ns

    def due_count(self, at_ns: int) -> int:
        """How many frames are due at `at_ns` or before."""
        if at_ns < self.first_due_ns:
            return 0
        # Frame k is due by then if k periods are less than this whole number of ns.
        passed_ns = at_ns - self.first_due_ns + 1
        return -(-passed_ns * self.rate.numerator // (SECOND_NS * self.rate.denominator))


def frames_in(rate: Fraction, duration_ns: int) -> int:
    """Whole frames in so much time, at least one."""
    return max(1, duration_ns * rate.numerator // (SECOND_NS * rate.denominator))


def queue_frames(rate: Fraction, ahead_ns: int) -> int:
    """Frames that cover so much time, at least one."""
    return max(1, -(-ahead_ns * rate.numerator // (SECOND_NS * rate.denominator)))
