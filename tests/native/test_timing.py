"""The core against busy-waits of known length: the witness's total is exact, so the core's errors show."""

from __future__ import annotations

import pytest

from tests.native.build import Driver, need_io_uring
from tests.native.busy_wait import LOADS, TABLES_NS, BusyRow, busy_row

# What may come on top of the waits: the loop itself (under 1 µs of 50 µs at least) and, on a busy machine, the time
# in which the process lost its processor between two waits.
TOLERANCE_RATIO = 0.05


@pytest.fixture(scope="module", params=[(*load, table) for load in LOADS for table in TABLES_NS], ids=str)
def row(driver: Driver, request: pytest.FixtureRequest) -> BusyRow:
    engine, depth, table = request.param
    if engine == 1:
        need_io_uring()
    return busy_row(driver, engine, depth, table)


def test_latency_is_at_least_what_was_waited(row: BusyRow) -> None:
    assert row.outcome["latency_sum_ns"] >= row.outcome["busy_total_ns"]
    assert row.outcome["latency_min_ns"] >= min(row.lengths_ns)
    if row.depth_count == 1:
        assert row.witness_ns >= row.asked_ns


def test_latency_and_rate_agree_with_the_witness(row: BusyRow) -> None:
    assert 0 <= row.latency_error_ratio < TOLERANCE_RATIO
    assert -TOLERANCE_RATIO < row.rate_error_ratio <= 0.001


def test_every_operation_is_in_the_histogram_and_in_the_ticks(row: BusyRow) -> None:
    outcome = row.outcome
    assert sum(count for _, count in outcome.latency) == outcome["ops_count"] == outcome["latency_ops"]
    assert sum(ops for ops, _ in outcome.ticks) == outcome["ops_count"]
    assert sum(moved for _, moved in outcome.ticks) == outcome["moved_bytes"] == outcome["ops_count"] * 4096


def test_the_buckets_tell_the_exact_mean_within_the_bound(row: BusyRow) -> None:
    from_buckets = sum(low * (1 + 1 / 256) * count for low, count in row.outcome.latency) / row.ops_count
    assert from_buckets == pytest.approx(row.latency_ns, rel=1 / 256)


def test_the_latencies_of_one_worker_fill_the_time(row: BusyRow) -> None:
    # Little's law: the latencies' sum is depth × time, less what the loop does between two requests.
    in_flight = row.outcome["latency_sum_ns"] / row.outcome["elapsed_ns"]
    assert row.depth_count * (1 - TOLERANCE_RATIO) < in_flight <= row.depth_count
