"""The histogram's buckets and the error bound that stands beside its constant."""

from __future__ import annotations

from itertools import pairwise

import pytest

from graycard.native import _core as core
from tests.native.build import Driver


@pytest.fixture(scope="module")
def buckets(driver: Driver) -> list[tuple[int, int, int]]:
    """Low of each bucket, the bucket that low falls into, the bucket of the last value before the next low."""
    lines = driver.text("buckets").splitlines()
    return [(int(low), int(own), int(last)) for low, own, last in (line.split() for line in lines)]


def test_every_value_falls_into_the_bucket_that_its_low_names(buckets: list[tuple[int, int, int]]) -> None:
    assert [own for _, own, _ in buckets] == list(range(len(buckets)))
    assert [last for _, _, last in buckets] == list(range(len(buckets)))


def test_the_buckets_reach_68_seconds(buckets: list[tuple[int, int, int]]) -> None:
    lows = [low for low, _, _ in buckets]
    assert lows[0] == 0
    assert lows == sorted(set(lows))
    assert 2 * lows[-1] - lows[-2] == 2**36


def test_the_error_bound_holds_at_both_ends_of_every_bucket(buckets: list[tuple[int, int, int]]) -> None:
    lows = [low for low, _, _ in buckets] + [2**36]
    worst = 0.0
    for low, after in pairwise(lows[1:]):  # the bucket of 0 ns has no relative error
        read = low * (1 + core.ERROR_RATIO)
        worst = max(worst, read / low - 1, 1 - read / (after - 1) if after - 1 > read else 0.0)
    assert worst <= core.ERROR_RATIO * (1 + 1e-12)
    assert 0 < core.ERROR_RATIO < 0.004


def test_python_knows_the_same_lows(buckets: list[tuple[int, int, int]]) -> None:
    assert core.bucket_lows() == tuple(low for low, _, _ in buckets)
