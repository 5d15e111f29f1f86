"""The store gives histories the newest results of each load on each drive, by its indexes alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graycard.model import Pattern
from graycard.store import Store
from tests.history.made import READ, TRIAL, USUAL, days

RANDOM = replace(READ, pattern=Pattern.RANDOM)
SHARE = {"device_id": None, "file_system_id": "nas:/films", "device_model": None, "device_name": None}


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
    assert sorted((row.device_id or row.file_system_id, row.task_label, row.rate_bytes_per_s) for row in rows) == [
        ("d1a2b3c4d5e6", "RND1M QD8 read", 500e6),
        ("d1a2b3c4d5e6", "RND1M QD8 read", 505e6),
        ("d1a2b3c4d5e6", "SEQ1M QD8 read", 499e6),
        ("d1a2b3c4d5e6", "SEQ1M QD8 read", 507e6),
        ("d2", "SEQ1M QD8 read", 495e6),
        ("d2", "SEQ1M QD8 read", 505e6),
        ("nas:/films", "SEQ1M QD8 read", 495e6),
        ("nas:/films", "SEQ1M QD8 read", 502e6),
    ]


def test_only_of_the_drive_or_share_that_is_asked_for(store: Store) -> None:
    assert {row.device_id for row in store.recent(100, device_id="d2")} == {"d2"}
    assert len(store.recent(100, device_id="d2")) == 3
    assert len(store.recent(100, file_system_id="nas:/films")) == 4
    assert store.recent(100, device_id="none") == ()
    # A file system on a drive that is known is found by the drive.
    assert store.recent(100, file_system_id="f1a2b3c4d5e6") == ()


@pytest.mark.parametrize("wanted", [{}, {"device_id": "d2"}, {"file_system_id": "nas:/films"}])
def test_no_statement_looks_through_all_results(store: Store, wanted: dict[str, str]) -> None:
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    store.recent(5, **wanted)
    store._connection.set_trace_callback(None)
    assert asked
    for statement in dict.fromkeys(asked):
        plan = [row[3] for row in store._connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        assert not any(step.startswith("SCAN") for step in plan), (statement, plan)
