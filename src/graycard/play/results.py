"""A run becomes one stored result for each format and direction, with the checks that make sense for paced streams."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from graycard import __version__
from graycard.checks import CheckEvidence
from graycard.checks.alone import alone_on_device, only_measurement
from graycard.checks.caches import LEAST_DRIVE_SPAN_BYTES, no_cache_below
from graycard.checks.clock import clock_sound, not_interrupted
from graycard.checks.condition import nearly_full, physically_possible, temperature
from graycard.checks.conservation import bytes_conserved
from graycard.checks.direct import direct_was_real
from graycard.checks.medium import on_medium
from graycard.checks.presence import file_is_there, not_compressed
from graycard.checks.provenance import from_device
from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Check,
    Durability,
    Fact,
    IoTask,
    Origin,
    Pace,
    Pattern,
    Result,
    Run,
    Samples,
    Steadiness,
    Steady,
    Summary,
    Verdict,
)
from graycard.play.causes import first_drop, say_cause
from graycard.play.library import Library
from graycard.play.performing import Performance, Stream
from graycard.play.samples import clock_lateness_ns, reserve_series, samples_of
from graycard.play.streams import Kind, Playing
from graycard.stats import sentences
from graycard.stats.between import runs_estimate
from graycard.stats.latency import latencies
from graycard.units import format_duration, format_size, percent

# What looks at the bytes of one format alone, and what looks at those of the whole run in its direction.
OF_KIND = (bytes_conserved, file_is_there, not_compressed, clock_sound, not_interrupted)
OF_RUN = (
    from_device,
    direct_was_real,
    alone_on_device,
    only_measurement,
    physically_possible,
    on_medium,
    no_cache_below,
    temperature,
    nearly_full,
)
# A player that asks for its frames later than this shows the computer's delays, not the volume's.
ON_TIME_NS = 1_000_000
ON_TIME_PERCENTILE = 99.9


@dataclass(frozen=True, slots=True)
class Setting:
    """What all results of one playing share. `count_others` counts other measurements on the volume."""

    playing: Playing
    id: str
    facts: tuple[Fact, ...]
    library: Library
    count_others: Callable[[], int | None]


def results_of(setting: Setting, performance: Performance) -> tuple[Result, ...]:
    """One for each format and direction, in the order of the streams; none for a kind of which no frame was moved."""
    kinds = dict.fromkeys(stream.kind for stream in performance.streams)
    groups = [tuple(s for s in performance.streams if s.kind == kind) for kind in kinds]
    moving = [group for group in groups if any(move for stream in group for move in stream.track.moves)]
    others_count = setting.count_others()
    return tuple(_result(setting, performance, group, index, others_count) for index, group in enumerate(moving))


def _result(
    setting: Setting, performance: Performance, streams: tuple[Stream, ...], index: int, others_count: int | None
) -> Result:
    kind = streams[0].kind
    file_after = setting.library.facts(streams[0].number, kind)
    samples = samples_of(performance, streams)
    monitor = (*performance.monitor, reserve_series(performance, streams))
    after = (*performance.after, *file_after)
    run = Run(index, 0, performance.started_at, samples, performance.before, after, monitor)
    task = _task(setting.playing, performance, kind, len(streams))
    evidence = CheckEvidence(task, setting.facts, (run,), file_after, file_after, (), "native", others_count)
    checks = (*_checks(evidence, performance), on_time(streams))
    settings = fact("engine_settings", _settings(setting.playing, kind, performance), "graycard play")
    return Result(
        id=secrets.token_hex(8),
        measurement_id=setting.id,
        schema=SCHEMA,
        created_at=performance.started_at,
        origin=Origin("graycard", __version__, "native"),
        target=setting.playing.target,
        task=task,
        facts=(*setting.facts, *file_after, settings),
        runs=(run,),
        summary=_summary(performance, streams, run, checks, task),
    )


def _task(playing: Playing, performance: Performance, kind: Kind, stream_count: int) -> IoTask:
    files_count = 1 if playing.shared and not kind.records else stream_count
    return IoTask(
        operation=kind.operation,
        pattern=Pattern.SEQUENTIAL,
        block_bytes=kind.stride_bytes,
        span_bytes=files_count * playing.clip_bytes(kind),
        depth_count=stream_count,
        worker_count=stream_count,
        time_ns=None if playing.continuous else playing.play_ns,
        cache=performance.cache,
        durability=Durability.AT_END if kind.records else Durability.NONE,
        seed=playing.seed,
        pace=Pace(float(kind.rate), kind.stride_bytes),
        variant=kind.key,
    )


def _settings(playing: Playing, kind: Kind, performance: Performance) -> str:
    files = "one file a frame" if kind.file_per_frame else "one shared file" if playing.shared else "one file a stream"
    return (
        f"{files}, {playing.queue_count(kind)} frames {'of buffer' if kind.records else 'ahead'}, "
        f"started {'spread' if playing.spread else 'together'}, {len(performance.streams)} streams in all"
    )


def _checks(evidence: CheckEvidence, performance: Performance) -> Iterator[Check]:
    whole = _whole(evidence, performance)
    yield from (check(evidence) for check in OF_KIND)
    yield from (_excused(check(whole)) for check in OF_RUN if check is not on_medium or evidence.is_write)


def _excused(check: Check) -> Check:
    """Others on the drive spoil a rate, but only make it harder for frames to come in time: that limits no "yes"."""
    if check.name != alone_on_device.__name__ or check.verdict is not Verdict.FAIL:
        return check
    share = "" if check.measured is None else f" ({percent(check.measured)} of its traffic)"
    says = (
        f"Others moved bytes on the drive meanwhile{share}: without them it can only do better; close other programs."
    )
    return replace(check, verdict=Verdict.CAVEAT, says=says)


def _whole(evidence: CheckEvidence, performance: Performance) -> CheckEvidence:
    """The same with the bytes of all formats in this direction, for counters cannot tell them apart."""
    run = evidence.runs[0]
    operation = evidence.task.operation
    moved = sum(
        stream.kind.stride_bytes
        for stream in performance.streams
        if stream.kind.operation is operation
        for move in stream.track.moves
        if move
    )
    return replace(evidence, runs=(replace(run, samples=replace(run.samples, moved_bytes=moved)),))


def on_time(streams: Sequence[Stream]) -> Check:
    """Whether the frame clock itself was on time: the p99.9 of its lateness, or the worst of fewer than 1,000 waits."""
    late = clock_lateness_ns(streams)
    name, unit = "frame_clock_on_time", "ns"
    if not late:
        says = "The streams never had to wait for a frame's time, so the frame clock cannot be judged."
        return Check(name, ON_TIME_NS, None, unit, None, Verdict.UNKNOWN, says)
    found_ns = late[min(len(late) - 1, int(len(late) * ON_TIME_PERCENTILE / 100))]
    shown = f"The frame clock was {format_duration(max(0, found_ns))} late at p99.9"
    if found_ns <= ON_TIME_NS:
        return Check(name, ON_TIME_NS, found_ns, unit, None, Verdict.PASS, f"{shown}.")
    says = f"{shown}: this computer was busy, and frames were asked for that much later; close other programs."
    return Check(name, ON_TIME_NS, found_ns, unit, None, Verdict.CAVEAT, says)


def _summary(
    performance: Performance, streams: tuple[Stream, ...], run: Run, checks: tuple[Check, ...], task: IoTask
) -> Summary:
    samples = run.samples
    return Summary(
        rate=runs_estimate([samples.rate_bytes_per_s or 0.0], "bytes/s"),
        ops=runs_estimate([samples.ops_per_s or 0.0], "ops/s"),
        latency_ns=latencies([samples.latency] if samples.latency else []),
        stalls=None,
        steadiness=_steadiness(performance, streams, samples),
        checks=checks,
        caveats=tuple(_caveats(performance, task)),
    )


def _steadiness(performance: Performance, streams: tuple[Stream, ...], samples: Samples) -> Steadiness:
    """Paced streams are steady where every frame came in time."""
    frames = sum(len(stream.track.moves) for stream in streams)
    if not samples.dropped_count:
        return Steadiness(Steady.STEADY, f"None of {frames} frames was dropped.", None)
    drop = first_drop(replace(performance, streams=streams))
    first = f" First, {say_cause(drop)}." if drop else ""
    return Steadiness(Steady.STALLING, f"{samples.dropped_count} of {frames} frames were dropped.{first}", None)


def _caveats(performance: Performance, task: IoTask) -> Iterator[str]:
    yield sentences.SINGLE_RUN
    if performance.cut_short:
        yield f"The run was ended after {format_duration(performance.elapsed_ns)}, before its time."
    if task.span_bytes < LEAST_DRIVE_SPAN_BYTES:
        size = format_size(task.span_bytes)
        yield f"The clips are {size} together and may fit in the drive's own buffer; use a longer --clip."
