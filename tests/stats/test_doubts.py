"""The caveats of a ratio from pairs."""

from __future__ import annotations

import math

import pytest

from graycard.stats.judge import Judged, judge_pairs, judge_unpaired
from graycard.units import percent

ORDERS = [True, False, False, True, False, True, True, False]
NOISE = [0.004, -0.002, 0.001, -0.003, 0.002, -0.001, 0.003, -0.004]
MORE_NOISE = [-0.001, 0.003, -0.004, 0.002, 0.004, -0.002, -0.003, 0.001]


def session(ratio: float = 1.0, level: list[float] | None = None, second: float = 0.0) -> Judged:
    """Eight pairs; `level` is the logarithm of each of the 16 runs' environment, `second` that of the second run."""
    runs = level or [0.0] * 16
    base, other = [], []
    for index, is_first in enumerate(ORDERS):
        first, later = runs[2 * index], runs[2 * index + 1] + second
        base.append(100 * math.exp(NOISE[index] + (first if is_first else later)))
        other.append(100 * ratio * math.exp(MORE_NOISE[index] + (later if is_first else first)))
    return judge_pairs(base, other, ORDERS)


def test_quiet_pairs_have_no_caveat() -> None:
    assert session().caveats == ()
    assert session(0.8).caveats == ()


def test_a_slow_second_run_is_told_with_its_size() -> None:
    judged = session(second=math.log(0.95))
    assert judged.order_effect is not None
    assert judged.order_effect.value == pytest.approx(0.95, abs=0.005)
    size = percent(1 - judged.order_effect.value)
    (said,) = judged.caveats
    assert said.startswith(f"The second run of a pair was {size} slower than the first: rest longer between runs.")
    assert session(second=math.log(0.99)).caveats == ()


@pytest.mark.parametrize("start", [7, 8])
def test_a_change_of_level_is_told_with_its_place_and_size(start: int) -> None:
    level = [0.0] * start + [math.log(0.8)] * (16 - start)
    judged = session(0.9, level)
    said = next(each for each in judged.caveats if each.startswith("From about pair"))
    assert f"pair {start // 2 + 1} on both were" in said
    assert "slower: something else changed meanwhile." in said
    if start == 8:
        assert judged.ratio is not None
        assert judged.ratio.value == pytest.approx(0.9, rel=0.01)
        assert "20 %" in said


def test_an_order_effect_hides_neither_a_change_of_level_nor_what_ranks_show() -> None:
    slow_second = math.log(0.8)
    (said,) = session(1.1, second=slow_second).caveats
    assert said.startswith("The second run of a pair was 20 % slower")
    order, change = session(1.1, [0.0] * 8 + [math.log(0.8)] * 8, slow_second).caveats
    assert order == said
    assert change.startswith("From about pair 5 on both were 20 % slower")


def test_one_odd_pair_that_hides_a_difference_is_told() -> None:
    other = [90.0 * math.exp(value) for value in NOISE]
    other[3] = 30.0
    judged = judge_pairs([100.0] * 8, other, ORDERS)
    assert judged.chance_ratio is not None
    assert judged.chance_ratio > 0.1
    said = next(each for each in judged.caveats if "odd pairs" in each)
    assert "ranks, which they cannot sway, show a difference by 10 %" in said


def test_orders_that_are_not_balanced_are_told() -> None:
    base, other = [100.0, 101.0, 99.0, 100.0], [90.0, 91.0, 92.0, 93.0]
    (said,) = judge_pairs(base, other, [True] * 4).caveats
    assert said.startswith("The base ran first in every pair:")
    (said,) = judge_pairs(base, other, [False] * 4).caveats
    assert said.startswith("The other ran first in every pair:")
    (said,) = judge_pairs(base, other, [True, True, True, False]).caveats
    assert said.startswith("The base ran first in 3 of 4 pairs:")


def test_figures_that_are_all_alike_are_told() -> None:
    judged = judge_pairs([100.0] * 6, [101.0] * 6, [True, False] * 3)
    assert judged.chance_ratio == 0.0
    assert "rounded or copied" in judged.caveats[0]
    equal = judge_pairs([100.0] * 6, [100.0] * 6, [True, False] * 3)
    assert equal.chance_ratio == 1.0


def test_unpaired_runs_say_that_they_are() -> None:
    (said,) = judge_unpaired([100.0, 101.0, 102.0], [99.0, 100.0, 101.0]).caveats
    assert said.startswith("The runs were not made in pairs")
