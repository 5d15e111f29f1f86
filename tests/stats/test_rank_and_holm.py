"""Ranks against scipy (V13), Holm against a table made by hand."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graycard.stats.holm import holm
from graycard.stats.rank import hodges_lehmann, shift, signed_rank_chance

whole = st.integers(-30, 30).filter(bool)


@given(st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 1e-6), min_size=6, max_size=14, unique_by=abs))
def test_signed_ranks(values: list[float]) -> None:
    assert signed_rank_chance(values) == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, rel=1e-9)


@given(st.lists(whole, min_size=6, max_size=8))
def test_signed_ranks_with_ties_are_the_permutation_test(values: list[int]) -> None:
    ranks = stats.rankdata([abs(value) for value in values]).tolist()
    least = min(sum(rank for rank, value in zip(ranks, values, strict=True) if value * side > 0) for side in (1, -1))
    sums = [
        sum(rank for rank, up in zip(ranks, signs, strict=True) if up) for signs in product((0, 1), repeat=len(ranks))
    ]
    expected = min(1.0, 2 * sum(each <= least for each in sums) / len(sums))
    assert signed_rank_chance(values) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("count", [6, 10, 25])
def test_all_on_one_side_is_the_binomial_chance(count: int) -> None:
    values = [1 + index / 100 for index in range(count)]
    assert signed_rank_chance(values) == pytest.approx(stats.binomtest(0, count).pvalue, rel=1e-9)


def test_five_pairs_give_no_chance_and_zeros_do_not_count() -> None:
    assert signed_rank_chance([1, 2, 3, 4, 5]) is None
    assert signed_rank_chance([1, 2, 3, 4, 5, 0, 0]) is None
    assert signed_rank_chance([1, 2, 3, 4, 5, 6, 0]) == 2 / 2**6
    assert signed_rank_chance([1.0] * 101) is None


def test_hodges_lehmann_by_hand() -> None:
    # Means of all pairs of 1, 2, 9: 1, 1.5, 5, 2, 5.5, 9.
    assert hodges_lehmann([9, 1, 2]) == 3.5
    # Differences of 1 and 5, 7, 30 from 1, 2: 4 6 29 3 5 28.
    assert shift([1, 2], [5, 7, 30]) == 5.5


def test_one_odd_pair_cannot_sway_the_ranks() -> None:
    assert hodges_lehmann([0.10, 0.11, 0.09, 0.10, 0.12, -5.0]) == pytest.approx(0.10, abs=0.01)


@pytest.mark.parametrize(
    ("chances", "corrected"),
    [
        # Holm by hand: sorted .01 .02 .03 .04 times 4 3 2 1 is .04 .06 .06 .04, and never falling.
        ((0.04, 0.01, 0.03, 0.02), (0.06, 0.04, 0.06, 0.06)),
        ((0.01, 0.04, 0.2), (0.03, 0.08, 0.2)),
        ((0.5, 0.9), (1.0, 1.0)),
        ((0.02, 0.02), (0.04, 0.04)),
        ((0.03,), (0.03,)),
        ((), ()),
    ],
)
def test_holm(chances: tuple[float, ...], corrected: tuple[float, ...]) -> None:
    assert holm(chances) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_lowers_a_chance(chances: list[float]) -> None:
    made = holm(chances)
    assert all(new >= old for new, old in zip(made, chances, strict=True))
    assert all(new <= 1 for new in made)
    by_chance = [new for _, new in sorted(zip(chances, made, strict=True))]
    assert by_chance == sorted(by_chance)
