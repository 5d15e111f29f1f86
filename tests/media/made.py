"""Results of known figures, as `fits` reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graycard.model import (
    Cache,
    Check,
    Estimate,
    IoTask,
    Operation,
    Pattern,
    Phase,
    Result,
    Stalls,
    Steadiness,
    Steady,
    Summary,
    Undulation,
    Verdict,
)
from tests.made_results import a_result

MB = 1e6
READ = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 1 << 30, time_ns=2_500_000_000, cache=Cache.BYPASS)
WRITE = replace(READ, operation=Operation.WRITE, byte_limit=1 << 30)


def rate(value: float, low: float | None = None, count: int = 5) -> Estimate:
    """An estimate in MB/s, symmetric around its value; without `low` a single run."""
    if low is None:
        return Estimate(value * MB, None, None, "bytes/s", 1, None, "single run")
    return Estimate(value * MB, low * MB, (2 * value - low) * MB, "bytes/s", count, 0.95, "test")


def phase(run_index: int, start_bytes: int, of: Estimate) -> Phase:
    return Phase(run_index, 0, 10**10, start_bytes, of)


def summary(of: Estimate, *, verdict: Verdict | None = None, stalls: Stalls | None = None, **steady: Any) -> Summary:
    """A summary with this rate; `verdict` that of its only check, `steady` fields of its steadiness."""
    checks = (Check("test", None, None, None, None, verdict, "The reason of the check."),) if verdict else ()
    return Summary(of, None, (), stalls, replace(Steadiness(Steady.STEADY, "even", None), **steady), checks, ())


def of_rate(name: str, of: Estimate, task: IoTask = READ, **more: Any) -> Result:
    """A result of the task with this rate; `more` are arguments of `summary`."""
    return a_result(name, task=task, summary=summary(of, **more))


SWING = Undulation(40 * MB, 160 * MB, 0.95, 4 * 10**9)
STALLED = Stalls(2, None, 800_000_000, 0.01)
