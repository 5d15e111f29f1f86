"""Results of known rates: of one measurement, or of an experiment in ABBA blocks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.model import IoTask, Operation, Pattern, Result, Run, Samples, Target, TargetKind, Trial, Verdict
from graycard.summary import summarise
from tests.made_results import START, a_result, a_summary

MB = 1e6
TASK = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 1 << 30, depth_count=8, time_ns=10**9)
FILE = Target("/mnt/ssd/file", TargetKind.FILE)
# Who is first in each pair of an ABBA, BAAB sequence.
BASE_FIRST = (True, False, False, True, True, False, False, True)


def a_run(rate_mb_per_s: float, repeat_index: int, second: float) -> Run:
    """A run of one second."""
    moved = round(rate_mb_per_s * MB)
    samples = Samples("native", 10**9, moved // TASK.block_bytes, moved, (), 10**7, None)
    return Run(0, repeat_index, START + timedelta(seconds=second), samples, (), ())


def measured(name: str, rates_mb_per_s: Sequence[float], task: IoTask = TASK, **changes: object) -> Result:
    """A result with one run for each rate."""
    runs = tuple(a_run(rate, index, 10 * index) for index, rate in enumerate(rates_mb_per_s))
    return a_result(name, task=task, runs=runs, summary=summarise(task, runs, ()), **changes)


def trialled(
    name: str,
    rates_mb_per_s: Sequence[float],
    *,
    is_base: bool,
    randomised: bool = True,
    experiment: str = "e1",
    **changes: object,
) -> Result:
    """A configuration of an experiment; run i is first in its pair as BASE_FIRST says."""
    runs = tuple(
        a_run(rate, index, 20 * index + (0 if first == is_base else 10))
        for index, (rate, first) in enumerate(zip(rates_mb_per_s, BASE_FIRST, strict=False))
    )
    trial = Trial(experiment, "systems", name, randomised)
    return replace(
        a_result(f"{experiment}-{name}", task=TASK, runs=runs, summary=summarise(TASK, runs, ()), trial=trial),
        **changes,
    )


def visited(order: str) -> tuple[Result, Result]:
    """Configurations A and B that a person switched, a run of 100 MB/s for each letter, in that order."""
    return _visited("A", order), _visited("B", order)


def _visited(name: str, order: str) -> Result:
    moments = [10.0 * place for place, side in enumerate(order) if side == name]
    runs = tuple(a_run(100 + index / 10, index, second) for index, second in enumerate(moments))
    trial = Trial("e1", "systems", name, randomised=False)
    return a_result(f"e1-{name}", task=TASK, runs=runs, summary=summarise(TASK, runs, ()), trial=trial)


def failed(result: Result) -> Result:
    """The result with a check that failed."""
    assert result.summary is not None
    return replace(result, summary=replace(result.summary, checks=a_summary(Verdict.FAIL).checks))


def simulated_pair(other_ratio: float, seed: int, pair_count: int = 8, spread_ratio: float = 0.02) -> list[Result]:
    """Two configurations measured in turns by the simulated engine, the other `other_ratio` as fast as the base."""
    clock = VirtualClock()
    engines = [SimulatedEngine(clock, rate, spread_ratio) for rate in (400 * MB, 400 * MB * other_ratio)]
    runs: list[list[Run]] = [[], []]
    rng = random.Random(seed)
    for block in range(pair_count):
        order = (0, 1) if BASE_FIRST[block] else (1, 0)
        for side in order:
            task = replace(TASK, seed=rng.getrandbits(40))
            started_at = clock.utc_now()
            samples = engines[side].run(task, FILE, lambda _: None)
            runs[side].append(Run(0, block, started_at, samples, (), ()))
            clock.sleep_ns(10**9)
    return [
        a_result(name, task=TASK, runs=tuple(mine), summary=summarise(TASK, tuple(mine), ()),
                 trial=Trial("e1", "throttled", name, True))
        for name, mine in zip(("free", "throttled"), runs, strict=True)
    ]  # fmt: skip
