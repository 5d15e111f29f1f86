"""Percentiles of merged histograms, their intervals, and what must never be done with them."""

from __future__ import annotations

import inspect
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graycard.model import Bucket, Estimate, Histogram
from graycard.stats import latency
from graycard.stats.latency import (
    carried_ns,
    carries,
    jackknife_half_width,
    latencies,
    merge,
    percentile_ns,
    share_over,
    upper_ns,
)
from tests.stats import truth

OWN, FIO = 2.0**-8, 2.0**-7


def exact(*values: int, overflow: int = 0) -> Histogram:
    """A histogram of exact values, error 0."""
    counts = tuple(Bucket(low, values.count(low)) for low in sorted(set(values)))
    biggest = max(values, default=None)
    return Histogram(0.0, counts, sum(values), min(values, default=None), biggest, overflow)


def estimate(histograms: list[Histogram], percentile: float) -> Estimate:
    (found,) = latencies(histograms, (percentile,))
    return found.latency


@pytest.mark.parametrize(("bits", "error"), [(7, OWN), (6, FIO)])
def test_upper_edge_is_next_to_the_next_bucket(bits: int, error: float) -> None:
    values = np.unique(np.concatenate([np.arange(5000), np.geomspace(5000, 1e12, 3000).astype(np.int64)]))
    shifts = [max(0, int(value).bit_length() - 1 - bits) for value in values]
    lows = [(int(value) >> shift) << shift for value, shift in zip(values, shifts, strict=True)]
    for value, low in zip(values, lows, strict=True):
        upper = upper_ns(low, error)
        assert low <= value <= upper
        # One more lies in another bucket.
        after = upper + 1
        shift = max(0, after.bit_length() - 1 - bits)
        assert (after >> shift) << shift == after
        # The middle of the bucket is off by the promised share at most.
        assert (upper - low) / 2 <= error * max(low, 1)


def test_exact_histograms_have_no_width_and_other_ratios_are_taken_as_a_share() -> None:
    assert upper_ns(12345, 0.0) == 12345
    assert upper_ns(0, OWN) == 0
    assert upper_ns(1000, 0.01) == 1019
    assert upper_ns(100, OWN) == 100


def test_nearest_rank() -> None:
    found = exact(10, 20, 30, 40)
    assert [percentile_ns(found, p) for p in (1, 25, 25.1, 50, 75, 99, 100)] == [10, 10, 20, 20, 30, 40, 40]
    assert percentile_ns(exact(), 50) is None


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=300), st.floats(0.1, 100))
def test_percentile_equals_the_sorted_values(values: list[int], percentile: float) -> None:
    rank = max(1, math.ceil(len(values) * percentile / 100 - 1e-9 * len(values)))
    assert percentile_ns(exact(*values), percentile) == sorted(values)[rank - 1]


@given(st.lists(st.lists(st.integers(1, 10**10), min_size=1, max_size=80), min_size=1, max_size=5), st.floats(1, 100))
def test_merged_percentile_is_that_of_all_values_within_one_bucket(runs: list[list[int]], percentile: float) -> None:
    merged = merge([truth.histogram(np.array(run, dtype=float)) for run in runs])
    everything = [value for run in runs for value in run]
    found, expected = percentile_ns(merged, percentile), percentile_ns(exact(*everything), percentile)
    assert found is not None
    assert expected is not None
    assert expected <= found <= expected * (1 + 2 * OWN)


@given(st.lists(st.lists(st.integers(1, 10**7), min_size=1, max_size=40), min_size=2, max_size=4))
def test_merging_is_adding_in_any_order(runs: list[list[int]]) -> None:
    parts = [exact(*run) for run in runs]
    assert merge(parts) == exact(*(value for run in runs for value in run)) == merge(parts[::-1])


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=100))
def test_percentiles_rise(values: list[int]) -> None:
    histogram = truth.histogram(np.array(values, dtype=float))
    found = [percentile_ns(histogram, p) or math.nan for p in (1, 10, 50, 90, 99, 99.9, 100)]
    assert all(low <= high for low, high in pairwise(found))
    assert found[-1] == max(values)


def test_overflow_counts_as_the_slowest() -> None:
    histogram = Histogram(OWN, (Bucket(100, 90),), 0, 100, 5_000_000_000, overflow_count=10)
    assert histogram.ops_count == 100
    assert percentile_ns(histogram, 90) == 100
    assert percentile_ns(histogram, 91) == 5_000_000_000
    unknown = Histogram(OWN, (Bucket(100, 90),), 0, 100, None, overflow_count=10)
    assert percentile_ns(unknown, 91) is None


@pytest.mark.parametrize(("count", "percentile"), [(20, 50), (1000, 99), (10_000, 99.9)])
def test_ten_operations_must_lie_above(count: int, percentile: float) -> None:
    assert carries(count, percentile)
    assert not carries(count - 1, percentile)
    assert latencies([exact(*range(1, count))], (percentile,)) == ()
    assert len(latencies([exact(*range(1, count + 1))], (percentile,))) == 1


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=1200))
def test_percentiles_of_one_run_are_those_that_it_carries(values: list[int]) -> None:
    found = exact(*values)
    wanted = (50.0, 99.0, 99.9)
    expected = [percentile_ns(found, each) if carries(len(values), each) else None for each in wanted]
    assert list(carried_ns(found, wanted)) == expected


