"""Flows become results: a rate with its interval over the runs, checks, and the facts of the way."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from statistics import median

from graycard import __version__
from graycard.agent.traffic import CHUNK_BYTES
from graycard.facts import fact, number
from graycard.link.checks import alone, conserved, instrument, possible
from graycard.link.flow import Flow
from graycard.model import (
    SCHEMA,
    Action,
    Cache,
    Check,
    Durability,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Samples,
    Target,
    TargetKind,
    Tick,
    Transfer,
    Verdict,
)
from graycard.summary import summarise

ENGINE = "graycard TCP"
METHOD = "TCP"
# What has no meaning where no file is touched.
_NO_FILE = ("span_bytes", "depth_count", "cache", "durability")
_SEVERITY = {Verdict.PASS: 0, Verdict.UNKNOWN: 1, Verdict.CAVEAT: 2, Verdict.FAIL: 3}


def link_task(action: Action, stream_count: int, time_ns: int) -> IoTask:
    """Sending reads here and writes there; receiving the other way around (see `Transfer`)."""
    return IoTask(
        Operation.READ if action is Action.SEND else Operation.WRITE,
        Pattern.SEQUENTIAL,
        CHUNK_BYTES,
        CHUNK_BYTES,
        time_ns=time_ns,
        cache=Cache.WARM,
        durability=Durability.NONE,
        transfer=Transfer(METHOD, action, stream_count=stream_count),
        unstated=_NO_FILE,
    )


def run_of(flow: Flow, index: int, repeat: int, started_at: datetime) -> Run:
    """A flow as a run: a tick is 100 ms of what arrived, an operation a call's worth of 1 MiB."""
    ticks = tuple(Tick(number * flow.slot_ns, moved // CHUNK_BYTES, moved) for number, moved in enumerate(flow.slots))
    samples = Samples(
        ENGINE, flow.elapsed_ns, sum(tick.ops_count for tick in ticks), flow.moved_bytes, ticks, flow.slot_ns, None
    )
    after = [fact("retransmit_count", flow.of_all("retransmit_count"), "TCP_INFO of the sender")]
    if flow.round_trip_ns:
        loaded = percentile(flow.round_trip_ns, 0.95)
        after.append(fact("loaded_round_trip_ns", loaded, "a byte there and back every 20 ms"))
    return Run(index, repeat, started_at, samples, (), tuple(after))


def checks_of(
    flow: Flow, facts: tuple[Fact, ...], loopback: float | None, all_bytes: int | None, stolen: float | None
) -> tuple[Check, ...]:
    """The checks of one flow."""
    rate = flow.moved_bytes * 1e9 / flow.elapsed_ns if flow.elapsed_ns else 0.0
    return (
        conserved(flow),
        instrument(rate, loopback),
        possible(rate, number(facts, "link_bits_per_s")),
        alone(flow.moved_bytes, all_bytes, stolen),
    )


def worst(checks: tuple[tuple[Check, ...], ...]) -> tuple[Check, ...]:
    """Of each check the worst over the runs."""
    columns = zip(*checks, strict=True)
    return tuple(max(column, key=lambda check: _SEVERITY[check.verdict]) for column in columns)


def percentile(values: tuple[int, ...], ratio: float) -> float:
    """The value below which this share lies: the nearest rank."""
    ordered = sorted(values)
    return float(ordered[min(len(ordered) - 1, int(ratio * len(ordered)))])


def result_of(
    task: IoTask,
    runs: tuple[Run, ...],
    checks: tuple[Check, ...],
    *,
    measurement_id: str,
    index: int,
    server: str,
    facts: tuple[Fact, ...],
) -> Result:
    """The result of one direction and number of streams, of one run at least."""
    summary = summarise(task, runs, checks)
    # Calls of a socket are no operations of a device.
    summary = replace(summary, ops=None)
    known = tuple(each for run in runs[-1:] for each in run.after)
    return Result(
        id=f"{measurement_id}{index:04x}",
        measurement_id=measurement_id,
        schema=SCHEMA,
        created_at=runs[0].started_at,
        origin=Origin("graycard", __version__, ENGINE),
        target=Target(server, TargetKind.SHARE),
        task=task,
        facts=(*facts, *_typical(runs, known)),
        runs=runs,
        summary=summary,
    )


def _typical(runs: tuple[Run, ...], known: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The median over the runs of what each run tells."""
    found = []
    for each in known:
        values = [value for run in runs if (value := number(run.after, each.name)) is not None]
        if values:
            found.append(replace(each, value=median(values)))
    return tuple(found)
