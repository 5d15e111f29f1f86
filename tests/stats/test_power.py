"""Power against scipy's noncentral t (V13), and against the table that the documentation prints."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from scipy import stats

from graycard.stats.contrast import Contrast
from graycard.stats.power import ahead, detectable, more_needed, noncentral_t_tail

METHOD = Path(__file__).parent.parent.parent / "docs" / "method.md"
PAIRS = Contrast(0.0, 0.03 / math.sqrt(6), 4, (0.03,), (6,))
RUNS = Contrast(0.0, 0.0, 0.0, (0.02, 0.04), (5, 8))


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7.5, 10, 18, 30, 200, 5000])
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 2.8, 5.0, 12.0, 30.0])
def test_noncentral_t(df: float, shift: float) -> None:
    for t in (0.0, 0.5, 1.96, 2.776, 4.303, 12.7, 30.0):
        oracle = stats.nct.sf(t, df, shift)
        assert not math.isnan(oracle)
        assert noncentral_t_tail(t, df, shift) == pytest.approx(oracle, abs=2e-9)


@pytest.mark.parametrize("df", [4, 10])
def test_far_from_the_centre_where_other_implementations_give_no_number(df: float) -> None:
    # scipy 1.17.1: nct.cdf(2.776, 4, 60) is nan. All of the distribution is above.
    assert noncentral_t_tail(2.776, df, 60.0) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("df", [2, 4, 8, 30])
@pytest.mark.parametrize("chance", [0.05, 0.05 / 12])
def test_detectable_change_has_a_power_of_four_fifths(df: int, chance: float) -> None:
    shift = detectable(1.0, df, chance)
    assert stats.nct.sf(stats.t.ppf(1 - chance / 2, df), df, shift) == pytest.approx(0.8, abs=1e-8)
    assert detectable(0.02, df + 0.7, chance) == pytest.approx(0.02 * shift, rel=1e-12)


@pytest.mark.parametrize("threshold", [0.03, 0.01])
def test_pairs_asked_for_are_the_first_even_number_that_suffices(threshold: float) -> None:
    more = more_needed(PAIRS, threshold, 0.05)
    assert more is not None
    assert more % 2 == 0
    assert detectable(*ahead(PAIRS, more), 0.05) <= threshold < detectable(*ahead(PAIRS, more - 2), 0.05)


def test_runs_asked_for_are_added_on_both_sides() -> None:
    more = more_needed(RUNS, 0.03, 0.05)
    assert more is not None
    assert detectable(*ahead(RUNS, more), 0.05) <= 0.03 < detectable(*ahead(RUNS, more - 1), 0.05)
    error, _ = ahead(RUNS, more)
    assert error == pytest.approx(math.sqrt(0.02**2 / (5 + more) + 0.04**2 / (8 + more)))


def test_more_than_anyone_makes_is_not_known() -> None:
    assert more_needed(PAIRS, 0.0001, 0.05) is None


def test_three_pairs_become_a_crossover() -> None:
    three = Contrast(0.0, 0.03 / math.sqrt(3), 2, (0.03,), (3,))
    assert ahead(three, 0) == pytest.approx((three.error, 2))
    assert ahead(three, 3) == pytest.approx((0.03 / math.sqrt(6), 4))


def test_the_documented_table() -> None:
    rows = re.findall(r"^\| ([0-9]+) pairs((?: \| [0-9.]+ %){5}) \|$", METHOD.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(count) for count, _ in rows] == [4, 6, 8, 10, 20]
    for count, cells in rows:
        pairs = int(count)
        for cv, cell in zip((0.01, 0.02, 0.03, 0.05, 0.1), re.findall("[0-9.]+", cells), strict=True):
            expected = math.expm1(detectable(cv * math.sqrt(2 / pairs), pairs - 2, 0.05))
            assert float(cell) == pytest.approx(100 * expected, abs=0.05)
