"""Readings become even steps: nothing is lost, nothing is made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.diagnosis.series import amounts, edges_of, levels, ratio, shares

STEP_NS = 250_000_000
TIMES = st.lists(st.integers(0, 40).map(lambda number: number * 137_000_000), min_size=2, unique=True).map(sorted)


@st.composite
def counters(draw: st.DrawFn) -> list[tuple[int, float]]:
    times = draw(TIMES)
    value, points = 0.0, []
    for at in times:
        value += draw(st.integers(0, 10**9))
        points.append((at, value))
    return points


@given(counters())
def test_the_increase_over_all_steps_is_that_of_the_counter(points: list[tuple[int, float]]) -> None:
    count = -(-(points[-1][0] - points[0][0]) // STEP_NS)
    found = amounts(points, edges_of(points[0][0], STEP_NS, count))
    known = [each for each in found if each is not None]
    assert all(each >= 0 for each in known)
    if len(known) == len(found):
        assert sum(known) == pytest.approx(points[-1][1] - points[0][1])


def test_a_counter_between_two_readings_is_in_proportion_to_the_time() -> None:
    points = [(0, 0.0), (500_000_000, 100.0), (1_000_000_000, 100.0)]
    assert amounts(points, edges_of(0, STEP_NS, 4)) == (50.0, 50.0, 0.0, 0.0)
    assert amounts(points, edges_of(125_000_000, STEP_NS, 2)) == (50.0, 25.0)


def test_a_counter_that_goes_backwards_is_not_known_once() -> None:
    points = [(0, 10.0), (250_000_000, 5.0), (500_000_000, 9.0)]
    assert amounts(points, edges_of(0, STEP_NS, 2)) == (None, 4.0)


def test_what_is_far_from_any_reading_is_not_known() -> None:
    points = [(0, 0.0), (10_000_000_000, 100.0)]
    assert set(amounts(points, edges_of(4_000_000_000, STEP_NS, 4))) == {None}
    assert amounts([], edges_of(0, STEP_NS, 2)) == (None, None)
    assert levels(points, edges_of(4_000_000_000, STEP_NS, 2)) == (None, None)


def test_a_level_is_the_last_one_before_the_end_of_the_step() -> None:
    points = [(100_000_000, 1.0), (240_000_000, 2.0), (260_000_000, 3.0)]
    assert levels(points, edges_of(0, STEP_NS, 2)) == (2.0, 3.0)


def test_shares_and_ratios() -> None:
    points = [(0, 0.0), (250_000_000, 125e6), (500_000_000, 375e6)]
    assert shares(points, edges_of(0, STEP_NS, 2)) == (0.5, 1.0)
    assert ratio((1.0, 2.0, None), (2.0, 0.0, 1.0)) == (0.5, None, None)
