"""The core against busy-waits of known length: the witness's total is exact, so the core's errors show."""

from __future__ import annotations

import pytest

from tests.native.build import Driver, need_io_uring
from tests.native.busy_wait import LOADS, TABLES_NS, BusyRow, busy_runs

pytestmark = pytest.mark.alone
# What may come on top of the waits in a run that the machine leaves alone: the loop itself, under 1 µs of 50.
TOLERANCE_RATIO = 0.03


@pytest.fixture(scope="module", params=[(*load, table) for load in LOADS for table in TABLES_NS], ids=str)
def rows(driver: Driver, request: pytest.FixtureRequest) -> list[BusyRow]:
    engine, depth, table = request.param
    if engine == 1:
        need_io_uring()
    return busy_runs(driver, engine, depth, table)


def test_latency_is_never_less_than_what_was_waited(rows: list[BusyRow]) -> None:
    for row in rows:
        assert row.outcome["latency_sum_ns"] >= row.outcome["busy_total_ns"]
        assert row.outcome["latency_min_ns"] >= min(row.lengths_ns)
        assert row.rate_error_ratio <= 0
        if row.depth_count == 1:
            assert row.witness_ns >= row.asked_ns


def test_latency_and_rate_agree_with_the_witness(rows: list[BusyRow]) -> None:
    # Losing the processor between two waits adds to the latency and never takes away: so the least of some runs is
    # what the core itself adds.
    assert min(row.latency_error_ratio for row in rows) < TOLERANCE_RATIO
    assert max(row.rate_error_ratio for row in rows) > -TOLERANCE_RATIO


def test_every_operation_is_in_the_histogram_and_in_the_ticks(rows: list[BusyRow]) -> None:
    for outcome in (row.outcome for row in rows):
        assert sum(count for _, count in outcome.latency) == outcome["ops_count"] == outcome["latency_ops"]
        assert sum(ops for ops, _ in outcome.ticks) == outcome["ops_count"]
        assert sum(moved for _, moved in outcome.ticks) == outcome["moved_bytes"] == outcome["ops_count"] * 4096


def test_the_buckets_tell_the_exact_mean_within_the_bound(rows: list[BusyRow]) -> None:
    for row in rows:
        from_buckets = sum(low * (1 + 1 / 256) * count for low, count in row.outcome.latency) / row.ops_count
        assert from_buckets == pytest.approx(row.latency_ns, rel=1 / 256)


def test_the_latencies_of_one_worker_never_exceed_the_depth(rows: list[BusyRow]) -> None:
    # Little's law: the latencies' sum is depth × time, less what the loop does between two requests.
    for row in rows:
        assert row.outcome["latency_sum_ns"] / row.outcome["elapsed_ns"] <= row.depth_count
