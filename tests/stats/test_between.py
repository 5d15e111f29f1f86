"""From runs to a number: the interval between runs, the first run, the stop, the rare slow runs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graycard.stats.between import runs_estimate, slow_count, spread_ratio
from graycard.stats.first_run import first_run_differs
from graycard.stats.sentences import rare_runs
from graycard.stats.stopping import look
from graycard.unseen import missed_ratio

RUNS = st.lists(st.floats(1e3, 1e10), min_size=3, max_size=20)


def test_interval_equals_scipy_on_the_logarithms() -> None:
    values = [101.0, 97.0, 104.0, 99.5, 100.2]
    logs = [math.log(value) for value in values]
    expected = stats.t.interval(0.95, 4, loc=sum(logs) / 5, scale=stats.sem(logs))
    found = runs_estimate(values, "bytes/s")
    assert (found.low, found.high) == pytest.approx(tuple(math.exp(end) for end in expected), rel=1e-9)
    assert found.value == pytest.approx(stats.gmean(values), rel=1e-12)
    assert (found.unit, found.n_count, found.level_ratio) == ("bytes/s", 5, 0.95)


def test_after_an_adaptive_stop_the_interval_is_that_of_the_looks() -> None:
    values = [101.0, 97.0, 104.0, 99.5, 100.2]
    found = runs_estimate(values, "bytes/s", looked=True)
    assert found.level_ratio == 0.95
    assert found.half_width_ratio == pytest.approx(look(values, 0.05).half_width_ratio, rel=1e-12)
    assert (found.half_width_ratio or 0) > (runs_estimate(values, "bytes/s").half_width_ratio or math.inf)


def test_one_run_has_no_interval() -> None:
    found = runs_estimate([5.0], "ops/s")
    assert (found.value, found.low, found.high, found.level_ratio) == (5.0, None, None, None)
    assert found.method == "single run"


def test_two_runs_have_a_range() -> None:
    found = runs_estimate([100.0, 121.0], "bytes/s")
    assert found.value == pytest.approx(110.0)
    assert (found.low, found.high, found.level_ratio) == (100.0, 121.0, None)
    assert "range" in found.method


def test_three_runs_say_that_they_are_few() -> None:
    assert "only 3" in runs_estimate([100.0, 101.0, 99.0], "bytes/s").method


def test_a_run_of_zero_gives_mean_and_range() -> None:
    found = runs_estimate([0.0, 10.0, 20.0], "bytes/s")
    assert (found.value, found.low, found.high, found.level_ratio) == (10.0, 0.0, 20.0, None)
    assert "moved nothing" in found.method


def test_no_run_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        runs_estimate([], "bytes/s")


@given(RUNS, st.floats(1e-6, 1e6))
def test_scale_leaves_the_relative_width(values: list[float], factor: float) -> None:
    one, other = runs_estimate(values, "x"), runs_estimate([value * factor for value in values], "x")
    assert other.value == pytest.approx(one.value * factor, rel=1e-9)
    assert other.half_width_ratio == pytest.approx(one.half_width_ratio, rel=1e-6, abs=1e-9)


@given(RUNS)
def test_order_does_not_matter(values: list[float]) -> None:
    one, other = runs_estimate(values, "x"), runs_estimate(sorted(values), "x")
    assert other.value == pytest.approx(one.value, rel=1e-12)
    assert other.low == pytest.approx(one.low, rel=1e-9)


@given(RUNS)
def test_the_value_lies_in_its_interval_and_among_its_runs(values: list[float]) -> None:
    found = runs_estimate(values, "x")
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value * (1 + 1e-12)
    assert found.high >= found.value * (1 - 1e-12)
    assert min(values) * (1 - 1e-12) <= found.value <= max(values) * (1 + 1e-12)


def test_spread() -> None:
    assert spread_ratio([90.0, 100.0, 110.0]) == pytest.approx(0.2)
    assert spread_ratio([5.0]) is None
    assert spread_ratio([0.0, 0.0]) is None


@pytest.mark.parametrize(("count", "percent"), [(5, "45 %"), (10, "26 %"), (20, "14 %"), (2, "78 %")])
def test_the_bound_of_rare_slow_runs_is_printed(count: int, percent: str) -> None:
    assert rare_runs([100.0] * count) == (
        f"{count} of {count} runs were normal; a fault that hits up to {percent} of runs could have been missed."
    )
    assert missed_ratio(count) == pytest.approx(1 - 0.05 ** (1 / count))


def test_slow_runs_are_told() -> None:
    values = [100.0, 101.0, 60.0, 99.0, 79.0]
    assert slow_count(values) == 2
    assert rare_runs([value * 1e6 for value in values]) == (
        "The runs differ by 41 %: 60.0 MB/s to 101 MB/s (2 of 5 more than 20 % slower than the median)."
    )
    assert rare_runs([100.0, 101.0, 60.0]).endswith(" (1 of 3 more than 20 % slower than the median).")


def test_runs_that_scatter_without_a_slow_one_are_not_called_normal() -> None:
    assert rare_runs([100e6, 101e6, 130e6]) == "The runs differ by 30 %: 100 MB/s to 130 MB/s."
    assert rare_runs([100e6, 101e6, 125e6]).startswith("3 of 3 runs were normal")


CLEAN = [100.0, 101.0, 99.5, 100.4, 99.8]


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        ([75.0, *CLEAN[1:]], True),
        ([130.0, *CLEAN[1:]], True),
        (CLEAN, False),
        # Outside the prediction interval, but not by 5 %.
        ([104.0, 100.0, 100.1, 100.0, 99.9], False),
        # More than 5 % off, but inside what the others' scatter allows.
        ([75.0, 100.0, 120.0, 85.0, 110.0], False),
        # Four runs are too few for the rule.
        ([50.0, 100.0, 100.1, 99.9], False),
        # Another run than the first.
        ([100.0, 50.0, 100.1, 99.9, 100.0], False),
        ([0.0, 100.0, 100.1, 99.9, 100.0], False),
    ],
)
def test_first_run(values: list[float], differs: bool) -> None:
    assert first_run_differs(values) is differs


def test_first_run_uses_the_prediction_interval() -> None:
    others = [100.0, 102.0, 98.0, 101.0]
    logs = [math.log(value) for value in others]
    mean = sum(logs) / 4
    reach = stats.t.ppf(0.995, 3) * stats.tstd(logs) * math.sqrt(1.25)
    assert not first_run_differs([math.exp(mean - reach * 0.999), *others])
    assert first_run_differs([math.exp(mean - reach * 1.001), *others])


def test_look_stops_at_the_97_percent_interval() -> None:
    logs = [math.log(value) for value in CLEAN]
    half = stats.t.ppf(0.985, 4) * stats.sem(logs)
    found = look(CLEAN, 0.05)
    assert found.half_width_ratio == pytest.approx(math.sinh(half), rel=1e-9)
    assert found.enough
    assert found.predicted_count == 5
    assert not look(CLEAN, math.sinh(half) * 0.999).enough


def test_look_never_stops_before_five_runs() -> None:
    found = look([100.0, 100.0, 100.0, 100.0], 0.05)
    assert not found.enough
    assert found.half_width_ratio == 0.0
    assert found.predicted_count == 5


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
def test_look_without_an_interval(values: list[float]) -> None:
    found = look(values, 0.05)
    assert (found.enough, found.half_width_ratio, found.predicted_count) == (False, None, None)


def test_look_leaves_out_a_first_run_that_differs() -> None:
    assert look([50.0, *CLEAN], 0.05).enough
    assert look([50.0, *CLEAN], 0.05).half_width_ratio == look(CLEAN, 0.05).half_width_ratio


def test_predicted_count_is_the_first_that_meets_the_target() -> None:
    values = [100.0, 110.0, 95.0, 105.0, 90.0]
    deviation = stats.tstd([math.log(value) for value in values])
    predicted = look(values, 0.05).predicted_count
    assert predicted is not None

    def half(count: int) -> float:
        return math.sinh(stats.t.ppf(0.985, count - 1) * deviation / math.sqrt(count))

    assert half(predicted) <= 0.05
    assert half(predicted - 1) > 0.05
    assert look(values, 1e-6).predicted_count is None
    assert look(values, 0.0).predicted_count is None


@given(RUNS, st.floats(0.001, 0.5))
def test_enough_means_that_the_printed_interval_meets_the_target(values: list[float], target: float) -> None:
    found = look(values, target)
    kept = values[1:] if first_run_differs(values) else values
    printed = runs_estimate(kept, "x", looked=True).half_width_ratio
    if found.enough:
        assert printed is not None
        assert printed <= target * (1 + 1e-9)
