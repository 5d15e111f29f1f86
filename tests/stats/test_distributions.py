"""Quantiles and exact intervals against scipy (V13)."""

from __future__ import annotations

import pytest
from scipy import stats

from graycard.stats.distributions import chi2_cdf, chi2_quantile, normal_quantile, poisson_interval, t_quantile
from graycard.unseen import missed_ratio

PROBABILITIES = (1e-9, 1e-6, 0.001, 0.005, 0.015, 0.025, 0.05, 0.2, 0.45, 0.6, 0.9, 0.975, 0.985, 0.995, 0.9999)
DEGREES = (0.5, 0.9, 1, 1.5, 2, 3, 4, 5, 9, 19, 30.3, 99, 599, 999, 1000, 1001, 5000, 1e5, 1e7)


@pytest.mark.parametrize("df", DEGREES)
def test_t_quantile(df: float) -> None:
    for probability in PROBABILITIES:
        assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-9)


@pytest.mark.parametrize("df", [0.5, 1, 2, 3, 10, 51, 400, 20_000])
def test_chi_square(df: float) -> None:
    for probability in PROBABILITIES:
        quantile = chi2_quantile(probability, df)
        assert quantile == pytest.approx(stats.chi2.ppf(probability, df), rel=1e-9)
        assert chi2_cdf(quantile, df) == pytest.approx(probability, rel=1e-9)
    assert chi2_cdf(0.0, df) == 0.0


def test_normal_quantile() -> None:
    for probability in (*PROBABILITIES, 0.5):
        assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 10, 100, 3000])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_garwood_interval_is_where_the_poisson_tails_hold_half(count: int, level: float) -> None:
    low, high = poisson_interval(count, level)
    assert stats.poisson.cdf(count, high) == pytest.approx((1 - level) / 2, rel=1e-9)
    if count:
        assert stats.poisson.sf(count - 1, low) == pytest.approx((1 - level) / 2, rel=1e-9)
    else:
        assert low == 0.0


@pytest.mark.parametrize("count", [1, 2, 5, 10, 20])
def test_missed_share_is_the_exact_binomial_limit(count: int) -> None:
    exact = stats.binomtest(0, count, alternative="less").proportion_ci(0.95).high
    assert missed_ratio(count) == pytest.approx(exact, rel=1e-9)
