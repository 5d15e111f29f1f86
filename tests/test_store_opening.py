"""Opening the store: what is wrong is said in one sentence, and nothing is lost or touched on the way."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from made_results import a_result

from graycard.codec import Document, decode, encode
from graycard.errors import StoreProblem
from graycard.facts import fact
from graycard.model import Result, Trial
from graycard.store import Filter, Store, default_path
from graycard.store.database import VERSION, migrations
from graycard.store.derived import seconds

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "results.db")


@pytest.fixture
def store(path: str) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


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


def test_the_version_is_the_number_of_migrations_and_each_has_a_fixture() -> None:
    assert len(migrations()) == VERSION
    assert {path.stem for path in FIXTURES.glob("store-*.db")} == {f"store-{number + 1}" for number in range(VERSION)}


def test_a_store_of_every_version_opens(tmp_path: Path) -> None:
    fixtures = sorted(FIXTURES.glob("store-*.db"))
    assert fixtures
    for fixture in fixtures:
        copy = tmp_path / fixture.name
        shutil.copy(fixture, copy)
        document = decode(fixture.with_suffix(".json").read_bytes(), Document)
        expected = document.results
        ids = [id_ for result in expected for id_ in (result.id, result.measurement_id)]
        ids += [case.id for case in document.diagnoses]
        with Store(str(copy)) as store:
            assert tuple(store.diagnosis(case.id) for case in document.diagnoses) == document.diagnoses
            assert {row.id for row in store.diagnosis_rows()} == {case.id for case in document.diagnoses}
            assert tuple(store.load(result.id) for result in expected) == expected
            assert {row.id for row in store.rows()} == {result.id for result in expected}
            assert store.annotations(ids) == document.annotations


def test_what_a_migration_adds_is_as_if_it_was_saved_now(tmp_path: Path) -> None:
    for fixture in sorted(FIXTURES.glob("store-*.db")):
        copy = tmp_path / fixture.name
        shutil.copy(fixture, copy)
        with Store(str(copy)) as old, Store(str(tmp_path / f"new {fixture.name}")) as new:
            document = decode(fixture.with_suffix(".json").read_bytes(), Document)
            for result in document.results:
                new.save(result)
            for case in document.diagnoses:
                new.save_diagnosis(case)
            for id_, each in document.annotations.items():
                new.annotate(id_, label=each.label, tags=each.tags)
                for note in each.notes:
                    new.annotate(id_, note=note)
            assert old.rows() == new.rows()
            assert old.diagnosis_rows() == new.diagnosis_rows()
            for words in (["exfat"], ["usb", "CARD"], ["samsung"], ["two", "lines"]):
                assert old.search(words) == new.search(words)
                assert old.diagnosis_rows(words=words) == new.diagnosis_rows(words=words)
            kept = "SELECT id, place_id, setup_key FROM results ORDER BY id"
            assert old._connection.execute(kept).fetchall() == new._connection.execute(kept).fetchall()
            found = {row.id for row in old.search(["exfat"])}
            assert "0a1b2c3d4e5f" in found


class Stopped(Exception):
    """In place of a Ctrl-C."""


@pytest.mark.parametrize("version", [1, 2])
def test_a_long_upgrade_is_told_beforehand_and_stopping_it_changes_nothing(
    tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / f"store-{version}.db", copy)
    monkeypatch.setattr("graycard.store.database._LONG_S", 0.0)

    def stop(sentence: str) -> None:
        assert re.search(r"old.db was written by an older graycard: bringing its 2 results up to date takes", sentence)
        raise Stopped

    with pytest.raises(Stopped):
        Store(str(copy), on_upgrade=stop)
    with sqlite3.connect(copy) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (version,)
    raw.close()
    told: list[str] = []
    Store(str(copy), on_upgrade=told.append).close()
    Store(str(copy), on_upgrade=told.append).close()
    Store(str(tmp_path / "new.db"), on_upgrade=told.append).close()
    assert len(told) == 1


def test_a_store_of_version_3_needs_no_time_however_many_results_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What migration 4 adds is empty, so no result is read or written and there is nothing to tell beforehand."""
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / "store-3.db", copy)
    with sqlite3.connect(copy) as raw:
        raw.execute("UPDATE documents SET body = 'not looked at'")
        before = raw.execute("SELECT * FROM results").fetchall()
    raw.close()
    told: list[str] = []
    with Store(str(copy), on_upgrade=told.append) as store:
        assert store._connection.execute("SELECT * FROM results").fetchall() == before
        assert store.diagnosis_rows() == ()
    assert seconds(3, 10**9) == 0
    assert not told


def test_a_short_upgrade_is_not_worth_a_word(tmp_path: Path) -> None:
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / "store-1.db", copy)
    told: list[str] = []
    Store(str(copy), on_upgrade=told.append).close()
    assert not told


def test_columns_are_filled_when_an_old_store_is_opened(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "store-1.db", tmp_path / "old.db")
    with sqlite3.connect(tmp_path / "old.db") as raw:
        (body,) = raw.execute("SELECT body FROM documents WHERE body LIKE '%exfat%'").fetchone()
        result = decode(body.encode(), Result)
        facts = (*result.facts, fact("kernel_version", "6.1", "uname"), fact("link_bits_per_s", 5e9, "sysfs"))
        trial = Trial("e1", "file systems", "exFAT", randomised=True)
        body = encode(replace(result, facts=facts, trial=trial)).decode()
        raw.execute("UPDATE documents SET body = ? WHERE body LIKE '%exfat%'", (body,))
    raw.close()
    with Store(str(tmp_path / "old.db")) as store:
        (row,) = store.rows(wanted=Filter(experiment_id="e1"))
        assert (row.configuration, row.kernel_version, row.link_bits_per_s) == ("exFAT", "6.1", 5e9)
        assert (row.engine, row.tool_version, row.os_name, row.run_count) == ("io_uring", "0.1.0", None, 2)


def test_a_document_that_cannot_be_read_does_not_keep_the_others_from_being_migrated(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "store-1.db", tmp_path / "old.db")
    with sqlite3.connect(tmp_path / "old.db") as raw:
        raw.execute("UPDATE documents SET body = '{' WHERE body NOT LIKE '%exfat%'")
    raw.close()
    with Store(str(tmp_path / "old.db")) as store:
        assert {row.id: row.engine for row in store.rows()} == {"0a1b2c3d4e5f": "io_uring", "0a1b2c3d4e60": None}
        assert store.load("0a1b2c3d4e5f").origin.engine == "io_uring"
        with pytest.raises(StoreProblem, match="cannot be read"):
            store.load("0a1b2c3d4e60")


def test_a_migration_that_fails_leaves_the_store_as_it_was(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store:
        store.save(a_result("a", run_count=1))
    before = Path(path).read_bytes()
    steps = (*migrations(), "CREATE TABLE more (x TEXT);\nDROP TABLE absent;\n")
    with monkeypatch.context() as patch:
        patch.setattr("graycard.store.database.migrations", lambda: steps)
        patch.setattr("graycard.store.database.VERSION", len(steps))
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
