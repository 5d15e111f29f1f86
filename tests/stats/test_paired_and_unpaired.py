"""Crossover, paired t and Welch against scipy (V13), and what cancels exactly."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graycard.stats.contrast import Contrast
from graycard.stats.crossover import Pairs, pairs
from graycard.stats.judge import judge_pairs, judge_unpaired
from graycard.stats.welch import unpaired

BASE = [101.3, 98.2, 103.9, 99.1, 100.7, 97.4, 102.2]
OTHER = [95.8, 97.3, 99.0, 93.1, 98.6, 95.2, 94.4]
LOGS = [math.log(other / base) for base, other in zip(BASE, OTHER, strict=True)]
log_ratio = st.floats(-1, 1)


def found(log_ratios: list[float], base_first: list[bool]) -> Pairs:
    made = pairs(log_ratios, base_first)
    assert made is not None
    return made


def crossed(log_ratios: list[float], base_first: list[bool]) -> tuple[Contrast, Contrast]:
    made = found(log_ratios, base_first)
    assert made.order is not None
    return made.effect, made.order


@pytest.mark.parametrize("count", [3, 4, 7])
def test_paired_t(count: int) -> None:
    contrast = found(LOGS[:count], [True] * count).effect
    oracle = stats.ttest_rel([math.log(v) for v in OTHER[:count]], [math.log(v) for v in BASE[:count]])
    interval = oracle.confidence_interval(0.95)
    assert contrast.chance == pytest.approx(oracle.pvalue, rel=1e-9)
    assert contrast.df == oracle.df
    assert contrast.effect - contrast.half_width(0.95) == pytest.approx(interval.low, rel=1e-9)
    assert contrast.effect + contrast.half_width(0.95) == pytest.approx(interval.high, rel=1e-9)


@pytest.mark.parametrize("base_first", [[1, 0, 0, 1, 1, 0], [1, 0, 1, 0, 1, 0, 0], [1, 1, 0, 0, 1, 1, 1]])
def test_crossover_is_the_two_sample_t_of_the_order_groups(base_first: list[int]) -> None:
    # Second less first in each pair; the two groups differ by twice the effect (Hills and Armitage).
    logs = LOGS[: len(base_first)]
    later = [value if first else -value for value, first in zip(logs, base_first, strict=True)]
    one = [value for value, first in zip(later, base_first, strict=True) if first]
    two = [value for value, first in zip(later, base_first, strict=True) if not first]
    oracle = stats.ttest_ind(one, two)
    effect, order = crossed(logs, [first == 1 for first in base_first])
    assert effect.chance == pytest.approx(oracle.pvalue, rel=1e-9)
    assert effect.df == oracle.df == len(logs) - 2
    assert 2 * effect.effect == pytest.approx((sum(one) / len(one) - sum(two) / len(two)), rel=1e-9)
    low, high = oracle.confidence_interval(0.95)
    assert 2 * (effect.effect - effect.half_width(0.95)) == pytest.approx(low, rel=1e-9)
    assert 2 * (effect.effect + effect.half_width(0.95)) == pytest.approx(high, rel=1e-9)
    assert 2 * order.effect == pytest.approx(sum(one) / len(one) + sum(two) / len(two), rel=1e-9)


@pytest.mark.parametrize(("base_count", "other_count"), [(3, 3), (7, 3), (4, 7)])
def test_welch(base_count: int, other_count: int) -> None:
    base, other = ([math.log(v) for v in BASE[:base_count]], [math.log(v) for v in OTHER[:other_count]])
    contrast = unpaired(base, other)
    oracle = stats.ttest_ind(other, base, equal_var=False)
    low, high = oracle.confidence_interval(0.95)
    assert contrast is not None
    assert contrast.chance == pytest.approx(oracle.pvalue, rel=1e-9)
    assert contrast.df == pytest.approx(oracle.df, rel=1e-9)
    assert contrast.effect - contrast.half_width(0.95) == pytest.approx(low, rel=1e-9)
    assert contrast.effect + contrast.half_width(0.95) == pytest.approx(high, rel=1e-9)
    judged = judge_unpaired(BASE[:base_count], OTHER[:other_count])
    assert judged.ratio is not None
    assert judged.ratio.low == pytest.approx(math.exp(low), rel=1e-9)
    assert judged.ratio.n_count == base_count + other_count


@given(
    st.lists(log_ratio, min_size=4, max_size=12).flatmap(
        lambda logs: st.tuples(st.just(logs), st.permutations([True, True, False, False] + [True] * (len(logs) - 4)))
    ),
    st.floats(-1, 1),
)
def test_an_effect_of_running_second_cancels(made: tuple[list[float], list[bool]], order: float) -> None:
    log_ratios, base_first = made
    moved = [value + (order if first else -order) for value, first in zip(log_ratios, base_first, strict=True)]
    (effect, before), (other_effect, after) = crossed(log_ratios, base_first), crossed(moved, base_first)
    assert other_effect.effect == pytest.approx(effect.effect, abs=1e-12)
    assert other_effect.error == pytest.approx(effect.error, abs=1e-7)
    assert after.effect - before.effect == pytest.approx(order, abs=1e-12)


@pytest.mark.parametrize("drift", [-0.3, 0.1])
@pytest.mark.parametrize("base_first", [[1, 0, 0, 1], [0, 1, 1, 0, 1, 0], [1, 0, 0, 1, 0]])
def test_a_linear_drift_cancels(drift: float, base_first: list[int]) -> None:
    # Ratio .9 exactly, and a level that changes by the same share from each run to the next.
    base, other = [], []
    for index, first in enumerate(base_first):
        early, late = math.exp(drift * 2 * index), math.exp(drift * (2 * index + 1))
        base.append(early if first else late)
        other.append(0.9 * (late if first else early))
    judged = judge_pairs(base, other, [first == 1 for first in base_first])
    assert judged.ratio is not None
    assert judged.order_effect is not None
    assert judged.ratio.value == pytest.approx(0.9, rel=1e-12)
    assert judged.ratio.high == pytest.approx(0.9, rel=1e-9)
    assert judged.order_effect.value == pytest.approx(math.exp(drift), rel=1e-12)


@pytest.mark.parametrize("base_first", [[True] * 6, [True, False, False, False], [True, False, True]])
def test_orders_that_hardly_vary_fall_back_to_the_paired_t(base_first: list[bool]) -> None:
    made = found(LOGS[: len(base_first)], base_first)
    assert made.order is None
    assert made.effect.df == len(base_first) - 1


@pytest.mark.parametrize("count", [1, 2])
def test_two_pairs_give_no_interval(count: int) -> None:
    assert pairs(LOGS[:count], [True, False][:count]) is None
