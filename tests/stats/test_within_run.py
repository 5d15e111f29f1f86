"""Ticks become slots, and one run knows its own level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graycard.model import Samples
from graycard.stats.autocorrelation import lag_one
from graycard.stats.shape import shape
from graycard.stats.slots import Slots, slots_of
from graycard.stats.within import effective_count, effective_interval, period_means, within_run
from tests.stats import truth
from tests.stats.series import MS, S, samples, slots


def test_ticks_of_10_ms_become_slots_of_100_ms() -> None:
    found = slots_of(samples([1] * 10 + [2] * 10 + [0] * 10 + [5] * 3))
    assert found == Slots(100 * MS, (10, 20, 0), (1000, 1000, 0))


def test_ticks_that_do_not_divide_100_ms_give_the_next_multiple() -> None:
    found = slots_of(samples([1] * 8, tick_ns=30 * MS))
    assert found == Slots(120 * MS, (4, 4), (400, 400))


def test_flush_is_not_a_stall_but_an_empty_end_of_the_io_is_kept() -> None:
    flushing = samples([5] * 100 + [0] * 100)
    found = slots_of(flushing)
    assert found is not None
    assert found.moved_bytes == (50,) * 10 + (0,) * 10
    elapsed_ns = 2 * S
    with_flush = Samples("test", elapsed_ns, 1, 500, flushing.ticks, 10 * MS, None, flush_ns=S)
    cut = slots_of(with_flush)
    assert cut is not None
    assert cut.moved_bytes == (50,) * 10


def test_no_ticks_no_slots() -> None:
    assert slots_of(samples([])) is None
    assert slots_of(samples([1, 1])) is None
    assert shape(samples([]), 0, 1) is None


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=200), st.integers(1, 20))
def test_wider_slots_keep_the_bytes_of_whole_groups(moved: list[int], factor: int) -> None:
    found = slots(moved).wider(factor)
    whole = len(moved) // factor * factor
    assert sum(found.moved_bytes) == sum(moved[:whole])
    assert found.duration_ns == whole * 100 * MS


def test_few_operations_widen_the_slots() -> None:
    assert Slots(100 * MS, (8,) * 30, (2,) * 30).holding(10).width_ns == 500 * MS
    assert Slots(100 * MS, (8,) * 30, (20,) * 30).holding(10).width_ns == 100 * MS
    assert Slots(100 * MS, (0,) * 3, (0,) * 3).holding(10).width_ns == 100 * MS


def test_effective_count_and_interval_follow_the_formula() -> None:
    values = list(truth.steady(np.random.default_rng(1), 0.7, 1, 400)[0])
    first = lag_one(values)
    r = first + (1 + 4 * first) / 400
    size = 400 * (1 - r) / (1 + r)
    assert effective_count(values) == pytest.approx(size, rel=1e-12)
    found = effective_interval(values)
    assert found is not None
    variance = float(np.var(values)) / (1 - 1 / size)
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, size - 1) * math.sqrt(variance / size), rel=1e-9)
    assert found.mean == pytest.approx(float(np.mean(values)))


def test_negative_autocorrelation_counts_as_none() -> None:
    assert effective_count([1.0, 2.0] * 50) == 100


def test_a_drifting_series_has_no_interval() -> None:
    # n_eff of a straight line of 40 values is below 1: nothing can be said.
    assert effective_interval([float(i) for i in range(40)]) is None


def test_below_30_s_no_interval_is_given() -> None:
    values = list(truth.steady(np.random.default_rng(2), 0.0, 1, 300)[0])
    assert within_run(values[:299], 100 * MS) is None
    assert within_run(values, 100 * MS) is not None


@given(st.floats(1e-3, 1e9))
def test_scale_leaves_the_relative_width_of_one_run(factor: float) -> None:
    values = list(truth.steady(np.random.default_rng(3), 0.5, 1, 300)[0])
    one, other = effective_interval(values), effective_interval([value * factor for value in values])
    assert one is not None
    assert other is not None
    assert other.half_width / other.mean == pytest.approx(one.half_width / one.mean, rel=1e-9)


def test_period_means_share_out_the_slots() -> None:
    assert period_means([1.0, 3.0, 1.0, 3.0, 9.0], 2) == pytest.approx([2.0, 2.0])
    assert period_means([2.0, 2.0, 4.0, 4.0, 4.0], 2.5) == pytest.approx([(2 + 2 + 2) / 2.5, (2 + 4 + 4) / 2.5])


def test_whole_periods_narrow_the_interval() -> None:
    values = list(truth.square(np.random.default_rng(4), 1, 600, 20.0)[0])
    plain, periodic = within_run(values, 100 * MS), within_run(values, 100 * MS, 2 * S)
    assert plain is not None
    assert periodic is not None
    assert periodic.half_width < plain.half_width / 4
    assert abs(periodic.mean - 1) < periodic.half_width * 2
