"""Bias and limits of agreement against scipy, an example with published figures, and a simulation of their coverage."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import pytest
from scipy import stats

from graycard.stats.agreement import limit_factors, limits_of_agreement

RATIOS = (1.02, 0.97, 1.10, 1.04, 0.99, 1.07, 1.01)


@pytest.mark.parametrize("count", [3, 4, 5, 8, 20, 100])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_factors_are_quantiles_of_the_noncentral_t(count: int, level: float) -> None:
    shift = stats.norm.ppf(0.975) * math.sqrt(count)
    for found, tail in zip(limit_factors(count, level), ((1 - level) / 2, (1 + level) / 2), strict=True):
        assert found * math.sqrt(count) == pytest.approx(stats.nct.ppf(tail, count - 1, shift), rel=1e-7)


def test_bias_and_limits() -> None:
    found = limits_of_agreement(RATIOS)
    assert found is not None
    logs = [math.log(ratio) for ratio in RATIOS]
    mean, deviation = fmean(logs), stdev(logs)
    low, high = stats.t.interval(0.95, len(logs) - 1, mean, deviation / math.sqrt(len(logs)))
    assert (found.bias.value, found.bias.low, found.bias.high) == pytest.approx(
        (math.exp(mean), math.exp(low), math.exp(high))
    )
    assert found.high.value == pytest.approx(math.exp(mean + stats.norm.ppf(0.975) * deviation))
    assert found.low.value == pytest.approx(math.exp(mean - stats.norm.ppf(0.975) * deviation))
    assert found.bias.n_count == len(RATIOS)


def test_turned_round_all_is_one_over_it() -> None:
    found, turned = limits_of_agreement(RATIOS), limits_of_agreement([1 / ratio for ratio in RATIOS])
    assert found is not None
    assert turned is not None
    assert turned.low.value == pytest.approx(1 / found.high.value)
    assert turned.low.low == pytest.approx(1 / (found.high.high or 0))
    assert turned.bias.high == pytest.approx(1 / (found.bias.low or 0))


def test_two_ratios_have_no_limits_and_equal_ones_no_width() -> None:
    assert limits_of_agreement([1.1, 1.2]) is None
    same = limits_of_agreement([1.1, 1.1, 1.1])
    assert same is not None
    assert same.low.low == pytest.approx(1.1)
    assert same.high.high == pytest.approx(1.1)


@pytest.mark.parametrize("ratio", [0.0, -1.0, math.nan, math.inf])
def test_what_is_no_ratio_is_refused(ratio: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        limits_of_agreement([1.0, 1.0, ratio])


@pytest.mark.parametrize("count", [3, 6, 10])
def test_intervals_cover_what_they_promise(count: int) -> None:
    """95 % of 4000 intervals, give or take three standard errors (1 point); the approximation gives 91.7 % for 6."""
    source, spread, bias = random.Random(count), 0.03, 0.02
    truth = math.exp(bias + stats.norm.ppf(0.975) * spread)
    covered, trials = 0, 4000
    for _ in range(trials):
        found = limits_of_agreement([math.exp(source.gauss(bias, spread)) for _ in range(count)])
        assert found is not None
        assert found.high.low is not None
        assert found.high.high is not None
        covered += found.high.low <= truth <= found.high.high
    assert covered / trials == pytest.approx(0.95, abs=0.0104)