def test_one_run_has_no_interval_and_two_have_a_range() -> None:
    one = estimate([exact(*range(1, 101))], 50)
    assert (one.value, one.low, one.high, one.method) == (50, None, None, "single run")
    two = estimate([exact(*range(1, 101)), exact(*range(101, 201))], 50)
    assert (two.value, two.low, two.high, two.level_ratio, two.n_count) == (100, 50, 150, None, 2)


def test_jackknife_leaves_one_run_out_of_the_merged_percentile() -> None:
    rng = np.random.default_rng(1)
    raw = [truth.latencies(rng, 2000, bursts=True) for _ in range(6)]
    kept = [truth.histogram(values) for values in raw]
    found = estimate(kept, 99)
    left_out = [percentile_ns(merge(kept[:i] + kept[i + 1 :]), 99) for i in range(6)]
    logs = [math.log(value) for value in left_out if value is not None]
    # Tukey's pseudo-values are the textbook's other way to the same variance.
    pseudo = [6 * math.log(found.value) - 5 * value for value in logs]
    half = stats.t.ppf(0.975, 5) * stats.sem(pseudo)
    assert len(logs) == 6
    assert jackknife_half_width(logs) == pytest.approx(half, rel=1e-9)
    assert found.high == pytest.approx(found.value * math.exp(half), rel=1e-9)
    assert found.low == pytest.approx(found.value * math.exp(-half), rel=1e-9)
    assert (found.unit, found.level_ratio, found.n_count) == ("ns", 0.95, 6)


def test_interval_is_never_narrower_than_the_bucket() -> None:
    low = (10**6 >> 12) << 12
    run = Histogram(OWN, (Bucket(low, 1000),), 10**9, low, low + 4095)
    found = estimate([run] * 5, 50)
    assert (found.low, found.value, found.high) == (low, low + 4095, low + 4095)


def test_maximum_has_no_interval() -> None:
    found = estimate([exact(5, 6), exact(7), exact(1)], 100)
    assert (found.value, found.low, found.high) == (7, None, None)
    assert "maximum" in found.method


def test_runs_without_operations_are_left_out() -> None:
    assert latencies([]) == ()
    assert latencies([exact(), exact()]) == ()
    assert estimate([exact(), exact(*range(1, 101))], 50).method == "single run"


def test_share_over_a_deadline() -> None:
    runs = [exact(*[1] * 90, *[100] * 10), exact(*[1] * 80, *[100] * 20), exact(*[1] * 70, *[100] * 30)]
    found = share_over(runs, 99)
    assert found is not None
    assert found.value == pytest.approx(0.2)
    # With equal runs the jackknife of a mean is the t interval of the runs' shares.
    half = stats.t.ppf(0.975, 2) * stats.sem([0.1, 0.2, 0.3])
    assert found.high == pytest.approx(0.2 + half, rel=1e-9)
    assert found.low == 0.0
    assert found.unit == "ratio"


def test_share_over_counts_the_deadline_bucket_as_over() -> None:
    run = Histogram(OWN, (Bucket(1_048_576, 10),), 0, 1_048_576, 1_050_000)
    at_upper, inside = share_over([run], 1_048_576 + 8191), share_over([run], 1_048_576 + 8190)
    assert at_upper is not None
    assert inside is not None
    assert (at_upper.value, inside.value) == (0.0, 1.0)


def test_no_operation_over_the_deadline_has_an_upper_limit() -> None:
    found = share_over([exact(*[1] * 1000)] * 3, 5)
    assert found is not None
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(stats.chi2.ppf(0.975, 2) / 2 / 3000, rel=1e-9)
    assert share_over([], 5) is None
    two = share_over([exact(1, 9), exact(1, 9)], 5)
    assert two is not None
    assert (two.value, two.low) == (0.5, None)


def test_percentiles_are_never_averaged() -> None:
    # Nothing public takes percentiles or estimates: they can only be had from histograms.
    public = [f for name, f in inspect.getmembers(latency, inspect.isfunction) if f.__module__ == latency.__name__]
    taking = [p.annotation for f in public for p in inspect.signature(f).parameters.values()]
    assert not any("Estimate" in str(annotation) or "Percentile" in str(annotation) for annotation in taking)
    # One worker of five with 3 % spikes: the mean of the five p99 would be off by half.
    calm, spiky = exact(*[3] * 1000), exact(*[3] * 970, *[32] * 30)
    merged = percentile_ns(merge([calm] * 4 + [spiky]), 99)
    mean = sum(percentile_ns(each, 99) or 0 for each in [calm] * 4 + [spiky]) / 5
    assert merged == 3
    assert mean == pytest.approx(8.8)
