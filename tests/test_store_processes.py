"""Several processes at one store, and their death at any moment."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_results import a_result

from graycard.store import Store


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "results.db")


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from made_results import a_result
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


# Each round is one annotation of three parts and one merge of a new result of three runs; then it says so.
BUSY_CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from made_results import a_result
from graycard.store import Store
with Store(sys.argv[2]) as store, Store(sys.argv[2] + ".other") as other:
    for number in range(int(sys.argv[3]), 100_000):
        store.annotate(f"m{number % 2}", label="newest", note=f"note {number}", tags=(f"tag {number}",))
        other.save(a_result(f"r{number}", measurement_id=f"n{number}", run_count=3))
        other.annotate(f"r{number}", label=f"label {number}", note="theirs")
        store.merge(other.path)
        sys.stdout.write(f"{number}\\n")
        sys.stdout.flush()
"""


def faults(path: str) -> list[str]:
    """What of the store is not whole: in SQLite's eyes, or because a part of an annotation or a merge is missing."""
    queries = {
        "integrity": "SELECT * FROM pragma_integrity_check() WHERE integrity_check != 'ok'",
        "references": "SELECT * FROM pragma_foreign_key_check()",
        "a note without its tag": "SELECT * FROM notes AS n WHERE note LIKE 'note %' AND NOT EXISTS ("
        "SELECT 1 FROM tags WHERE subject = n.subject AND tag = 'tag ' || substr(note, 6))",
        "a tag without its note": "SELECT * FROM tags AS t WHERE NOT EXISTS ("
        "SELECT 1 FROM notes WHERE subject = t.subject AND note = 'note ' || substr(tag, 5))",
        "a result without a text": "SELECT id FROM results LEFT JOIN texts ON result_number = number "
        "WHERE text IS NULL",
        "a result without its document": "SELECT id FROM results LEFT JOIN documents ON result_number = number "
        "WHERE body IS NULL",
        "a merged result without all its runs": "SELECT id FROM results WHERE id LIKE 'r%' AND 3 != ("
        "SELECT count(*) FROM runs WHERE result_number = results.number)",
        "a merged result without its label": "SELECT id FROM results WHERE id LIKE 'r%' AND NOT EXISTS ("
        "SELECT 1 FROM labels WHERE subject = id)",
        "a text without its label": "SELECT label FROM labels JOIN results ON subject IN (id, measurement_id) "
        "JOIN texts ON result_number = number WHERE NOT instr(text, label)",
    }
    with sqlite3.connect(path) as raw:
        found = [name for name, query in queries.items() if raw.execute(query).fetchone()]
    raw.close()
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_kill_9_while_labelling_and_merging_leaves_a_whole_store(path: str, tmp_path: Path) -> None:
    chance, done = random.Random(2), 0
    with Store(path) as store:
        for number in range(2):
            store.save(a_result(f"a{number}", measurement_id=f"m{number}", run_count=1))
    command = [sys.executable, "-c", BUSY_CHILD, str(Path(__file__).parent), path]
    for _ in range(25):
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        process = subprocess.Popen([*command, str(done)], stdout=subprocess.PIPE, text=True, env=environment)
        assert process.stdout
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        said = [int(line) for line in (first + process.stdout.read()).split("\n")[:-1]]
        process.wait()
        assert process.returncode == -signal.SIGKILL
        assert faults(path) == []
        with Store(path) as store:
            merged = {row.id for row in store.rows() if row.id.startswith("r")}
            notes = [note for each in store.annotations(["m0", "m1"]).values() for note in each.notes]
            assert len(store.labelled("newest")) == 1
            assert all(
                store.load(f"r{number}") == a_result(f"r{number}", measurement_id=f"n{number}", run_count=3)
                for number in said
            )
        # What was said is there; at most one round more was begun.
        assert {f"r{number}" for number in range(said[-1] + 1)} <= merged <= {f"r{n}" for n in range(said[-1] + 2)}
        assert len(notes) in (said[-1] + 1, said[-1] + 2)
        done = said[-1] + 1


def test_the_faults_of_a_store_are_seen(path: str) -> None:
    with Store(path) as store:
        store.save(a_result("r1", run_count=2))
        store._connection.execute("INSERT INTO notes (subject, note) VALUES ('r1', 'note 1')")
        store._connection.execute("DELETE FROM texts")
        store._connection.execute("DELETE FROM documents")
    assert faults(path) == [
        "a note without its tag",
        "a result without a text",
        "a result without its document",
        "a merged result without all its runs",
        "a merged result without its label",
    ]


def test_two_processes_save_at_once(path: str) -> None:
    processes = [child(path, name, 40) for name in ("left", "right", "third")]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with Store(path) as store:
        for name in ("left", "right", "third"):
            assert store.load(name) == a_result(name, run_count=40)
