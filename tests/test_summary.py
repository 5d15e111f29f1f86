"""Runs become published numbers: every kind of run that an engine may hand over."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.codec import decode, encode
from graycard.model import (
    Check,
    Estimate,
    Histogram,
    IoTask,
    Operation,
    Pattern,
    Run,
    Samples,
    Steady,
    Summary,
    Tick,
    Verdict,
)
from graycard.stats.between import runs_estimate
from graycard.stats.stopping import look
from graycard.summary import run_rates, summarise
from tests.stats import truth

MB = 1_000_000
S = 1_000_000_000
TASK = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 1 << 30, depth_count=8, time_ns=5 * S)
CLEAN = [100.0, 101.0, 99.5, 100.4, 99.8]
BLOCK_BYTES = 4096


def run(samples: Samples, repeat_index: int = 0) -> Run:
    return Run(0, repeat_index, datetime(2026, 1, 1, tzinfo=UTC), samples, (), ())


def plain(rate_mb: float, duration_s: float = 5.0, latency: Histogram | None = None) -> Run:
    """A run of one even rate without ticks, as the fio engine gives it."""
    moved = int(rate_mb * MB * duration_s)
    return run(Samples("test", int(duration_s * S), moved // BLOCK_BYTES, moved, (), 0, latency))


def ticking(rates: list[float], *, slot_ns: int = 100_000_000, flush_ns: int = 0) -> Run:
    """A run of the given rates in MB/s, one for each slot."""
    moved = [int(rate * MB * slot_ns / S) for rate in rates]
    ticks = tuple(Tick(i * slot_ns, size // BLOCK_BYTES, size) for i, size in enumerate(moved))
    elapsed_ns = slot_ns * len(moved) + flush_ns
    ops_count = sum(tick.ops_count for tick in ticks)
    return run(Samples("test", elapsed_ns, ops_count, sum(moved), ticks, slot_ns, None, flush_ns=flush_ns))


def summary(*runs: Run, looked: bool = False) -> Summary:
    found = summarise(TASK, runs, (), looked=looked)
    # Whatever is published survives the store.
    assert decode(encode(found), Summary) == found
    return found


def even(rng: np.random.Generator, duration_s: float, level: float = 100.0) -> list[float]:
    return list(level * truth.steady(rng, 0.3, 1, int(duration_s * 10), cv=0.05)[0])


def test_five_runs_give_the_interval_between_runs() -> None:
    found = summary(*(plain(rate) for rate in CLEAN))
    expected = runs_estimate([rate * MB for rate in CLEAN], "bytes/s")
    assert found.rate.value == pytest.approx(expected.value)
    assert found.rate.half_width_ratio == pytest.approx(expected.half_width_ratio)
    assert found.ops.value == pytest.approx(expected.value / BLOCK_BYTES, rel=1e-4)
    assert (found.rate.unit, found.ops.unit, found.rate.n_count) == ("bytes/s", "ops/s", 5)
    assert found.steadiness.verdict is Steady.STEADY
    assert found.steadiness.says == "5 runs lie within 1.5 % of each other."
    assert found.steadiness.run_spread_ratio == pytest.approx(0.015, abs=1e-4)
    assert found.caveats == ("5 of 5 runs were normal; a fault that hits up to 45 % of runs could have been missed.",)
    assert found.stalls is None
    assert found.latency_ns == ()


def test_after_looks_the_interval_is_that_of_the_last_look() -> None:
    runs = tuple(plain(rate) for rate in CLEAN)
    found = summary(*runs, looked=True)
    assert found.rate.half_width_ratio == pytest.approx(look(run_rates(TASK, runs), 0.05).half_width_ratio)
    assert found.rate.level_ratio == 0.95


def test_checks_are_passed_on() -> None:
    check = Check("clock", 1.0, 1.0, "ratio", 0.1, Verdict.PASS, "fine")
    assert summarise(TASK, (plain(100.0),), (check,)).checks == (check,)


def test_single_run() -> None:
    found = summary(plain(100.0, 2.0))
    assert (found.rate.value, found.rate.low, found.rate.high) == (100e6, None, None)
    assert found.rate.method == "single run"
    assert found.steadiness.verdict is Steady.UNKNOWN
    assert found.steadiness.run_spread_ratio is None
    assert found.caveats == ("Single run: how much another run may differ is not known.",)


def test_single_long_run_has_its_own_interval_in_its_phase_only() -> None:
    found = summary(ticking(even(np.random.default_rng(1), 60)))
    assert found.rate.low is None
    (phase,) = found.steadiness.phases
    assert phase.rate.half_width_ratio is not None
    assert found.steadiness.verdict is Steady.STEADY
    assert "within this run, another run may differ more" in found.steadiness.says


def test_two_runs_give_a_range() -> None:
    found = summary(plain(100.0), plain(110.0))
    assert (found.rate.low, found.rate.high, found.rate.level_ratio) == (100e6, 110e6, None)


def test_a_first_run_that_differs_is_told_apart() -> None:
    found = summary(plain(140.0), *(plain(rate) for rate in CLEAN))
    expected = runs_estimate([rate * MB for rate in CLEAN], "bytes/s")
    assert found.rate.value == pytest.approx(expected.value)
    assert found.rate.n_count == found.ops.n_count == 5
    assert "first run told apart" in found.rate.method
    assert found.steadiness.verdict is Steady.FIRST_RUN_DIFFERS
    assert found.steadiness.first_run is not None
    assert found.steadiness.first_run.value == 140e6
    says = "The first run was 40 % faster than the others (140 MB/s); it is not in the figure."
    assert found.steadiness.says == says
    assert says in found.caveats
    # The spread is of all runs: nothing is hidden.
    assert found.steadiness.run_spread_ratio == pytest.approx(0.4, abs=0.01)


def test_latencies_are_of_the_same_runs_as_the_rate() -> None:
    rng = np.random.default_rng(2)
    kept = [truth.histogram(truth.latencies(rng, 3000, bursts=False)) for _ in range(6)]
    slow = truth.histogram(truth.latencies(rng, 3000, bursts=False) * 50)
    runs = [plain(20.0, latency=slow), *(plain(rate, latency=each) for rate, each in zip(CLEAN, kept, strict=False))]
    found = summary(*runs)
    shown = {each.percentile: each.latency for each in found.latency_ns}
    # 15,000 operations carry p99.9; the slow first run is in none of them.
    assert list(shown) == [50, 99, 99.9, 100]
    assert shown[100].value < 10e6
    assert shown[99].n_count == 5
    assert shown[50].value < shown[99].value < shown[99.9].value < shown[100].value


def test_few_operations_carry_no_far_percentile() -> None:
    few = truth.histogram(truth.latencies(np.random.default_rng(3), 400, bursts=False))
    assert [each.percentile for each in summary(plain(1.0, latency=few)).latency_ns] == [50, 100]


def test_scattered_runs() -> None:
    found = summary(*(plain(rate) for rate in (100.0, 60.0, 90.0, 110.0)))
    assert found.steadiness.verdict is Steady.SCATTERED
    assert found.steadiness.says == (
        "The runs differ by 53 %: 60.0 MB/s to 110 MB/s (1 of 4 more than 20 % slower than the median)."
    )
    assert found.caveats == (found.steadiness.says,)


def test_scatter_behind_a_first_run_that_differs_is_of_the_runs_in_the_figure() -> None:
    found = summary(*(plain(rate) for rate in (500.0, 75.0, 100.0, 101.0, 99.0, 100.0, 100.0, 99.5)))
    assert found.steadiness.verdict is Steady.FIRST_RUN_DIFFERS
    assert found.caveats == (
        found.steadiness.says,
        "The runs differ by 26 %: 75.0 MB/s to 101 MB/s (1 of 7 more than 20 % slower than the median).",
    )


def cliff_run(seed: int, at_s: float = 20.0, flush_ns: int = 0) -> Run:
    rng = np.random.default_rng(seed)
    return ticking(even(rng, at_s, 900.0) + even(rng, 60 - at_s, 300.0), flush_ns=flush_ns)


def test_the_headline_of_a_cliff_is_the_steady_part() -> None:
    found = summary(cliff_run(4))
    assert found.steadiness.verdict is Steady.CLIFF
    assert found.rate.value == pytest.approx(300e6, rel=0.02)
    assert found.ops.value == pytest.approx(300e6 / BLOCK_BYTES, rel=0.02)
    first, last = found.steadiness.phases
    assert first.rate.value == pytest.approx(900e6, rel=0.02)
    assert last.start_bytes == pytest.approx(18e9, rel=0.02)
    assert found.steadiness.says.startswith("The rate changed for good: 9")
    assert "for the first 18." in found.steadiness.says
    assert found.steadiness.says.endswith("The figure is of the last part, latencies are of whole runs.")
    assert found.steadiness.says in found.caveats
    assert "last part" in found.rate.method


def test_cliffs_in_all_runs_have_an_interval_of_the_last_parts() -> None:
    found = summary(*(cliff_run(seed, at_s=10.0 + 5 * seed) for seed in range(5)))
    assert found.rate.n_count == 5
    assert found.rate.value == pytest.approx(300e6, rel=0.02)
    assert found.rate.half_width_ratio is not None
    assert found.rate.half_width_ratio < 0.03
    assert "in 5 of 5 runs (run 1)" in found.steadiness.says
    assert len(found.steadiness.phases) == 10
    assert {phase.run_index for phase in found.steadiness.phases} == set(range(5))


def test_one_cliff_in_five_runs_is_told_but_does_not_change_the_figure() -> None:
    rng = np.random.default_rng(5)
    whole = [ticking(even(rng, 20)) for _ in range(4)]
    odd = ticking(even(rng, 10, 110.0) + even(rng, 10, 90.0))
    found = summary(whole[0], odd, *whole[1:])
    assert found.steadiness.verdict is Steady.STEADY
    assert found.rate.value == pytest.approx(100e6, rel=0.01)
    says = next(says for says in found.caveats if "for good" in says)
    assert "in 1 of 5 runs (run 2)" in says
    assert says.endswith("The figure is of whole runs.")


def test_undulation_over_the_runs() -> None:
    rng = np.random.default_rng(6)
    found = summary(*(ticking(list(100 * row)) for row in truth.square(rng, 5, 100, 20.0)))
    assert found.steadiness.verdict is Steady.UNDULATING
    assert found.steadiness.undulation is not None
    assert found.steadiness.undulation.period_ns == pytest.approx(2 * S, rel=0.05)
    assert "every 2.0" in found.steadiness.says
    assert found.steadiness.says in found.caveats


def test_stalls_over_all_runs() -> None:
    rng = np.random.default_rng(7)
    rates = [even(rng, 5) for _ in range(5)]
    for slot in range(20, 30):
        rates[2][slot] = 0.0
    found = summary(*(ticking(each) for each in rates))
    assert found.stalls is not None
    assert (found.stalls.count, found.stalls.longest_ns) == (1, S)
    assert found.stalls.share_ratio == pytest.approx(0.04)
    assert found.steadiness.verdict is Steady.STALLING
    assert found.steadiness.says == (
        "1 stall of 0.3 s or more, 2.4 a minute (0.061 to 13); the longest 1.00 s, in all 4 % of the time."
    )


def test_a_flush_is_in_the_rate_but_no_stall() -> None:
    found = summary(ticking(even(np.random.default_rng(8), 10), flush_ns=10 * S))
    assert found.rate.value == pytest.approx(50e6, rel=0.02)
    assert found.stalls is not None
    assert found.stalls.count == 0


def test_ticks_of_10_ms() -> None:
    found = summary(ticking([100.0] * 500, slot_ns=10_000_000))
    assert found.rate.value == pytest.approx(100e6, rel=1e-6)
    assert found.stalls is not None
    assert found.steadiness.verdict is Steady.STEADY


def test_a_run_that_moved_nothing_is_told() -> None:
    found = summary(plain(0.0), plain(10.0), plain(20.0))
    assert (found.rate.value, found.rate.low, found.rate.high) == (10e6, 0.0, 20e6)
    assert "1 of 3 runs moved no data in their time; the figure is a plain mean and range." in found.caveats


def test_only_runs_that_moved_nothing() -> None:
    found = summary(plain(0.0), plain(0.0))
    assert found.rate.value == 0.0
    assert found.steadiness.verdict is Steady.UNKNOWN


@pytest.mark.parametrize("runs", [(), (plain(0.0, 0.0),)])
def test_no_run_with_a_duration(runs: tuple[Run, ...]) -> None:
    found = summary(*runs)
    assert (found.rate.n_count, found.rate.method) == (0, "nothing was measured")
    assert found.steadiness.verdict is Steady.UNKNOWN
    assert found.caveats == ("No run lasted long enough to measure a rate.",)


def test_an_hour_long_run() -> None:
    rng = np.random.default_rng(9)
    found = summary(ticking(even(rng, 600, 500.0) + even(rng, 3000, 100.0)))
    assert found.steadiness.verdict is Steady.CLIFF
    assert found.rate.value == pytest.approx(100e6, rel=0.01)


@given(
    st.lists(st.tuples(st.floats(0, 5000), st.floats(0.05, 30), st.booleans()), min_size=1, max_size=20),
    st.integers(1, 512),
)
def test_whatever_the_runs_the_summary_is_sound(shapes: list[tuple[float, float, bool]], depth_count: int) -> None:
    task = IoTask(Operation.WRITE, Pattern.RANDOM, 4096, 1 << 30, depth_count=depth_count)
    runs = tuple(
        ticking([rate] * int(duration * 10) or [rate]) if ticks else plain(rate, duration)
        for rate, duration, ticks in shapes
    )
    found = summarise(task, runs, ())
    for estimate in (found.rate, found.ops):
        sound(estimate, len(runs))
    assert found.steadiness.says
    assert found.caveats


def sound(estimate: Estimate, run_count: int) -> None:
    """An interval, a range, or the words single run: never a number alone."""
    assert estimate.value >= 0
    assert estimate.n_count in {run_count, run_count - 1}
    if estimate.low is None or estimate.high is None:
        assert run_count == 1
        assert "single run" in estimate.method
    else:
        assert estimate.low <= estimate.value * (1 + 1e-9)
        assert estimate.high >= estimate.value * (1 - 1e-9)
