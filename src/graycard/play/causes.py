"""Why the first frame was dropped: a pure look at when the streams moved their frames before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from graycard.play.cadence import SECOND_NS
from graycard.play.performing import Performance, Stream
from graycard.units import format_duration, format_rate

# A pause of this share of the queue's time, and this much longer than the usual time between two completions.
STALL_RATIO = 0.5
UNUSUAL_RATIO = 3.0
# Of the time that its queue lasts, a stream that the device holds up waits for it for most.
BUSY_RATIO = 0.5


class Cause(StrEnum):
    """Nothing came for a while; one frame took very long while other streams went on; frames came all the time, and too
    slowly; nobody asked for them.
    """

    STALL = "stall"
    HELD = "held"
    BUSY = "busy"
    COMPUTER = "computer"


@dataclass(frozen=True, slots=True)
class FirstDrop:
    """The first dropped frame of a run. `at_ns` counts from the first frame shown or given of its stream.

    `delivered_bytes_per_s` is what all streams moved in the time before it, `needed_bytes_per_s` what they need.
    """

    stream_number: int
    frame: int
    at_ns: int
    cause: Cause
    stall_ns: int
    delivered_bytes_per_s: float
    needed_bytes_per_s: float


def first_drop(performance: Performance) -> FirstDrop | None:
    """The earliest dropped frame of all streams, by the time at which it was due."""
    drops = [(s.cadence.due_ns(judged.dropped[0]), s) for s in performance.streams if (judged := s.judged()).dropped]
    if not drops:
        return None
    due_ns, stream = min(drops, key=lambda drop: drop[0])
    frame = stream.judged().dropped[0]
    queue_ns = _queue_ns(stream)
    begin_ns = max(performance.start_ns, due_ns - max(SECOND_NS, 2 * queue_ns))
    move = stream.track.moves[frame]
    end_ns = move.end_ns if move else due_ns
    done = [s.kind for s in performance.streams for m in s.track.moves if m and begin_ns < m.end_ns <= due_ns]
    pause_ns = longest_pause_ns(performance.streams, begin_ns, end_ns)
    own_ns = max(_moves_ns(stream, begin_ns, end_ns), default=0)
    emptying_ns = STALL_RATIO * queue_ns
    unusual = pause_ns > UNUSUAL_RATIO * (end_ns - begin_ns) / (len(done) + 1)
    if unusual and pause_ns >= emptying_ns:
        cause = Cause.STALL
    elif own_ns >= emptying_ns and own_ns > UNUSUAL_RATIO * _usual_move_ns(stream):
        cause, pause_ns = Cause.HELD, own_ns
    else:
        cause = _cause(stream, begin_ns, due_ns)
    return FirstDrop(
        stream.number,
        frame,
        due_ns - stream.cadence.first_due_ns,
        cause,
        pause_ns,
        sum(kind.stride_bytes for kind in done) * 1e9 / max(1, due_ns - begin_ns),
        sum(s.kind.needed_bytes_per_s for s in performance.streams),
    )


def _queue_ns(stream: Stream) -> int:
    """The time that its whole queue lasts."""
    return stream.cadence.queue_count * SECOND_NS * stream.kind.rate.denominator // stream.kind.rate.numerator


def longest_pause_ns(streams: Sequence[Stream], begin_ns: int, end_ns: int) -> int:
    """The longest time between these moments in which no stream completed a frame though one was being moved."""
    ends = sorted(m.end_ns for s in streams for m in s.track.moves if m and begin_ns < m.end_ns < end_ns)
    busy = [(m.begin_ns, m.end_ns) for s in streams for m in s.track.moves if m and m.end_ns > begin_ns]
    longest_ns = 0
    for first_ns, last_ns in zip((begin_ns, *ends), (*ends, end_ns), strict=True):
        began = [max(begin, first_ns) for begin, end in busy if begin < last_ns and end >= last_ns]
        longest_ns = max(longest_ns, last_ns - min(began)) if began else longest_ns
    return longest_ns


def _moves_ns(stream: Stream, begin_ns: int, end_ns: int) -> list[int]:
    """How long each of its frames was being moved between these moments."""
    moves = (move for move in stream.track.moves if move and move.end_ns > begin_ns and move.begin_ns < end_ns)
    return [min(move.end_ns, end_ns) - max(move.begin_ns, begin_ns) for move in moves]


def _usual_move_ns(stream: Stream) -> float:
    """The median of all its frames."""
    return median([move.end_ns - move.begin_ns for move in stream.track.moves if move] or [0])


def _cause(stream: Stream, begin_ns: int, due_ns: int) -> Cause:
    moved_ns = sum(_moves_ns(stream, begin_ns, due_ns))
    return Cause.BUSY if moved_ns >= BUSY_RATIO * (due_ns - begin_ns) else Cause.COMPUTER


def say_cause(drop: FirstDrop) -> str:
    """What broke first, for the user."""
    where = f"stream {drop.stream_number + 1} at second {drop.at_ns / 1e9:.1f}"
    if drop.cause is Cause.STALL:
        return f"{where}: nothing came from the device for {format_duration(drop.stall_ns)}, and the queue ran empty"
    if drop.cause is Cause.HELD:
        return f"{where}: one of its frames took {format_duration(drop.stall_ns)} while other streams went on"
    if drop.cause is Cause.BUSY:
        rates = f"{format_rate(drop.delivered_bytes_per_s)} of the {format_rate(drop.needed_bytes_per_s)} needed"
        return f"{where}: the queue ran empty, the device was busy and gave {rates}"
    return f"{where}: this computer did not get to the frames in time, which says nothing of the device"
