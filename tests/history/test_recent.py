"""The store gives histories the newest results of each load on each drive, by its indexes alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graycard.model import Pattern
from graycard.store import PastRow, Store
from graycard.store.rows import SHARED
from tests.history.made import READ, TRIAL, USUAL, a_day, days

RANDOM = replace(READ, pattern=Pattern.RANDOM)
SHARE = {"device_id": None, "file_system_id": "nas:/films", "device_model": None, "device_name": None}


def place_of(row: PastRow) -> str | None:
    return row.like.device_id or row.like.file_system_id


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store(str(tmp_path / "results.db"))
    for result in (
        *days(USUAL),
        *days(USUAL[:2], 0.25, task=RANDOM),
        *days(USUAL[:3], 0.5, device_id="d2"),
        *days(USUAL[:4], 0.75, **SHARE),
        *days(USUAL[:2], 20, trial=TRIAL),
        *days(USUAL[:2], 30, device_id=None, file_system_id=None),
    ):
        opened.save(result)
    return opened


def test_the_newest_of_each_load_on_each_drive_without_experiments(store: Store) -> None:
    rows = store.recent(2)
    assert sorted((place_of(row), row.like.task_label, row.rate_bytes_per_s) for row in rows) == [
        ("d1a2b3c4d5e6", "RND1M QD8 read", 500e6),
        ("d1a2b3c4d5e6", "RND1M QD8 read", 505e6),
        ("d1a2b3c4d5e6", "SEQ1M QD8 read", 499e6),
        ("d1a2b3c4d5e6", "SEQ1M QD8 read", 507e6),
        ("d2", "SEQ1M QD8 read", 495e6),
        ("d2", "SEQ1M QD8 read", 505e6),
        ("nas:/films", "SEQ1M QD8 read", 495e6),
        ("nas:/films", "SEQ1M QD8 read", 502e6),
    ]


def test_only_of_the_drives_and_shares_that_are_asked_for(store: Store) -> None:
    assert {place_of(row) for row in store.recent(100, ["d2"])} == {"d2"}
    assert len(store.recent(100, ["d2"])) == 3
    assert len(store.recent(100, ["nas:/films"])) == 4
    assert {place_of(row) for row in store.recent(100, ["nas:/films", "d2", "d2"])} == {"nas:/films", "d2"}
    assert store.recent(100, ["none"]) == store.recent(100, []) == store.recent(100, ["d"]) == ()
    # A file system on a drive that is known is found by the drive.
    assert store.recent(100, ["f1a2b3c4d5e6"]) == ()


def test_a_row_has_its_own_figures_and_shares_the_set_up_that_it_is_like(store: Store) -> None:
    stored = {row.id: row for row in store.rows()}
    found = store.recent(100)
    assert len({row.like for row in found}) < len(found)
    for row in found:
        whole = stored[row.id]
        assert row[:-1] == tuple(getattr(whole, name) for name in row._fields[:-1])
        assert all(getattr(row.like, name) == getattr(whole, name) for name in SHARED)


@pytest.mark.parametrize("change", [{"kernel_version": "6.2"}, {"link_bits_per_s": 1e9}, {"encryption": "LUKS"}])
def test_another_set_up_is_not_like_it(store: Store, change: dict[str, Any]) -> None:
    before = {row.like for row in store.recent(100, ["d1a2b3c4d5e6"])}
    store.save(a_day(50, 500.0, **change))
    (newest,) = {row.like for row in store.recent(100, ["d1a2b3c4d5e6"])} - before
    assert {name: getattr(newest, name) for name in change} == change


@pytest.mark.parametrize("wanted", [None, ["d2"], ["d2", "nas:/films"]])
def test_no_statement_looks_through_or_sorts_all_results(store: Store, wanted: list[str] | None) -> None:
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    store.recent(5, wanted)
    store._connection.set_trace_callback(None)
    assert asked
    for statement in dict.fromkeys(asked):
        plan = [row[3] for row in store._connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        assert not any(step.startswith("SCAN") or "TEMP B-TREE" in step for step in plan), (statement, plan)
