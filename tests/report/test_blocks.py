"""Runs brought to blocks for a chart: no byte is lost, no empty time hidden, and there are not too many."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.model import Run, Samples, Tick
from graycard.report.charts.blocks import TELLING_COUNT, blocks, is_telling, stalls_of, stretches
from tests.report.shows import RND_READ, START, a_run, even, stalling

TICK_NS = 10_000_000


def a_run_of(ops: list[int], block_bytes: int = 1_000_000) -> Run:
    ticks = tuple(Tick(place * TICK_NS, count, count * block_bytes) for place, count in enumerate(ops))
    elapsed_ns = len(ops) * TICK_NS
    samples = Samples("native", elapsed_ns, sum(ops), sum(ops) * block_bytes, ticks, TICK_NS, None)
    return Run(0, 0, START, samples, (), ())


@given(st.lists(st.lists(st.integers(2, 40), min_size=200, max_size=400), min_size=1, max_size=4), st.integers(1, 300))
def test_blocks_hold_all_bytes_of_whole_slots_and_follow_each_other(runs: list[list[int]], limit: int) -> None:
    shown = stretches([a_run_of(ops) for ops in runs])
    found = list(blocks(shown, limit))
    moved = sum((each.end_s - each.start_s) * each.mean * 1e6 for _, own in found for each in own)
    whole = sum(sum(ops[: len(ops) // 10 * 10]) for ops in runs) * 1e6
    assert moved == pytest.approx(whole)
    for stretch, own in found:
        edges = [own[0].start_s, *(each.end_s for each in own)]
        assert edges[0] == pytest.approx(stretch.origin_s)
        assert edges[-1] == pytest.approx(stretch.origin_s + stretch.duration_s)
        assert [each.start_s for each in own] == pytest.approx(edges[:-1])
        assert all(each.low <= each.mean * (1 + 1e-9) and each.mean <= each.high * (1 + 1e-9) for each in own)
    assert sum(len(own) for _, own in found) <= limit + len(runs)


def test_empty_time_is_a_block_of_zero() -> None:
    found = [each for _, own in blocks(stretches([a_run_of([10] * 100 + [0] * 100 + [10] * 100)]), 30) for each in own]
    assert [each.mean for each in found] == pytest.approx([1000.0] * 10 + [0.0] * 10 + [1000.0] * 10)


def test_a_dip_inside_a_block_stays_in_its_lowest_slot() -> None:
    found = [each for _, own in blocks(stretches([a_run_of([10] * 100 + [0] * 10 + [10] * 90)]), 2) for each in own]
    assert [(each.low, each.high) for each in found] == [(1000.0, 1000.0), (0.0, 1000.0)]


def test_stalls_are_found_where_they_are() -> None:
    task = dataclasses.replace(RND_READ, time_ns=10_000_000_000)
    run = a_run(task, 0, 90e6, stalling((2.0, 0.9), (7.0, 0.4), (9.0, 0.1)), 0.0, 0)
    (stretch,) = stretches([run])
    assert list(stalls_of(stretch)) == [pytest.approx((2.0, 0.9)), pytest.approx((7.0, 0.4))]


def test_less_than_ten_slots_are_no_course() -> None:
    short = a_run_of([10] * 30)
    assert not is_telling([short] * 3)
    assert is_telling([short] * 4)
    assert not is_telling([a_run_of([10] * 9)] * TELLING_COUNT)
    assert not is_telling([])
    silent = a_run(RND_READ, 0, 90e6, even, 0.0, 0)
    samples = dataclasses.replace(silent.samples, ticks=())
    assert not is_telling([dataclasses.replace(silent, samples=samples)])
