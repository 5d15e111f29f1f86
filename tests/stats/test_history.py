"""A result beside those before it: the interval, two in a row, and series whose changes are known."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from graycard.model import Standing
from graycard.stats.history import LEAST_COUNT, MOST_COUNT, Level
from tests.stats.history_experiments import alarms, placed

DATA = Path(__file__).parent / "data"
USUAL = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 101.5, 98.5, 100.0]
RATES = st.lists(st.floats(1e3, 1e10), min_size=1, max_size=60)


def series(name: str) -> list[float]:
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [float(word) for line in lines if not line.startswith("#") for word in line.split()]


def standings(values: list[float]) -> list[Standing]:
    return [each.standing for each in placed(values)]


def begun(values: list[float]) -> list[int]:
    """Where the levels that alarms tell of begin: at the first of two in a row."""
    return [index - 1 for index, alarm in enumerate(alarms(placed(values))) if alarm]


def unusual(values: list[float]) -> list[int]:
    return [index for index, standing in enumerate(standings(values)) if standing is Standing.UNUSUAL]


# Series of other projects


def test_tigerbeetle_changes_where_otava_says_and_its_outlier_is_one() -> None:
    # Otava's own test has [15, 71] for p = .01 and .05; at p = .1 it reports the outlier at 10 as a change, too.
    values = series("tigerbeetle")
    assert len(values) == 365
    assert begun(values) == [15, 71]
    assert unusual(values)[:2] == [10, 15]


def energy(values: list[float]) -> list[float]:
    """E-Divisive's statistic of a change at each index (Matteson and James, JASA 109, 2014, eq. 5), weighted as in
    signal-processing-algorithms: mn ÷ (m + n) in whole numbers.
    """
    distances = np.abs(np.subtract.outer(values, values))
    found = [0.0] * len(values)
    for n in range(2, len(values) - 2):
        m = len(values) - n
        within = distances[:n, :n].sum() / (n * (n - 1)) + distances[n:, n:].sum() / (m * (m - 1))
        found[n] = float(m * n // (m + n) * (2 * distances[:n, n:].mean() - within))
    return found


def test_mongodb_changes_where_e_divisive_says_within_one_result() -> None:
    values = series("mongodb-robust")
    whole = energy(values)
    # The project's own figures, from the series before it was cut to one decimal.
    assert (whole[25], max(whole)) == (pytest.approx(35165.412, rel=1e-5), pytest.approx(74044.770, rel=1e-5))
    last = int(np.argmax(whole))
    middle = int(np.argmax(energy(values[:last])))
    first = int(np.argmax(energy(values[:middle])))
    assert [first, middle, last] == [25, 69, 115]
    assert begun(values) == [25, 70, 114]


def test_mongodb_without_a_change_has_outliers_alone() -> None:
    values = series("mongodb-real")
    assert begun(values) == []
    assert 90 in unusual(values)
    assert values[90] < 0.94 * values[89]


# The interval


def test_the_interval_is_students_prediction_of_one_more() -> None:
    *_, new = placed([*USUAL, 100.0])
    logs = np.log(USUAL)
    reach = scipy.stats.t.ppf(0.995, 9) * logs.std(ddof=1) * math.sqrt(1 + 1 / 10)
    assert new.expected is not None
    found = new.expected.estimate("bytes/s")
    assert found.value == pytest.approx(math.exp(logs.mean()), rel=1e-9)
    assert found.low == pytest.approx(math.exp(logs.mean() - reach), rel=1e-9)
    assert found.high == pytest.approx(math.exp(logs.mean() + reach), rel=1e-9)
    assert (found.n_count, found.level_ratio, found.unit) == (10, 0.99, "bytes/s")


def test_an_outlier_among_the_earlier_ones_does_not_widen_it() -> None:
    *_, clean = placed([*USUAL, 100.0])
    *_, dirty = placed([*USUAL[:5], 50.0, *USUAL[5:], 100.0])
    assert clean.expected is not None
    assert dirty.expected is not None
    assert dirty.expected.half_width == pytest.approx(clean.expected.half_width)
    assert "without 1 outlier," in dirty.expected.estimate("bytes/s").method


def test_only_the_last_20_count() -> None:
    values = [100.0 + index % 3 for index in range(50)]
    *_, long = placed(values)
    *_, short = placed(values[-MOST_COUNT - 1 :])
    assert long.expected == short.expected


@given(RATES)
def test_only_what_came_before_counts(values: list[float]) -> None:
    whole = placed(values)
    assert [placed(values[: index + 1])[-1] for index in range(len(values))] == whole


@pytest.mark.parametrize("factor", [0.001, 1e6 / 1024**2, 1000.0])
def test_the_unit_does_not_matter(factor: float) -> None:
    values = series("tigerbeetle")
    assert standings([value * factor for value in values]) == standings(values)


# Too few, too equal


def test_below_five_nothing_is_judged() -> None:
    found = placed([100.0, 50.0, 200.0, 10.0, 1.0, 100.0])
    first, *short, judged = found
    assert first.standing is Standing.FIRST
    assert [each.standing for each in short] == [Standing.TOO_SHORT] * (LEAST_COUNT - 1)
    assert all(each.expected is None for each in found[:-1])
    assert judged.expected is not None


@pytest.mark.parametrize("new", [100.0, 104.0, 96.0])
def test_equal_results_have_no_scatter_so_five_per_cent_count(new: float) -> None:
    *_, found = placed([100.0] * 6 + [new])
    assert found.standing is Standing.USUAL
    assert found.expected is not None
    estimate = found.expected.estimate("bytes/s")
    assert estimate.level_ratio is None
    assert "too many are equal" in estimate.method
    assert (estimate.low, estimate.high) == (pytest.approx(100 / 1.05), pytest.approx(105))


def test_equal_results_and_one_that_is_far_off() -> None:
    assert standings([100.0] * 6 + [94.0, 93.0])[-2:] == [Standing.UNUSUAL, Standing.REGRESSION]


def test_rounding_is_no_scatter() -> None:
    values = [100.0 * (1 + 1e-12 * index) for index in range(8)]
    assert standings([*values, 101.0])[-1] is Standing.USUAL


def test_a_rate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="math domain"):
        Level().place(0.0)


# Two in a row


def test_one_outside_is_unusual_and_two_are_a_change() -> None:
    assert standings([*USUAL, 80.0, 100.0])[-2:] == [Standing.UNUSUAL, Standing.USUAL]
    assert standings([*USUAL, 80.0, 81.0])[-2:] == [Standing.UNUSUAL, Standing.REGRESSION]
    assert standings([*USUAL, 120.0, 121.0])[-2:] == [Standing.UNUSUAL, Standing.IMPROVEMENT]


def test_two_outside_on_two_sides_are_no_change() -> None:
    assert standings([*USUAL, 80.0, 120.0, 80.0])[-3:] == [Standing.UNUSUAL] * 3


def test_two_outside_by_less_than_five_per_cent_are_no_change() -> None:
    assert standings([*USUAL, 95.6, 95.6])[-2:] == [Standing.UNUSUAL] * 2
    assert standings([*USUAL, 95.6, 94.0])[-2:] == [Standing.UNUSUAL] * 2


def test_after_five_at_a_new_level_that_is_the_level() -> None:
    found = placed([*USUAL, 80.0, 81.0, 80.5, 79.5, 80.2, 80.1, 100.0])
    assert [each.in_a_row for each in found[-7:]] == [1, 2, 3, 4, 5, 0, 1]
    assert [each.standing for each in found[-6:]] == [
        *[Standing.REGRESSION] * 4,
        Standing.USUAL,
        Standing.UNUSUAL,
    ]


def test_what_waited_joins_the_others_when_it_was_no_new_level() -> None:
    *_, found = placed([*USUAL, 80.0, 81.0, 100.0, 100.0])
    assert found.expected is not None
    assert found.expected.count == 13
