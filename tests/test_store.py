"""The store: lossless, never loses or alters a run, and finds results again."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from made_results import START, TASK, a_result, a_run, a_summary
from strategies import results

from graycard.codec import decode, encode
from graycard.errors import StoreProblem
from graycard.model import Estimate, Operation, Origin, Point, Result, Run, Series, Target, TargetKind, Tick, Verdict
from graycard.store import Filter, Store, task_key
from graycard.store.blobs import pack_ticks, unpack_ticks
from tests.bed.tiers import examples


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "results.db")


@pytest.fixture
def store(path: str) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


# Lossless


@given(result=results)
@settings(
    max_examples=examples(25, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_what_is_saved_comes_back(result: Result, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Store(str(tmp_path_factory.mktemp("store") / "results.db")) as store:
        store.save(replace(result, id="x" + result.id))
        (row,) = store.rows()
        loaded, text, latencies = store.load(row.id), store.text(row.id), store.latencies(row.id)
    assert text == encode(loaded)
    assert [run.samples.latency for run in latencies.runs] == [run.samples.latency for run in loaded.runs]
    assert loaded == decode(encode(replace(result, id="x" + result.id)), Result)
    assert (row.target_path, row.task_label, row.run_count) == (
        loaded.target.path,
        loaded.task.label,
        len(loaded.runs),
    )


@pytest.mark.parametrize("name", [b"caf\xc3\xa9", b"bad \xff\xfe", b"a:b\n\t", b"\xf0\x9f\x8e\xac"])
def test_every_path_survives_as_the_codec_writes_it(name: bytes, store: Store) -> None:
    result = a_result("a", target=Target(os.fsdecode(b"/mnt/" + name), TargetKind.FILE))
    store.save(result)
    expected = decode(encode(result), Result).target.path
    assert store.load("a").target.path == store.rows()[0].target_path == expected


def test_ticks_take_at_most_three_bytes_each() -> None:
    """A million of them at most 3 MB."""
    noise, count = random.Random(5), examples(100_000, 1_000_000)
    ops = [max(0, round(noise.gauss(3000, 60))) for _ in range(count)]
    ticks = tuple(Tick(index * 10**7, each, each * 4096) for index, each in enumerate(ops))
    blob = pack_ticks(ticks)
    assert len(blob) <= 3 * count
    assert unpack_ticks(blob) == ticks


def test_a_value_that_json_cannot_hold_is_refused_when_saved(store: Store) -> None:
    broken = replace(a_summary(), rate=Estimate(float("nan"), None, None, "bytes/s", 1, None, "test"))
    with pytest.raises(StoreProblem, match="cannot be stored"):
        store.save(a_result("a", summary=broken))
    assert store.rows() == ()


# Run by run


def test_results_grow_run_by_run(store: Store) -> None:
    for count in range(4):
        store.save(a_result("a", run_count=count))
        assert store.load("a").runs == a_result("a", run_count=count).runs
        assert store.rows()[0].run_count == count


def test_an_older_state_takes_no_run_away(store: Store) -> None:
    store.save(a_result("a", run_count=3))
    store.save(a_result("a", run_count=1, summary=a_summary()))
    assert len(store.load("a").runs) == store.rows()[0].run_count == 3
    assert store.load("a").summary == a_summary()


def test_a_stored_run_is_never_altered(store: Store, path: str) -> None:
    store.save(a_result("a", run_count=2))
    other = a_result("a", runs=(a_run(7), a_run(8), a_run(9)))
    with pytest.raises(StoreProblem, match="never altered"):
        store.save(other)
    assert store.load("a") == a_result("a", run_count=2)
    with sqlite3.connect(path) as raw, pytest.raises(sqlite3.IntegrityError, match="never altered"):
        raw.execute("UPDATE runs SET repeat_index = 9")
    raw.close()


def test_a_failing_save_leaves_the_state_before(store: Store) -> None:
    store.save(a_result("a", run_count=1))
    bad_run = replace(a_run(2), monitor=(Series("dirty_bytes", "bytes", "test", (Point(0, float("nan")),)),))
    with pytest.raises(StoreProblem, match="Run 2 of result a cannot be stored"):
        store.save(a_result("a", runs=(a_run(0), a_run(1), bad_run), summary=a_summary()))
    assert store.load("a") == a_result("a", run_count=1)


# Finding


def test_a_unique_prefix_is_enough(store: Store) -> None:
    for name in ("abc1", "abc2", "abd", "ab_", "é1"):
        store.save(a_result(name))
    assert store.load("abd").id == "abd"
    assert store.resolve("abc1") == "abc1"
    assert store.resolve("é") == "é1"
    assert store.resolve("ab_") == "ab_"
    with pytest.raises(StoreProblem, match=r"abc1, abc2\): write more letters"):
        store.load("abc")
    with pytest.raises(StoreProblem, match=r"ab_, abc1, abc2, …"):
        store.load("ab")
    for absent in ("x", "", "%", "abd2", "\udcff"):
        with pytest.raises(StoreProblem, match="has no result"):
            store.load(absent)


def test_a_whole_id_is_found_though_another_begins_with_it(store: Store) -> None:
    store.save(a_result("abc"))
    store.save(a_result("abcd"))
    assert store.load("abc").id == "abc"


def test_an_outline_is_the_result_without_its_runs(store: Store) -> None:
    store.save(whole := a_result("abc", run_count=2, summary=a_summary(Verdict.PASS)))
    assert store.outline("ab") == replace(whole, runs=())


def test_figures_are_the_result_without_the_long_columns_of_its_runs(store: Store) -> None:
    whole = a_result("a", run_count=3)
    store.save(whole)
    found = store.figures("a")
    assert [bare(run) for run in whole.runs] == list(found.runs)
    assert replace(found, runs=whole.runs) == whole
    assert any(run.samples.ticks for run in whole.runs)


def bare(run: Run) -> Run:
    latency = run.samples.latency and replace(run.samples.latency, counts=())
    flushes = run.samples.flush_latency and replace(run.samples.flush_latency, counts=())
    samples = replace(run.samples, ticks=(), latency=latency, flush_latency=flushes)
    return replace(run, samples=samples, monitor=())


def test_the_place_of_a_task_in_its_plan_is_that_of_its_runs(store: Store) -> None:
    store.save(a_result("third", runs=(replace(a_run(0), task_index=2),)))
    store.save(a_result("not begun"))
    assert [store.task_index(id_) for id_ in ("third", "not begun", "thi")] == [2, None, None]


def test_rows_come_newest_first_and_filtered(store: Store) -> None:
    write = replace(TASK, operation=Operation.WRITE)
    store.save(a_result("old", minute=1, run_count=2, summary=a_summary(Verdict.PASS, Verdict.CAVEAT, Verdict.UNKNOWN)))
    store.save(a_result("new", minute=2, task=write, measurement_id="m2"))
    store.save(a_result("foreign", minute=0, origin=Origin("fio", "3.33", "libaio"), facts=()))
    rows = store.rows()
    assert [row.id for row in rows] == ["new", "old", "foreign"]
    old = rows[1]
    assert (old.rate_bytes_per_s, old.rate_low_bytes_per_s, old.rate_high_bytes_per_s) == (1.5e8, 1.4e8, 1.6e8)
    assert (old.verdict, old.run_count, old.created_at) == (Verdict.CAVEAT, 2, START + timedelta(minutes=1))
    assert (rows[0].verdict, rows[0].rate_bytes_per_s) == (None, None)

    def ids(wanted: Filter, limit: int | None = None) -> list[str]:
        return [row.id for row in store.rows(limit, wanted)]

    assert ids(Filter(), 1) == ["new"]
    assert ids(Filter(device_id="d1", task_key=task_key(TASK))) == ["old"]
    assert ids(Filter(file_system_id="f1")) == ["new", "old"]
    assert ids(Filter(tool="fio")) == ["foreign"]
    assert ids(Filter(measurement_id="m2")) == ["new"]
    assert ids(Filter(since=START + timedelta(minutes=1), until=START + timedelta(minutes=2))) == ["old"]
    assert ids(Filter(tool="x' OR 1=1 --")) == []


def test_the_key_of_a_task_leaves_out_length_and_seed() -> None:
    assert task_key(TASK) == "RND4K QD64 read, bypass, at_end"
    assert task_key(replace(TASK, seed=5, time_ns=1, span_bytes=2, byte_limit=3)) == task_key(TASK)
    assert task_key(replace(TASK, compressible_ratio=0.5)) != task_key(TASK)


def test_removing_takes_runs_along(store: Store, path: str) -> None:
    for name in ("a", "b"):
        store.save(a_result(name, run_count=2))
    assert store.remove(["a", "nothing"]) == 1
    assert [row.id for row in store.rows()] == ["b"]
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM runs").fetchone() == (2,)
        assert raw.execute("SELECT count(*) FROM documents").fetchone() == (1,)
    raw.close()


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (Filter(), "results_by_time"),
        (Filter(since=START), "results_by_time"),
        (Filter(measurement_id="m"), "results_by_measurement"),
        (Filter(device_id="d", task_key="t"), "results_by_device"),
        (Filter(device_id="d", task_key="t", since=START), "results_by_device"),
        (Filter(device_id="d"), "results_by_device"),
        (Filter(file_system_id="f", task_key="t"), "results_by_file_system"),
        (Filter(task_key="t"), "results_by_task"),
        (Filter(tool="t"), "results_by_tool"),
    ],
)
def test_lists_and_history_use_an_index(wanted: Filter, index: str, store: Store, path: str) -> None:
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    store.rows(20, wanted)
    with sqlite3.connect(path) as raw:
        plan = [detail for *_, detail in raw.execute("EXPLAIN QUERY PLAN " + asked[-1])]
    raw.close()
    assert any(f"USING INDEX {index}" in detail for detail in plan), plan
    assert not any("documents" in detail or "runs" in detail for detail in plan), plan
