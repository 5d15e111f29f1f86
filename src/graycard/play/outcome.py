"""What playing hands back."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import Operation, Result
from graycard.play.judging import least_margin_ns
from graycard.play.performing import Performance, Stream
from graycard.play.samples import reserves


@dataclass(frozen=True, slots=True)
class StreamReport:
    """What became of one stream. `least_reserve_count` are frames of the `queue_count` that it can have in reserve.

    `least_margin_ns` is the least time by which a frame was there before it was due; below 0 it was late. It and
    `late_count` are None for a recording, `drops_ns` are the times of the dropped frames since the first frame.
    """

    number: int
    format: str
    operation: Operation
    frame_count: int
    dropped_count: int
    late_count: int | None
    queue_count: int
    least_reserve_count: int | None
    least_margin_ns: int | None
    drops_ns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """One run of a search: with so many streams of each format, for so long, and how many frames were dropped."""

    stream_count: int
    elapsed_ns: int
    dropped_count: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """Speed over the time of a run, in equal slots, and the frames that were dropped in each."""

    slot_ns: int
    bytes_per_s: tuple[float, ...]
    dropped_counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What `play` hands back. `stream_count` is what a search found; `says` the verdict in sentences.

    `streams` and `graph` are of the run that the verdict is about: of a search, the one that came through.
    """

    id: str
    results: tuple[Result, ...]
    says: tuple[str, ...]
    notes: tuple[str, ...]
    streams: tuple[StreamReport, ...]
    graph: Graph | None
    tried: tuple[Tried, ...] = ()
    stream_count: int | None = None


def stream_report(performance: Performance, stream: Stream) -> StreamReport:
    """The row of one stream."""
    judged, moves = stream.judged(), stream.track.moves
    records = stream.kind.records
    return StreamReport(
        stream.number + 1,
        stream.kind.key,
        stream.kind.operation,
        len(moves),
        len(judged.dropped),
        None if records else len(judged.late),
        stream.cadence.queue_count,
        min((count for _, count in reserves(performance, (stream,))), default=None) if moves else None,
        None if records else least_margin_ns(stream.cadence, moves),
        tuple(stream.cadence.due_ns(frame) - stream.cadence.first_due_ns for frame in judged.dropped),
    )
