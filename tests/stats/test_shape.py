"""Cliff, undulation and stalls, each alone and together as the shape of a run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graycard.model import Samples, Tick
from graycard.stats.cliff import critical_t, largest_t, phase_starts
from graycard.stats.locate import levels, locate, mean
from graycard.stats.slots import Slots, batch_ops
from graycard.stats.stalls import per_minute, stalled, stalls
from graycard.stats.undulation import period, two_levels, undulation
from tests.stats import truth
from tests.stats.series import MB, MS, S, regular, samples, shaped, slots


@pytest.mark.parametrize("count", [10, 25, 60, 150])
def test_critical_values_are_exceeded_by_one_percent_of_noise(count: int) -> None:
    series = np.random.default_rng(count).standard_normal((3000, count)).tolist()
    share = sum(largest_t(row)[0] > critical_t(count) for row in series) / 3000
    assert share == pytest.approx(0.01, abs=3 * math.sqrt(0.01 * 0.99 / 3000))


def test_largest_t_equals_scipy_at_its_split() -> None:
    values = list(np.random.default_rng(5).standard_normal(30) + np.where(np.arange(30) < 12, 0, 2))
    t, split = largest_t(values)
    every = [abs(stats.ttest_ind(values[:k], values[k:]).statistic) for k in range(2, 29)]
    assert t == pytest.approx(max(every), rel=1e-9)
    assert split == 2 + every.index(max(every))


def test_critical_values_at_the_ends_of_the_table() -> None:
    assert critical_t(3) == math.inf
    assert critical_t(100_000) == critical_t(2000)
    assert critical_t(60) < critical_t(45)
    assert largest_t([1.0, 2.0, 3.0]) == (0.0, 0)
    assert largest_t([]) == (0.0, 0)


def test_a_cliff_without_noise_is_found_to_the_slot() -> None:
    assert phase_starts(slots([10 * MB] * 123 + [5 * MB] * 77)) == (0, 123)


def test_three_phases() -> None:
    found = phase_starts(slots([10 * MB] * 100 + [5 * MB] * 100 + [2 * MB] * 100))
    assert found == (0, 100, 200)


def test_small_changes_and_short_runs_have_one_phase() -> None:
    assert phase_starts(slots([100] * 100 + [90] * 100)) == (0,)
    assert phase_starts(slots([100] * 50 + [20] * 49)) == (0,)
    assert phase_starts(slots([0] * 200)) == (0,)


def test_locate_sees_past_stalls_and_correlated_noise() -> None:
    rng = np.random.default_rng(6)
    values = truth.steady(rng, 0.9, 1, 400)[0] * np.where(np.arange(400) < 170, 1.0, 0.7)
    values[150:156] = 0.01
    assert abs(locate(list(values), 190, 50) - 170) <= 2


def test_two_levels_is_the_best_split_of_all() -> None:
    values = list(np.random.default_rng(7).uniform(0, 1, 40))
    ordered, total = sorted(values), float(np.var(values)) * 40
    inside = [float(np.var(ordered[:k])) * k + float(np.var(ordered[k:])) * (40 - k) for k in range(1, 40)]
    found = two_levels(values)
    assert found.explained_ratio == pytest.approx(1 - min(inside) / total, rel=1e-9)
    assert found.low == pytest.approx(float(np.mean(ordered[: inside.index(min(inside)) + 1])))


@given(st.lists(st.floats(0, 1e10), min_size=2, max_size=60))
def test_explained_share_is_a_share(values: list[float]) -> None:
    found = two_levels(values)
    assert -1e-6 <= found.explained_ratio <= 1 + 1e-6
    assert found.low <= found.high * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("length", [4.7, 19.3, 20.0, 73.0])
def test_the_period_is_found_below_a_slot(length: float) -> None:
    values = list(truth.square(np.random.default_rng(8), 1, 600, length)[0])
    assert period(values) == pytest.approx(length, abs=0.15)


@given(st.lists(st.integers(0, 5), min_size=4, max_size=60))
def test_a_period_is_longer_than_a_slot_and_half_of_the_time_at_most(values: list[int]) -> None:
    """Of values that alternate, the peak of no lag at all was once taken for the next one, without end."""
    alternating = [0, 4, 0, 4, 1, 4, 1, 4, 1, 3, 1, 3]
    for each in (values, [*values, *alternating], alternating):
        found = period([float(value) for value in each])
        assert found is None or 1 < found <= len(each) / 2


def test_noise_and_levels_at_random_times_have_no_sharp_period() -> None:
    assert period(list(truth.steady(np.random.default_rng(9), 0.5, 1, 300)[0])) is None
    assert period([1.0] * 100) is None


def test_undulation_tells_both_levels() -> None:
    noise = 1 + 0.05 * np.random.default_rng(10).standard_normal(600)
    levels = np.array(([5 * MB] * 10 + [15 * MB] * 10) * 30) * noise
    found = undulation(slots([int(value) for value in levels]))
    assert found is not None
    assert found.low_bytes_per_s == pytest.approx(50e6, rel=0.01)
    assert found.high_bytes_per_s == pytest.approx(150e6, rel=0.01)
    assert found.period_ns == pytest.approx(2 * S, rel=0.001)


@pytest.mark.parametrize(
    "moved",
    [
        [10 * MB] * 30 + [5 * MB] * 30,  # one crossing: a cliff
        ([10 * MB] * 27 + [0] * 3) * 4,  # few short visits: stalls
        [10 * MB, 9 * MB] * 30,  # levels too close
        [10 * MB, 5 * MB] * 12,  # under 25 slots
        [0] * 60,
    ],
)
def test_what_is_no_undulation(moved: list[int]) -> None:
    assert undulation(slots(moved)) is None


def test_stalls_are_counted_with_the_longest_and_the_share() -> None:
    found = stalls([stalled(slots([MB] * 20 + [0] * 3 + [MB] * 20 + [0] * 7 + [MB] * 20 + [0] * 2 + [MB] * 28), 1)])
    assert found is not None
    assert (found.count, found.longest_ns) == (2, 700 * MS)
    assert found.share_ratio == pytest.approx(0.1)
    assert found.per_min is not None
    assert found.per_min.value == pytest.approx(12.0)


def test_a_quarter_of_the_usual_rate_is_the_limit() -> None:
    low = stalled(slots([100] * 20 + [24] * 3 + [100] * 20), 1)
    high = stalled(slots([100] * 20 + [25] * 3 + [100] * 20), 1)
    assert low is not None
    assert high is not None
    assert low.lengths_ns == (300 * MS,)
    assert high.lengths_ns == ()


@pytest.mark.parametrize(("batch_count", "count"), [(1, 2), (64, 1)])
def test_large_batches_need_a_longer_gap(batch_count: int, count: int) -> None:
    # 20 operations a slot: a batch of 64 alone takes 0.32 s, so 0.4 s without completions means nothing.
    moved = [MB] * 20 + [0] * 4 + [MB] * 30 + [0] * 12 + [MB] * 20
    found = stalled(slots(moved, ops=20), batch_count)
    assert found is not None
    assert len(found.lengths_ns) == count


def test_no_usual_rate_no_statement() -> None:
    assert stalled(slots([MB] * 9), 1) is None
    assert stalled(slots([0] * 60), 1) is None
    assert stalled(Slots(100 * MS, (MB,) * 60, (0,) * 60), 1) is None
    assert stalls([None, None]) is None
    assert stalls([]) is None


def test_slow_devices_do_not_stall_between_operations() -> None:
    # One operation every 0.4 s, as regular as can be.
    even = Slots(100 * MS, (MB, 0, 0, 0) * 150, (1, 0, 0, 0) * 150)
    found = stalled(even, 1)
    assert found is not None
    assert found.lengths_ns == ()
    assert undulation(even.holding(10)) is None


@pytest.mark.parametrize(("every_ms", "batch", "depth_count"), [(11, 1, 8), (90, 8, 8), (7, 1, 64), (430, 32, 64)])
def test_regular_completions_are_steady_alone_and_in_batches(every_ms: int, batch: int, depth_count: int) -> None:
    run = regular(every_ms, batch)
    assert batch_ops(run, depth_count) == pytest.approx(batch, abs=1)
    found = shaped(run, depth_count)
    assert found.undulation is None
    assert not found.has_cliff
    assert all(each is None or each.lengths_ns == () for each in found.stalled)


def test_one_flood_after_a_stall_does_not_set_the_batch() -> None:
    run = regular(10, 1)
    moved = list(run.ticks)
    moved[500:540] = [Tick(tick.start_ns, 0, 0) for tick in moved[500:540]]
    moved[540] = Tick(moved[540].start_ns, 41, 41 << 20)
    run = Samples("test", run.elapsed_ns, run.ops_count, run.moved_bytes, tuple(moved), 10 * MS, None)
    assert batch_ops(run, 64) == 1
    (found,) = shaped(run, 64).stalled
    assert found is not None
    assert found.lengths_ns == (400 * MS,)


def test_long_ticks_and_empty_runs_take_the_depth_as_the_batch() -> None:
    assert batch_ops(truth.samples(np.ones(50)), 32) == 32
    assert batch_ops(samples([0, 0]), 32) == 32
    assert batch_ops(samples([]), 32) == 32


def test_stall_rate_has_the_exact_poisson_interval() -> None:
    found = per_minute(3, 120 * S)
    assert found.value == 1.5
    assert found.low == pytest.approx(stats.chi2.ppf(0.025, 6) / 2 / 2, rel=1e-9)
    assert found.high == pytest.approx(stats.chi2.ppf(0.975, 8) / 2 / 2, rel=1e-9)


def test_the_last_phase_has_the_flush_in_its_time() -> None:
    moved = [10 * MB] * 1000 + [5 * MB] * 1000
    found = shaped(samples(moved, flush_ns=2 * S))
    first, last = found.phases
    assert (first.start_ns, first.end_ns, last.start_ns, last.end_ns) == (0, 10 * S, 10 * S, 22 * S)
    assert (first.start_bytes, last.start_bytes) == (0, 10_000 * MB)
    assert first.rate.value == pytest.approx(1000e6)
    assert last.rate.value == pytest.approx(5000e6 / 12)
    assert found.last_ops_per_s == pytest.approx(100_000 / 12)


def test_phases_conserve_bytes_and_time() -> None:
    rates, _ = truth.cliff(np.random.default_rng(11), 0.5, 1, 600, 0.5)
    run = truth.samples(rates[0])
    phases = shaped(run).phases
    assert len(phases) == 2
    moved = sum(each.rate.value * (each.end_ns - each.start_ns) / 1e9 for each in phases)
    assert moved == pytest.approx(run.moved_bytes, rel=1e-9)
    assert phases[-1].end_ns == run.elapsed_ns


def test_interval_of_a_phase_is_brought_to_its_value() -> None:
    rates = truth.steady(np.random.default_rng(12), 0.3, 1, 400)[0]
    without = shaped(truth.samples(rates)).phases[0].rate
    moved = [int(rate * 10 * MB) for rate in rates]
    flushed = shaped(samples(moved, tick_ns=100 * MS, ops=1000, flush_ns=10 * S)).phases[0].rate
    assert flushed.value == pytest.approx(without.value * 0.8, rel=1e-3)
    assert flushed.half_width_ratio == pytest.approx(without.half_width_ratio, rel=1e-2)
    assert "another run may differ more" in flushed.method


def test_short_phases_have_no_interval() -> None:
    phase = shaped(truth.samples(truth.steady(np.random.default_rng(13), 0.3, 1, 150)[0])).phases[0]
    assert (phase.rate.low, phase.rate.level_ratio) == (None, None)


def test_levels_inside_the_undulation_are_no_phases() -> None:
    slow = truth.square(np.random.default_rng(14), 1, 600, 130.0)[0]
    assert not shaped(truth.samples(slow)).has_cliff


def test_a_device_that_undulates_after_its_cliff_has_both() -> None:
    rng = np.random.default_rng(15)
    rates = np.concatenate([5 * truth.steady(rng, 0.0, 1, 200)[0], truth.square(rng, 1, 400, 20.0)[0]])
    found = shaped(truth.samples(rates))
    assert [phase.start_ns for phase in found.phases] == [0, 20 * S]
    assert found.undulation is not None
    assert found.undulation.high_bytes_per_s == pytest.approx(150e6, rel=0.05)


@pytest.mark.parametrize(("first", "second"), [(100.0, 40.0), (40.0, 100.0), (7.0, 7.0)])
def test_two_levels_without_noise_are_found_exactly(first: float, second: float) -> None:
    assert levels([first] * 30 + [second] * 20, 30) == pytest.approx((first, second))
    stalled = [first] * 10 + [0.0] * 5 + [first] * 15 + [second] * 20
    assert levels(stalled, 30) == pytest.approx((first, second))


def test_the_step_is_surer_than_the_means_where_noise_is_correlated() -> None:
    """Against the truth of 0.8, on 200 runs: the spread of the ratio of the two levels."""
    rates, moments = truth.cliff(np.random.default_rng(3), 0.9, 200, 600, 0.8)
    by_means, by_steps = [], []
    for row, moment in zip(rates.tolist(), moments.astype(int).tolist(), strict=True):
        before, after = levels(row, moment)
        by_steps.append(after / before)
        by_means.append(mean(row[moment:]) / mean(row[:moment]))
    assert np.std(by_steps) < 0.85 * np.std(by_means)
    assert abs(np.mean(by_steps) - 0.8) < 0.01


def test_a_slow_fall_is_a_cliff_all_the_same() -> None:
    """Its means differ, while no step is to be seen in it."""
    moved = [1_000_000] * 250 + [1_000_000 - 4_000 * each for each in range(100)] + [600_000] * 250
    found = phase_starts(Slots(100_000_000, tuple(moved), (100,) * 600))
    assert len(found) > 1
