"""Small results, made quickly: what the tests of the store and of its neighbours save and find again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Check,
    Estimate,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Samples,
    Steadiness,
    Steady,
    Summary,
    Target,
    TargetKind,
    Tick,
    Verdict,
)

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
TASK = IoTask(Operation.READ, Pattern.RANDOM, 4096, 1 << 30, depth_count=64, time_ns=10**9)


def a_run(number: int, tick_count: int = 100) -> Run:
    ticks = tuple(Tick(index * 10**7, 10 + number, (10 + number) * 4096) for index in range(tick_count))
    ops = (10 + number) * tick_count
    samples = Samples("native", 10**9, ops, ops * 4096, ticks, 10**7, None)
    return Run(0, number, START + timedelta(seconds=number), samples, (), ())


def a_result(name: str, *, run_count: int = 0, minute: int = 0, **changes: object) -> Result:
    base = Result(
        id=name,
        measurement_id="m1",
        schema=SCHEMA,
        created_at=START + timedelta(minutes=minute),
        origin=Origin("graycard", "0.1.0", "native"),
        target=Target("/mnt/card", TargetKind.FOLDER),
        task=TASK,
        facts=(fact("device_id", "d1", "test"), fact("file_system_id", "f1", "test")),
        runs=tuple(a_run(number) for number in range(run_count)),
        summary=None,
    )
    return replace(base, **changes)


def a_summary(*verdicts: Verdict) -> Summary:
    rate = Estimate(1.5e8, 1.4e8, 1.6e8, "bytes/s", 5, 0.95, "test")
    checks = tuple(Check("test", None, None, None, None, verdict, "says") for verdict in verdicts)
    return Summary(rate, rate, (), None, Steadiness(Steady.STEADY, "even", None), checks, ())
