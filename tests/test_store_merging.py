"""Merging another store: nothing lost, nothing altered, a second time changes nothing, the other file untouched."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_results import START, a_result, a_run, a_summary

from graycard.codec import Document, decode
from graycard.errors import StoreProblem
from graycard.model import Annotations, Result
from graycard.store import Merged, Store
from graycard.store.database import migrations
from tests.bed.tiers import examples

FIXTURES = Path(__file__).parent / "fixtures"
TABLES = ("results", "documents", "runs", "labels", "notes", "tags", "experiments", "texts")


@pytest.fixture
def other(tmp_path: Path) -> str:
    return str(tmp_path / "other.db")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with Store(str(tmp_path / "mine.db")) as opened:
        yield opened
    assert list((tmp_path / "tmp").iterdir()) == [], "no copy stays"


def contents(store: Store) -> dict[str, list[tuple[object, ...]]]:
    return {table: store._connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}


def state(folder: Path) -> dict[str, tuple[int, str]]:
    """Each file of the folder, when it was written, and what is in it."""
    return {
        each.name: (each.stat().st_mtime_ns, hashlib.sha256(each.read_bytes()).hexdigest())
        for each in folder.iterdir()
        if each.is_file()
    }


def test_what_is_not_here_is_added_with_everything(store: Store, other: str) -> None:
    results = [a_result("b", run_count=2, summary=a_summary()), a_result("c", measurement_id="m2", run_count=1)]
    with Store(other) as there:
        for each in results:
            there.save(each)
        there.annotate("m2", label="exfat", note="n", tags=("usb",))
        there.annotate("b", tags=("one",))
        there.save_experiment("e1", "file systems", START, b"body")
    store.save(a_result("a", run_count=1))
    assert store.merge(other) == Merged(2, 0, 0, 0, 1, ())
    assert [store.load(each.id) for each in results] == results
    assert store.load("a") == a_result("a", run_count=1)
    assert store.annotations(["m2", "b"]) == {
        "m2": Annotations("exfat", ("n",), ("usb",)),
        "b": Annotations(None, (), ("one",)),
    }
    assert [row.id for row in store.search(["usb"])] == ["c"]
    assert store.experiment("e1") == b"body"
    before = contents(store)
    assert store.merge(other) == Merged(0, 2, 0, 0, 0, ())
    assert contents(store) == before


def test_runs_that_are_only_there_continue_a_result_and_others_leave_it(store: Store, other: str) -> None:
    longer = a_result("longer", run_count=3, summary=a_summary())
    with Store(other) as there:
        there.save(longer)
        there.save(a_result("shorter", run_count=1))
        there.save(a_result("differs", runs=(a_run(7), a_run(8), a_run(9))))
        there.save(replace(a_result("same", run_count=1), summary=a_summary()))
    for name, count in (("longer", 1), ("shorter", 2), ("differs", 2), ("same", 1)):
        store.save(a_result(name, run_count=count))
    assert store.merge(other) == Merged(0, 4, 1, 1, 0, ())
    assert store.load("longer") == longer
    assert {row.id: row.run_count for row in store.rows()} == {"longer": 3, "shorter": 2, "differs": 2, "same": 1}
    for name, count in (("shorter", 2), ("differs", 2), ("same", 1)):
        assert store.load(name) == a_result(name, run_count=count)
    assert store.merge(other) == Merged(0, 4, 0, 1, 0, ())


def test_a_label_that_is_taken_becomes_a_tag(store: Store, other: str) -> None:
    with Store(other) as there:
        for name in ("a", "b", "c"):
            there.save(a_result(name, measurement_id=f"m-{name}"))
        there.annotate("m-a", label="taken")
        there.annotate("m-b", label="theirs")
        there.annotate("m-c", label="same")
    for name in ("b", "c", "d"):
        store.save(a_result(name, measurement_id=f"m-{name}"))
    store.annotate("m-d", label="taken")
    store.annotate("m-b", label="mine", note="n")
    store.annotate("m-c", label="same")
    expected = {
        "m-a": Annotations(None, (), ("taken",)),
        "m-b": Annotations("mine", ("n",), ("theirs",)),
        "m-c": Annotations("same"),
        "m-d": Annotations("taken"),
    }
    for _ in range(2):
        assert store.merge(other).tagged_labels == ("taken", "theirs")
        assert store.annotations(["m-a", "m-b", "m-c", "m-d"]) == expected
    assert {row.id for row in store.search(["taken"])} == {"d", "a"}


def test_an_experiment_that_is_in_both_stays_as_it_is_here(store: Store, other: str) -> None:
    with Store(other) as there:
        there.save_experiment("e1", "theirs", START, b"theirs")
    store.save_experiment("e1", "mine", START, b"mine")
    assert store.merge(other).experiment_count == 0
    assert store.experiment("e1") == b"mine"


@pytest.mark.parametrize("number", range(1, len(migrations()) + 1))
def test_a_store_of_any_version_is_merged_and_not_touched(number: int, store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "card"
    folder.mkdir()
    shutil.copy(FIXTURES / f"store-{number}.db", folder / "other.db")
    if sys.platform != "win32":
        folder.chmod(0o500)
    before = state(folder)
    try:
        merged = store.merge(str(folder / "other.db"))
        expected = decode((FIXTURES / f"store-{number}.json").read_bytes(), Document).results
        assert merged.added_count == len(expected)
        assert tuple(store.load(result.id) for result in expected) == expected
        assert state(folder) == before
    finally:
        folder.chmod(0o700)


def test_what_a_killed_process_left_in_the_log_is_merged_and_not_touched(store: Store, tmp_path: Path) -> None:
    """The file and its -wal, as a kill leaves them, are copied away while the store is open."""
    folder = tmp_path / "killed"
    folder.mkdir()
    with Store(str(tmp_path / "live.db")) as live:
        live.save(a_result("a", run_count=2))
        for ending in ("", "-wal", "-shm"):
            shutil.copy(str(tmp_path / "live.db") + ending, str(folder / "other.db") + ending)
    assert (folder / "other.db-wal").stat().st_size > 0
    before = state(folder)
    assert store.merge(str(folder / "other.db")).added_count == 1
    assert store.load("a") == a_result("a", run_count=2)
    assert state(folder) == before


# All or nothing


def refused(store: Store, path: str, says: str) -> None:
    before = contents(store)
    with pytest.raises(StoreProblem, match=says) as problem:
        store.merge(path)
    assert "\n" not in str(problem.value)
    assert contents(store) == before


def test_what_is_no_store_is_refused(store: Store, tmp_path: Path) -> None:
    store.save(a_result("mine", run_count=1))
    (tmp_path / "text.db").write_bytes(b"my own notes, longer than a page header " * 300)
    (tmp_path / "empty.db").write_bytes(b"")
    with sqlite3.connect(tmp_path / "foreign.db") as raw:
        raw.execute("CREATE TABLE results (url TEXT)")
    raw.close()
    refused(store, str(tmp_path / "text.db"), "text.db is no store of graycard's")
    refused(store, str(tmp_path / "empty.db"), "empty.db is no store of graycard's")
    refused(store, str(tmp_path / "foreign.db"), "foreign.db is no store of graycard's")
    refused(store, str(tmp_path), "is no store of graycard's")
    refused(store, str(tmp_path / "absent.db"), r"absent.db cannot be copied \(No such file")
    refused(store, store.path, "mine.db is this store itself")
    assert not (tmp_path / "absent.db").exists()


def test_a_link_to_the_store_itself_is_refused(store: Store, tmp_path: Path) -> None:
    os.link(store.path, tmp_path / "link.db")
    refused(store, str(tmp_path / "link.db"), "is this store itself")


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFO")
def test_a_pipe_is_refused_without_waiting(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    refused(store, str(tmp_path / "pipe.db"), "is no store of graycard's")


def test_a_newer_store_is_refused(store: Store, other: str) -> None:
    Store(other).close()
    with sqlite3.connect(other) as raw:
        raw.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    raw.close()
    refused(store, other, r"The store .*other.db was written by a newer graycard")


def test_a_damaged_store_is_refused(store: Store, other: str) -> None:
    with Store(other) as there:
        for name in range(50):
            there.save(a_result(str(name), run_count=2))
    size = os.path.getsize(other)
    with open(other, "r+b") as file:
        file.seek(size // 2)
        file.write(b"\xa5" * (size // 4))
    refused(store, other, r"The store .*other.db is damaged")


def test_a_store_without_one_of_its_tables_is_refused(store: Store, other: str) -> None:
    with Store(other) as there:
        there.save(a_result("a", run_count=1))
        there._connection.execute("DROP TABLE notes")
    refused(store, other, "has no notes: it is damaged")


def test_a_merge_that_fails_half_way_leaves_the_store_as_it_was(store: Store, other: str) -> None:
    with Store(other) as there:
        there.save(a_result("b", run_count=2))
        there.annotate("b", label="x")
    store.save(a_result("a", run_count=1))
    store._connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.labels BEGIN SELECT RAISE(ABORT, 'half-way'); END"
    )
    refused(store, other, "half-way")
    store._connection.execute("DROP TRIGGER full")
    assert store.merge(other).added_count == 1


def test_a_store_that_is_written_meanwhile_is_refused(
    store: Store, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copyfile
    with Store(other) as there:
        there.save(a_result("a", run_count=1))

        def copied(source: str, target: str) -> None:
            copy(source, target)
            there.save(a_result("b", run_count=1))

        monkeypatch.setattr("graycard.store.merging.shutil.copyfile", copied)
        refused(store, other, "Another program is using the store")


# Any two stores


def made(name: str, run_count: int, first: int) -> Result:
    return a_result(name, measurement_id=f"m-{name}", runs=tuple(a_run(first + at, 3) for at in range(run_count)))


sides = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.integers(0, 3),
        st.integers(0, 1),
        st.sampled_from([None, "one", "two"]),
        st.sets(st.sampled_from(["t", "u"])),
    ),
    max_size=4,
    unique_by=lambda each: each[0],
)


@given(mine=sides, theirs=sides)
@settings(max_examples=examples(15, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_two_stores_merge_without_loss(
    mine: list[tuple[str, int, int, str | None, set[str]]],
    theirs: list[tuple[str, int, int, str | None, set[str]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    with Store(str(folder / "mine.db")) as here, Store(str(folder / "theirs.db")) as there:
        for store, side in ((here, mine), (there, theirs)):
            for name, run_count, first, label, tags in side:
                store.save(made(name, run_count, first))
                store.annotate(name, label=label, note=f"{name} of {store.path}", tags=tags)
        held = {row.id: here.load(row.id) for row in here.rows()}
        written = {"here": here.annotations("abcd"), "there": there.annotations("abcd")}
        merged = here.merge(there.path)
        assert merged.added_count == len({row.id for row in there.rows()} - set(held))
        for result in (there.load(row.id) for row in there.rows()):
            runs, before = here.load(result.id).runs, held.get(result.id)
            kept = before.runs if before else ()
            assert runs[: len(kept)] == kept, "a stored run is never altered or taken away"
            alike = result.runs[: len(kept)] == kept[: len(result.runs)]
            assert runs == (result.runs if alike and len(result.runs) > len(kept) else kept)
        both = here.annotations("abcd")
        for side_written in written.values():
            for id_, each in side_written.items():
                assert set(each.notes) <= set(both[id_].notes)
                assert set(each.tags) <= set(both[id_].tags)
                assert each.label is None or each.label == both[id_].label or each.label in both[id_].tags
        assert {id_: each.label for id_, each in written["here"].items() if each.label}.items() <= {
            id_: each.label for id_, each in both.items()
        }.items()
        before_again = contents(here)
        assert here.merge(there.path).added_count == 0
        assert contents(here) == before_again


def test_the_copies_that_killed_merges_left_go_at_the_next_one(store: Store, other: str, tmp_path: Path) -> None:
    Store(other).close()
    place = tmp_path / "tmp"
    old, young, foreign = (place / name for name in ("graycard-merge-old", "graycard-merge-young", "other-old"))
    for folder in (old, young, foreign):
        folder.mkdir()
        (folder / "other.db").write_bytes(b"left")
    for folder in (old, foreign):
        os.utime(folder, (1e9, 1e9))
    store.merge(other)
    assert {path.name for path in place.iterdir()} == {"graycard-merge-young", "other-old"}
    shutil.rmtree(young)
    shutil.rmtree(foreign)
