"""The store: lossless, never loses or alters a run, and says in one sentence what is wrong."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from strategies import results

from graycard.codec import Document, decode, encode
from graycard.errors import StoreProblem
from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Check,
    Estimate,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Point,
    Result,
    Run,
    Samples,
    Series,
    Steadiness,
    Steady,
    Summary,
    Target,
    TargetKind,
    Tick,
    Verdict,
)
from graycard.store import Filter, Store, default_path, task_key
from graycard.store.blobs import pack_ticks, unpack_ticks
from graycard.store.database import migrations

FIXTURES = Path(__file__).parent / "fixtures"
START = datetime(2026, 11, 30, 12, tzinfo=UTC)
TASK = IoTask(Operation.READ, Pattern.RANDOM, 4096, 1 << 30, depth_count=64, time_ns=10**9)


def a_run(number: int, tick_count: int = 100) -> Run:
    ticks = tuple(Tick(index * 10**7, 10 + number, (10 + number) * 4096) for index in range(tick_count))
    ops = (10 + number) * tick_count
    samples = Samples("native", 10**9, ops, ops * 4096, ticks, 10**7, None)
    return Run(0, number, START + timedelta(seconds=number), samples, (), ())


def a_result(name: str, *, run_count: int = 0, minute: int = 0, **changes: object) -> Result:
    base = Result(
        id=name,
        measurement_id="m1",
        schema=SCHEMA,
        created_at=START + timedelta(minutes=minute),
        origin=Origin("graycard", "0.1.0", "native"),
        target=Target("/mnt/card", TargetKind.FOLDER),
        task=TASK,
        facts=(fact("device_id", "d1", "test"), fact("file_system_id", "f1", "test")),
        runs=tuple(a_run(number) for number in range(run_count)),
        summary=None,
    )
    return replace(base, **changes)


def a_summary(*verdicts: Verdict) -> Summary:
    rate = Estimate(1.5e8, 1.4e8, 1.6e8, "bytes/s", 5, 0.95, "test")
    checks = tuple(Check("test", None, None, None, None, verdict, "says") for verdict in verdicts)
    return Summary(rate, rate, (), None, Steadiness(Steady.STEADY, "even", None), checks, ())


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "results.db")


@pytest.fixture
def store(path: str) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


# Lossless


@given(result=results)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_is_saved_comes_back(result: Result, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Store(str(tmp_path_factory.mktemp("store") / "results.db")) as store:
        store.save(replace(result, id="x" + result.id))
        (row,) = store.rows()
        loaded = store.load(row.id)
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


def test_a_million_ticks_take_at_most_three_megabytes() -> None:
    noise = random.Random(5)
    ops = [max(0, round(noise.gauss(3000, 60))) for _ in range(1_000_000)]
    ticks = tuple(Tick(index * 10**7, count, count * 4096) for index, count in enumerate(ops))
    blob = pack_ticks(ticks)
    assert len(blob) <= 3_000_000
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


def test_a_measurement_comes_in_the_order_saved(store: Store) -> None:
    for name in ("b", "a", "c"):
        store.save(a_result(name, run_count=1))
    store.save(a_result("other", measurement_id="m2"))
    assert [result.id for result in store.load_measurement("m1")] == ["b", "a", "c"]
    assert store.load_measurement("m1")[1] == a_result("a", run_count=1)
    assert store.load_measurement("none") == ()


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


# Opening


def test_the_folder_is_made_for_its_owner_alone(path: str) -> None:
    Store(path).close()
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_default_path_follows_the_platform() -> None:
    home = {"HOME": "/home/u"}
    assert default_path(home, "linux") == "/home/u/.local/share/graycard/results.db"
    assert default_path({**home, "XDG_DATA_HOME": "/d"}, "linux") == "/d/graycard/results.db"
    assert default_path({**home, "XDG_DATA_HOME": "rel"}, "linux") == "/home/u/.local/share/graycard/results.db"
    assert default_path(home, "darwin") == "/home/u/Library/Application Support/graycard/results.db"
    assert default_path({"LOCALAPPDATA": "/l"}, "win32") == "/l/graycard/results.db"
    assert default_path({**home, "GRAYCARD_STORE": "/s/x.db"}, "linux") == "/s/x.db"


def refused(path: str, says: str) -> None:
    with pytest.raises(StoreProblem, match=says) as problem, Store(path, patience_ms=50) as store:
        store.save(a_result("a"))
    message = str(problem.value)
    assert problem.value.exit_code == 40
    assert os.path.basename(path) in message
    assert "\n" not in message


def test_another_file_is_refused_untouched(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(b"my own notes, longer than a page header " * 300)
    before = text.read_bytes()
    refused(str(text), "no store of graycard's")
    assert text.read_bytes() == before


def test_a_foreign_database_is_refused_untouched(tmp_path: Path) -> None:
    foreign = tmp_path / "places.db"
    with sqlite3.connect(foreign) as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.close()
    before = foreign.read_bytes()
    refused(str(foreign), "database of another program")
    assert foreign.read_bytes() == before


def test_a_newer_store_is_refused_untouched(path: str) -> None:
    with Store(path) as store:
        store.save(a_result("a", run_count=1))
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    raw.close()
    before = Path(path).read_bytes()
    refused(path, "newer graycard")
    assert Path(path).read_bytes() == before


def test_a_damaged_store_is_told(path: str) -> None:
    with Store(path) as store:
        for name in range(50):
            store.save(a_result(str(name), run_count=2))
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    refused(path, "damaged")


def test_a_damaged_blob_is_told(store: Store, path: str) -> None:
    store.save(a_result("a", run_count=1))
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TRIGGER runs_are_final")
        raw.execute("UPDATE runs SET ticks = x'00'")
    raw.close()
    with pytest.raises(StoreProblem, match=r"Result a in .* cannot be read"):
        store.load("a")


def test_a_locked_store_is_told_after_the_patience(path: str) -> None:
    Store(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        refused(path, "Another program is using the store")
    finally:
        holder.close()


def test_a_folder_or_an_impossible_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(str(tmp_path), "cannot be opened")
    refused(str(tmp_path / "file" / "results.db"), r"folder of the store .* cannot be made")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "small"
    mount.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "graycard-test", str(mount)], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def save_and_count(store: Store, run_count: int) -> int:
    store.save(a_result("a", run_count=run_count))
    return run_count


@pytest.mark.root
def test_a_full_disk_is_told_and_loses_nothing(small_disk: Path) -> None:
    path = str(small_disk / "results.db")
    saved: list[int] = []
    with Store(path) as store, pytest.raises(StoreProblem, match="No space is left"):
        saved.extend(save_and_count(store, number) for number in range(10_000))
    assert len(saved) > 3
    with Store(path) as store:
        assert store.load("a") == a_result("a", run_count=saved[-1])


@pytest.mark.root
def test_a_read_only_disk_is_told(small_disk: Path) -> None:
    Store(str(small_disk / "results.db")).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    refused(str(small_disk / "results.db"), "read-only|cannot be opened")


# Migrations


def test_a_store_of_every_version_opens(tmp_path: Path) -> None:
    fixtures = sorted(FIXTURES.glob("store-*.db"))
    assert fixtures
    for fixture in fixtures:
        copy = tmp_path / fixture.name
        shutil.copy(fixture, copy)
        expected = decode(fixture.with_suffix(".json").read_bytes(), Document).results
        with Store(str(copy)) as store:
            assert tuple(store.load(result.id) for result in expected) == expected
            assert {row.id for row in store.rows()} == {result.id for result in expected}


def test_a_migration_that_fails_leaves_the_store_as_it_was(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store:
        store.save(a_result("a", run_count=1))
    before = Path(path).read_bytes()
    steps = (*migrations(), "CREATE TABLE more (x TEXT);\nDROP TABLE absent;\n")
    with monkeypatch.context() as patch:
        patch.setattr("graycard.store.database.migrations", lambda: steps)
        with pytest.raises(StoreProblem, match="absent"):
            Store(path)
    assert Path(path).read_bytes() == before
    with Store(path) as store:
        assert store.load("a") == a_result("a", run_count=1)


def test_migrations_are_numbered_without_gaps() -> None:
    folder = Path(__file__).parent.parent / "src" / "graycard" / "migrations"
    numbers = sorted(int(file.name[:4]) for file in folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    assert numbers == list(range(1, len(migrations()) + 1))
    assert len(list(folder.glob("*.sql"))) == len(numbers)


# Several processes, and their death

CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from test_store import a_result
from graycard.store import Store
with Store(sys.argv[2]) as store:
    for count in range(1, int(sys.argv[4]) + 1):
        store.save(a_result(sys.argv[3], run_count=count))
        sys.stdout.write(f"{count}\\n")
        sys.stdout.flush()
"""


def child(path: str, name: str, run_count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), path, name, str(run_count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_kill_9_at_any_moment_loses_no_run_that_was_saved(path: str) -> None:
    chance = random.Random(1)
    killed = 0
    for attempt in range(25):
        process = child(path, f"r{attempt:02}", 100_000)
        assert process.stdout
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        said = [int(line) for line in (first + process.stdout.read()).split("\n")[:-1]]
        process.wait()
        killed += process.returncode == -signal.SIGKILL
        with Store(path) as store:
            runs = store.load(f"r{attempt:02}").runs
        assert len(runs) in (said[-1], said[-1] + 1), "one save may have finished before it could say so"
        assert runs == a_result("x", run_count=len(runs)).runs
    assert killed == 25


def test_two_processes_save_at_once(path: str) -> None:
    processes = [child(path, name, 40) for name in ("left", "right", "third")]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with Store(path) as store:
        for name in ("left", "right", "third"):
            assert store.load(name) == a_result(name, run_count=40)
