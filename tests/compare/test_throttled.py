"""A side that is slower by a known share is found, with the right size inside the interval."""

from __future__ import annotations

import pytest

from graycard.compare import compare
from graycard.model import Arm, Comparison, Likeness
from tests.compare.made import simulated_pair

SEEDS = range(60)
# Binomial with 95 %: 60 intervals cover at least 52 times but for 1 in 2000, and miss at most 8 times.
LEAST_COVERED_COUNT = 52


def compared(ratio: float, seed: int) -> Comparison:
    base, other = simulated_pair(ratio, seed)
    (found,) = compare(Arm("free", (base,)), (Arm("throttled", (other,)),))
    return found


@pytest.mark.parametrize("true_ratio", [0.9, 0.75])
def test_a_throttled_side_is_found_with_its_size(true_ratio: float) -> None:
    found = [compared(true_ratio, seed) for seed in SEEDS]
    assert {each.paired for each in found} == {True}
    covered = [each for each in found if each.ratio and each.ratio.low <= true_ratio <= each.ratio.high]
    assert len(covered) >= LEAST_COVERED_COUNT
    assert {each.verdict for each in found} == {Likeness.SLOWER}


def test_two_equal_sides_are_never_materially_different() -> None:
    found = [compared(1.0, seed) for seed in SEEDS]
    assert not any(each.verdict in {Likeness.SLOWER, Likeness.FASTER} for each in found)
    uncertain = [each for each in found if "size uncertain" in each.verdict.value]
    assert len(uncertain) <= len(SEEDS) - LEAST_COVERED_COUNT
