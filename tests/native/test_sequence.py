"""The order of blocks: every block once in a pass, disjoint ranges, another order in every pass and for every seed."""

from __future__ import annotations

import statistics
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.native.build import Driver

SEQUENTIAL, RANDOM = 0, 1


def lanes(driver: Driver, workers: int, pattern: int, blocks: int, key: int, count: int) -> list[list[int]]:
    lines = driver.text("blocks", workers, pattern, blocks, key, count).splitlines()
    return [[int(block) for block in line.split()] for line in lines]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(blocks=st.integers(1, 3000), key=st.integers(0, 2**64 - 1))
def test_a_random_pass_touches_every_block_once(driver: Driver, blocks: int, key: int) -> None:
    (order,) = lanes(driver, 1, RANDOM, blocks, key, 2 * blocks)
    assert sorted(order[:blocks]) == list(range(blocks))
    assert sorted(order[blocks:]) == list(range(blocks))


def test_each_pass_and_each_seed_has_its_own_order(driver: Driver) -> None:
    (order,) = lanes(driver, 1, RANDOM, 1000, 7, 2000)
    (other,) = lanes(driver, 1, RANDOM, 1000, 8, 1000)
    assert order[:1000] != order[1000:]
    assert order[:1000] != other
    assert order == lanes(driver, 1, RANDOM, 1000, 7, 2000)[0], "the same seed gives the same order"


@pytest.mark.parametrize("workers", [1, 3, 7])
@pytest.mark.parametrize("pattern", [SEQUENTIAL, RANDOM])
def test_workers_have_disjoint_contiguous_ranges_that_cover_all(driver: Driver, workers: int, pattern: int) -> None:
    blocks = 100
    parts = [sorted(set(order)) for order in lanes(driver, workers, pattern, blocks, 3, 1000)]
    assert [block for part in parts for block in part] == list(range(blocks))


def test_sequential_goes_in_order_and_starts_again_at_its_ranges_start(driver: Driver) -> None:
    assert lanes(driver, 2, SEQUENTIAL, 5, 0, 4) == [[0, 1, 2, 0], [3, 4, 3, 4]]


def test_random_order_is_not_ordered(driver: Driver) -> None:
    # Mean distance of neighbours in a random order of n is n/3; its standard deviation over n draws is about n/(3·√n).
    for blocks in (1024, 1000, 4097):
        (order,) = lanes(driver, 1, RANDOM, blocks, 11, blocks)
        steps = [abs(after - before) for before, after in pairwise(order)]
        assert abs(statistics.fmean(steps) / blocks - 1 / 3) < 5 / (3 * blocks**0.5)
        assert abs(statistics.correlation(range(blocks), order)) < 5 / blocks**0.5
