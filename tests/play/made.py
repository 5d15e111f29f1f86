"""A device of known service time on a clock of its own: streams run in no time at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from graycard.model import Cache, Operation
from graycard.play.cadence import SECOND_NS, Cadence
from graycard.play.following import Track, play_back, record
from graycard.play.judging import Stamp
from graycard.play.performing import Performance, Stream
from graycard.play.streams import Kind
from tests.made_results import START

MS = 1_000_000


class FakeDevice:
    """One stream on a device; `service_ns` tells how long a frame takes that begins at that time."""

    def __init__(self, service_ns: Callable[[int, int], int]) -> None:
        self.clock_ns = 0
        self._service_ns = service_ns

    def now_ns(self) -> int:
        return self.clock_ns

    def move(self, frame: int, moment_ns: int) -> Stamp:
        waited = moment_ns > self.clock_ns
        begin_ns = max(self.clock_ns, moment_ns)
        self.clock_ns = begin_ns + self._service_ns(frame, begin_ns)
        return Stamp(begin_ns, self.clock_ns, waited)


def cadence(fps: Fraction | int = 25, queue: int = 5, first_due_ns: int | None = None) -> Cadence:
    """Frame 0 is shown when a full queue could have been read, unless told otherwise."""
    rate = Fraction(fps)
    prebuffer_ns = queue * SECOND_NS * rate.denominator // rate.numerator
    return Cadence(rate, prebuffer_ns if first_due_ns is None else first_due_ns, queue)


def followed(clock: Cadence, frames: int, service_ns: Callable[[int, int], int], *, records: bool = False) -> Track:
    """The track of a stream on a fake device."""
    track = Track()
    (record if records else play_back)(clock, range(frames), FakeDevice(service_ns), track)
    return track


def performance(streams: Sequence[Stream], elapsed_ns: int | None = None, *, cut_short: bool = False) -> Performance:
    """A run that these streams were."""
    ends = [move.end_ns for stream in streams for move in stream.track.moves if move]
    return Performance(
        START, 0, elapsed_ns or max(ends, default=1), tuple(streams), Cache.BYPASS, (), (), (), 0, cut_short
    )  # fmt: skip


def stream(clock: Cadence, track: Track, number: int = 0, operation: Operation = Operation.READ) -> Stream:
    """A stream of frames of 1 MB."""
    return Stream(number, Kind("test/25", clock.rate, 1_000_000, operation), clock, track)
