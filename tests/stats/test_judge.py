"""What is said of two set-ups, and what must hold whatever the figures are."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graycard.model import Estimate, Likeness
from graycard.stats.contrast import Contrast
from graycard.stats.judge import THRESHOLD_RATIO, Judged, judge_pairs, judge_together, judge_unpaired, likeness

ORDERS = [True, False, False, True, True, False]
# Log ratios whose scatter is small, about 0.
SMALL = [0.004, -0.002, 0.001, -0.003, 0.002, -0.001]
rate = st.floats(1, 1e10)
MIRRORED = {
    Likeness.FASTER: Likeness.SLOWER,
    Likeness.SLOWER: Likeness.FASTER,
    Likeness.FASTER_SIZE_UNCERTAIN: Likeness.SLOWER_SIZE_UNCERTAIN,
    Likeness.SLOWER_SIZE_UNCERTAIN: Likeness.FASTER_SIZE_UNCERTAIN,
}
three_columns = st.integers(1, 9).flatmap(
    lambda count: st.tuples(
        st.lists(rate, min_size=count, max_size=count),
        st.lists(rate, min_size=count, max_size=count),
        st.lists(st.booleans(), min_size=count, max_size=count),
    )
)


def judged_at(ratio: float, scatter: float = 1.0) -> Judged:
    """Six pairs about a ratio; `scatter` widens the interval."""
    other = [1e8 * ratio * math.exp(scatter * value) for value in SMALL]
    return judge_pairs([1e8] * 6, other, ORDERS)


def ends(estimate: Estimate | None) -> tuple[float, float, float]:
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.value, estimate.high


@pytest.mark.parametrize(
    ("ratio", "scatter", "expected"),
    [
        (0.9, 1, Likeness.SLOWER),
        (1.1, 1, Likeness.FASTER),
        (0.965, 4, Likeness.SLOWER_SIZE_UNCERTAIN),
        (1.035, 4, Likeness.FASTER_SIZE_UNCERTAIN),
        (1.0, 1, Likeness.SAME),
        # A difference that is sure, and not material.
        (1.01, 1, Likeness.SAME),
        (1.0, 30, Likeness.CANNOT_TELL),
        (0.96, 30, Likeness.CANNOT_TELL),
    ],
)
def test_what_is_said(ratio: float, scatter: float, expected: Likeness) -> None:
    judged = judged_at(ratio, scatter)
    low, value, high = ends(judged.ratio)
    assert judged.likeness is expected
    assert low < value < high
    assert (judged.more_count is not None) == (expected is Likeness.CANNOT_TELL)
    assert judged.detectable_ratio is not None
    assert judged.detectable_ratio > 0


def test_the_threshold_is_the_users() -> None:
    other = [0.9e8 * math.exp(value) for value in SMALL]
    assert judge_pairs([1e8] * 6, other, ORDERS, 0.03).likeness is Likeness.SLOWER
    assert judge_pairs([1e8] * 6, other, ORDERS, 0.11).likeness is Likeness.SLOWER_SIZE_UNCERTAIN
    assert judge_pairs([1e8] * 6, other, ORDERS, 0.2).likeness is Likeness.SAME


def test_material_same_and_direction_at_their_edges() -> None:
    threshold, half = math.log1p(THRESHOLD_RATIO), 0.01
    sharp = Contrast(0.0, half / 2.7764451051977987, 4, (0.03,), (6,))

    def at(effect: float, chance: float) -> Likeness:
        moved = Contrast(effect, sharp.error, sharp.df, sharp.deviations, sharp.counts)
        return likeness(moved, 0.95, chance, THRESHOLD_RATIO)

    assert at(threshold + half + 1e-9, 0.001) is Likeness.FASTER
    assert at(-threshold - half - 1e-9, 0.001) is Likeness.SLOWER
    assert at(threshold + half - 1e-9, 0.001) is Likeness.FASTER_SIZE_UNCERTAIN
    assert at(threshold - half + 1e-9, 0.051) is Likeness.CANNOT_TELL
    assert at(threshold - half - 1e-9, 0.001) is Likeness.SAME


@given(three_columns)
def test_the_mirror_image(columns: tuple[list[float], list[float], list[bool]]) -> None:
    base, other, base_first = columns
    one = judge_pairs(base, other, base_first)
    two = judge_pairs(other, base, [not first for first in base_first])
    assert one.ratio is not None
    assert two.ratio is not None
    assert two.likeness is MIRRORED.get(one.likeness, one.likeness)
    assert two.ratio.value == pytest.approx(1 / one.ratio.value, rel=1e-9)
    assert (two.chance_ratio, two.detectable_ratio) == (one.chance_ratio, one.detectable_ratio)
    assert two.more_count == one.more_count
    assert two.order_effect == one.order_effect
    if one.ratio.low is not None and two.ratio.high is not None:
        assert two.ratio.high == pytest.approx(1 / one.ratio.low, rel=1e-9)


@given(st.lists(rate, min_size=1, max_size=6), st.lists(rate, min_size=1, max_size=6))
def test_the_mirror_image_of_unpaired_runs(base: list[float], other: list[float]) -> None:
    one, two = judge_unpaired(base, other), judge_unpaired(other, base)
    assert one.ratio is not None
    assert two.ratio is not None
    assert two.likeness is MIRRORED.get(one.likeness, one.likeness)
    assert two.ratio.value == pytest.approx(1 / one.ratio.value, rel=1e-9)
    assert two.more_count == one.more_count


@given(three_columns, st.sampled_from([1e-6, 0.5, 3.0, 1e6]))
def test_the_unit_of_the_rates_does_not_matter(
    columns: tuple[list[float], list[float], list[bool]], factor: float
) -> None:
    base, other, base_first = columns
    one = judge_pairs(base, other, base_first)
    two = judge_pairs([factor * value for value in base], [factor * value for value in other], base_first)
    # Pairs that are all alike have no scatter but that of rounding.
    assume(one.contrast is None or one.contrast.error > 1e-9)
    assert one.ratio is not None
    assert two.ratio is not None
    assert two.ratio.value == pytest.approx(one.ratio.value, rel=1e-9)
    if one.ratio.low is not None and two.ratio.low is not None and one.chance_ratio is not None:
        assert two.ratio.low == pytest.approx(one.ratio.low, rel=1e-6)
        assert two.chance_ratio == pytest.approx(one.chance_ratio, rel=1e-4)


@given(three_columns)
def test_an_order_effect_does_not_move_the_ratio(columns: tuple[list[float], list[float], list[bool]]) -> None:
    base, other, base_first = columns
    assume(min(sum(base_first), len(base_first) - sum(base_first)) >= 2)
    slowed = [value if first else 0.8 * value for value, first in zip(base, base_first, strict=True)]
    slowed_other = [0.8 * value if first else value for value, first in zip(other, base_first, strict=True)]
    one, two = judge_pairs(base, other, base_first), judge_pairs(slowed, slowed_other, base_first)
    assert one.contrast is not None
    assert two.contrast is not None
    assert one.order_effect is not None
    assert two.order_effect is not None
    assert two.contrast.effect == pytest.approx(one.contrast.effect, abs=1e-12)
    assert two.order_effect.value == pytest.approx(0.8 * one.order_effect.value, rel=1e-9)


def test_one_pair_has_no_interval() -> None:
    judged = judge_pairs([100.0], [80.0], [True])
    assert judged.ratio is not None
    assert judged.ratio.value == pytest.approx(0.8)
    assert (judged.ratio.low, judged.ratio.high, judged.ratio.method) == (None, None, "single pair")
    assert judged.likeness is Likeness.CANNOT_TELL
    assert judged.caveats == ("1 pair gives no interval, 3 give a wide one; 6 are a good start.",)


def test_two_pairs_have_a_range_and_no_level() -> None:
    judged = judge_pairs([100.0, 100.0], [80.0, 90.0], [True, False])
    assert ends(judged.ratio) == pytest.approx((0.8, math.sqrt(0.72), 0.9))
    assert judged.ratio is not None
    assert judged.ratio.level_ratio is None
    assert judged.likeness is Likeness.CANNOT_TELL
    assert judged.chance_ratio is None


@pytest.mark.parametrize(("base", "low", "high"), [([100.0], None, None), ([100.0, 120.0], 80 / 120, 0.8)])
def test_few_unpaired_runs_have_no_interval(base: list[float], low: float | None, high: float | None) -> None:
    judged = judge_unpaired(base, [80.0])
    assert judged.ratio is not None
    assert judged.ratio.level_ratio is None
    assert (judged.ratio.low, judged.ratio.high) == ((None, None) if low is None else pytest.approx((low, high)))
    assert judged.likeness is Likeness.CANNOT_TELL
    assert "each side needs 3" in judged.caveats[0]


def test_a_run_that_moved_nothing_has_no_ratio_and_says_so() -> None:
    judged = judge_pairs([0.0, 1.0, 2.0], [1.0, 1.0, 0.0], [True, False, True])
    assert judged.ratio is None
    assert judged.likeness is Likeness.CANNOT_TELL
    assert judged.caveats == ("1 run of the base and 1 run of the other moved no data: there is no ratio.",)
    assert judge_unpaired([1.0], [0.0, 0.0]).caveats[0] == "2 runs of the other moved no data: there is no ratio."


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_what_is_no_rate_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="must be a finite number"):
        judge_pairs([wrong], [1.0], [True])
    with pytest.raises(ValueError, match="must be a finite number"):
        judge_unpaired([1.0], [wrong])
    with pytest.raises(ValueError, match="threshold"):
        judge_unpaired([1.0], [1.0], min(wrong, 0.0) if math.isfinite(wrong) else wrong)


def test_pairs_need_two_sides_and_as_many_of_each() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        judge_pairs([], [], [])
    with pytest.raises(ValueError, match="at least one run"):
        judge_unpaired([1.0], [])
    with pytest.raises(ValueError, match="as many runs of each side, not 2 and 1"):
        judge_pairs([1.0, 1.0], [1.0], [True])


def test_together_is_wider_and_less_sure() -> None:
    alone = [judged_at(0.97, 4), judged_at(1.0), judged_at(0.9)]
    told = judge_together(alone)
    for one, other in zip(alone, told, strict=True):
        (low, value, high), (all_low, all_value, all_high) = ends(one.ratio), ends(other.together)
        assert other.ratio == one.ratio
        assert all_value == value
        assert all_low < low
        assert high < all_high
        assert one.chance_ratio is not None
        assert other.chance_ratio is not None
        assert other.chance_ratio >= one.chance_ratio
        assert one.detectable_ratio is not None
        assert other.detectable_ratio is not None
        assert other.detectable_ratio > one.detectable_ratio
    assert told[2].likeness is Likeness.SLOWER
    assert told[0].together is not None
    assert "all 3 comparisons at once" in told[0].together.method


def test_a_difference_that_many_comparisons_may_show_by_chance_is_not_said() -> None:
    one = judged_at(0.965, 8)
    assert one.likeness is Likeness.SLOWER_SIZE_UNCERTAIN
    assert judge_together([one])[0].likeness is one.likeness
    assert judge_together([one] + [judged_at(1.0, 8)] * 11)[0].likeness is Likeness.CANNOT_TELL


def test_one_comparison_is_its_own_together() -> None:
    one = judged_at(0.9)
    (told,) = judge_together([one])
    assert told.together == one.ratio
    assert (told.chance_ratio, told.likeness, told.detectable_ratio) == (
        one.chance_ratio,
        one.likeness,
        one.detectable_ratio,
    )


def test_what_cannot_be_tested_does_not_count() -> None:
    one, single = judged_at(0.9), judge_pairs([1.0], [1.0], [True])
    told = judge_together([single, one])
    assert told[0] == single
    assert told[1].together == one.ratio
    assert judge_together([]) == ()
