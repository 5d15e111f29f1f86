"""Playing in plain words: what will be done, how it goes, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from graycard.play.budget import cost, recorded_bytes
from graycard.play.causes import first_drop, say_cause
from graycard.play.outcome import StreamReport, stream_report
from graycard.play.performing import Live, Performance, Stream
from graycard.play.streams import Kind, Playing
from graycard.protocols import Volume
from graycard.units import format_duration, format_rate, format_size


def describe(playing: Playing, volume: Volume, most_count: int) -> tuple[str, ...]:
    """What will be played where, what it writes, how long it takes, what stays. `most_count` bounds a search."""
    return (_what(playing, volume), _how(playing), _writes(playing, most_count), _time(playing), _STAYS)


_STAYS = "Nothing stays: the clips lie in a folder .graycard-… of their own, which is removed at the end."


def _what(playing: Playing, volume: Volume) -> str:
    where = f"in {playing.target.shown}, on {volume.source}, file system {volume.file_system}"
    kinds = "; ".join(_kind(kind, playing) for kind in playing.kinds)
    sound = "; and the sound of each" if playing.with_audio else ""
    return f"{kinds}{sound}, {where}."


def _kind(kind: Kind, playing: Playing) -> str:
    verb = "Records" if kind.records else "Plays"
    count = (
        "as many streams as come through of"
        if kind.count is None and playing.auto
        else f"{kind.count or 1} stream{'s' if (kind.count or 1) > 1 else ''} of"
    )
    files = ", one file a frame" if kind.file_per_frame else ""
    return f"{verb} {count} {kind.key} ({format_rate(kind.needed_bytes_per_s)} each{files})"


def _how(playing: Playing) -> str:
    start = "spread over a frame's time" if playing.spread else "together"
    return (
        f"The streams start {start}, read ahead {format_duration(playing.ahead_ns)}, and show the first frame "
        f"{format_duration(playing.prebuffer_ns)} after the first read."
    )


def _writes(playing: Playing, most_count: int) -> str:
    one = cost(playing, 1)
    per_run = recorded_bytes(playing.counted(1), playing.play_ns)
    if not playing.auto:
        recorded = f", and {format_size(per_run)} recorded" if per_run else ""
        return f"Writes {format_size(one.layout_bytes)} of clips beforehand{recorded}."
    recorded = f" and records {format_size(per_run)} in a whole run" if per_run else ""
    return (
        f"Each step of the search writes {format_size(one.layout_bytes)} of clips{recorded}; at most {most_count} "
        f"streams and {format_size(playing.write_limit_bytes)} in all."
    )


def _time(playing: Playing) -> str:
    if playing.continuous:
        return "Goes on until you stop it with Ctrl-C."
    if playing.auto:
        return (
            f"Runs of {format_duration(playing.short_ns)} find the number, runs of {format_duration(playing.play_ns)} "
            "confirm it; a run ends at its first dropped frame."
        )
    return f"Takes {format_duration(playing.play_ns + playing.prebuffer_ns)} after the clips are written."


def streams_of(kinds: Sequence[Kind]) -> str:
    """Such as "4 streams of prores-422-hq/uhd/25 and 4 of audio-48k/24bit/8ch"."""
    counts = Counter((kind.key, kind.records) for kind in kinds)
    parts = [f"{count} of {key}{' recorded' if records else ''}" for (key, records), count in counts.items()]
    first_count = next(iter(counts.values()))
    parts[0] = parts[0].replace(" of ", " stream of " if first_count == 1 else " streams of ", 1)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def live_line(live: Live, stream_count: int) -> str:
    """How it goes now: streams, frames a second, the queue of the stream that has least, dropped frames."""
    reserve, queue = min((s.reserve(live.now_ns), s.cadence.queue_count) for s in live.streams)
    rates = sorted({f"{float(stream.kind.rate):.4g}" for stream in live.streams})
    dropped = f"× {live.dropped_count} dropped" if live.dropped_count else "0 dropped"
    rate = format_rate(live.moved_bytes * 1e9 / live.elapsed_ns) if live.elapsed_ns else ""
    left = "" if live.length_ns is None else f"{max(0, live.length_ns - live.elapsed_ns) // 10**9} s left"
    streams = f"{stream_count} stream{'s' if stream_count > 1 else ''} at {', '.join(rates)} fps"
    return " · ".join(part for part in (streams, f"queue {reserve}/{queue}", dropped, rate, left) if part)


def verdict(performance: Performance) -> str:
    """Of one run: no frame was dropped, or how many, and why the first."""
    kinds = [stream.kind for stream in performance.streams]
    reports = [stream_report(performance, stream) for stream in performance.streams]
    frames = sum(report.frame_count for report in reports)
    dropped = sum(report.dropped_count for report in reports)
    shown_ns = max(_shown_ns(stream) for stream in performance.streams)
    # What was read ahead when a run was stopped was never shown.
    length = format_duration(min(shown_ns, performance.elapsed_ns) if performance.cut_short else shown_ns)
    if not dropped:
        return f"Comes through: {streams_of(kinds)}, no frame of {frames:,} dropped in {length}{_reserve(reports)}."
    drop = first_drop(performance)
    cause = f" First, {say_cause(drop)}." if drop else ""
    return f"Does not come through: {streams_of(kinds)}, {dropped:,} of {frames:,} frames dropped in {length}.{cause}"


def _shown_ns(stream: Stream) -> int:
    """The time that the frames of a stream take to be shown or given."""
    return stream.cadence.due_ns(len(stream.track.moves)) - stream.cadence.first_due_ns


def _reserve(reports: Sequence[StreamReport]) -> str:
    known = [(r.least_reserve_count, r.queue_count) for r in reports if r.least_reserve_count is not None]
    if not known:
        return ""
    least, queue = min(known, key=lambda each: each[0] / each[1])
    return f"; never fewer than {least} of {queue} frames in reserve"


def search_verdict(playing: Playing, found_count: int, broke: Performance | None, why_no_more: str) -> Iterator[str]:
    """What a search found, what broke first with one stream more, or why no more were tried."""
    formats = " + ".join(kind.key for kind in playing.kinds if kind.count is None)
    length = format_duration(playing.play_ns)
    if found_count:
        count = f"{found_count} stream{'s' if found_count > 1 else ''}"
        limit = "" if broke else "At least "
        yield f"{limit}{count} of {formats} without a dropped frame in a whole run of {length}."
    else:
        yield f"Not even one stream of {formats} comes through without a dropped frame."
    drop = first_drop(broke) if broke else None
    if drop and broke:
        yield f"With {found_count + 1} the first frame was dropped by {say_cause(drop)}."
    elif not broke and why_no_more:
        yield f"More were not tried: {why_no_more}."
    if playing.play_ns < MIN_CONFIRM_NS:
        yield f"Confirmed for {length} only; a queue that empties slowly shows after {format_duration(MIN_CONFIRM_NS)}."


MIN_CONFIRM_NS = 60 * 10**9
