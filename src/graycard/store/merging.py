"""Bringing another store's results, diagnoses, annotations and experiments into this one.

The other file is only read: a private copy of it is brought up to date and attached. Everything happens in one
transaction, and doing it again changes nothing.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from graycard.errors import StoreProblem
from graycard.store.database import APPLICATION_ID, pragma, prepare, shown, told
from graycard.store.derived import write_texts_of_other
from graycard.store.merged import Merged
from graycard.store.rows import with_columns

_PREFIX = "graycard-merge-"
# A merge takes seconds: a copy that nobody touched for so long was left by a process that was killed.
_LEFT_AFTER_S = 3600.0
# Results with their documents only: one without could not be loaded.
_ADD_RESULTS = with_columns("""
    INSERT INTO main.results ({columns})
    SELECT {columns} FROM other.results AS theirs JOIN other.documents ON result_number = theirs.number
    WHERE NOT EXISTS (SELECT 1 FROM main.results AS mine WHERE mine.id = theirs.id)
    ORDER BY theirs.number
""")
_ADD_DOCUMENTS = """
    INSERT INTO main.documents (result_number, body)
    SELECT mine.number, body
    FROM other.documents JOIN other.results AS theirs ON theirs.number = result_number
    JOIN main.results AS mine ON mine.id = theirs.id
    WHERE NOT EXISTS (SELECT 1 FROM main.documents AS held WHERE held.result_number = mine.number)
"""
# Of each result of the other store: how many runs are here, how many there, and how many in one place are not the same.
_BESIDE = """
    SELECT mine.number, theirs.number,
        (SELECT count(*) FROM main.runs WHERE result_number = mine.number),
        (SELECT count(*) FROM other.runs WHERE result_number = theirs.number),
        (SELECT count(*) FROM other.runs AS there JOIN main.runs AS here
            ON here.result_number = mine.number AND here.position = there.position
            WHERE there.result_number = theirs.number
            AND (there.task_index, there.repeat_index, there.started_at)
            IS NOT (here.task_index, here.repeat_index, here.started_at))
    FROM other.results AS theirs JOIN main.results AS mine ON mine.id = theirs.id
"""
_ADD_RUNS = """
    INSERT INTO main.runs (
        result_number, position, task_index, repeat_index, started_at, body, ticks, latency, flush_latency, monitor)
    SELECT :mine, position, task_index, repeat_index, started_at, body, ticks, latency, flush_latency, monitor
    FROM other.runs WHERE result_number = :theirs AND position >= :count
"""
_TAKE_DOCUMENT = """
    UPDATE main.documents SET body = (SELECT body FROM other.documents WHERE result_number = :theirs)
    WHERE result_number = :mine
"""
_TAKE_COLUMNS = with_columns("""
    UPDATE main.results SET ({columns}) = (SELECT {columns} FROM other.results WHERE number = :theirs)
    WHERE number = :mine
""")
# Labels that cannot be had here: another subject has the label, or the subject has another label.
_TAKEN_LABELS = """
    SELECT subject, label FROM other.labels AS theirs
    WHERE NOT EXISTS (SELECT 1 FROM main.labels AS mine
        WHERE mine.label = theirs.label AND mine.subject = theirs.subject)
    AND EXISTS (SELECT 1 FROM main.labels AS mine WHERE mine.label = theirs.label OR mine.subject = theirs.subject)
    ORDER BY label
"""
_ADD_TAG = "INSERT OR IGNORE INTO main.tags (subject, tag) VALUES (?, ?)"
_ADD_ANNOTATIONS = (
    "INSERT OR IGNORE INTO main.labels (subject, label) SELECT subject, label FROM other.labels",
    "INSERT OR IGNORE INTO main.notes (subject, note) SELECT subject, note FROM other.notes ORDER BY number",
    "INSERT OR IGNORE INTO main.tags (subject, tag) SELECT subject, tag FROM other.tags",
)
_ADD_EXPERIMENTS = """
    INSERT OR IGNORE INTO main.experiments (id, name, created_at, body)
    SELECT id, name, created_at, body FROM other.experiments
"""
_ADD_DIAGNOSES = """
    INSERT OR IGNORE INTO main.diagnoses (
        id, created_at, command, place, tool, action, layer, says, is_whole, rate_bytes_per_s, run_count, text, body)
    SELECT
        id, created_at, command, place, tool, action, layer, says, is_whole, rate_bytes_per_s, run_count, text, body
    FROM other.diagnoses ORDER BY number
"""
_MISSING = """
    SELECT name FROM main.sqlite_master WHERE name NOT LIKE 'sqlite_%'
    EXCEPT SELECT name FROM other.sqlite_master
"""
_BESIDE_FILES = ("", "-wal", "-journal")


@contextmanager
def private_copy(path: str) -> Iterator[str]:
    """A copy of the store's file, of this version, in a folder that goes away; StoreProblem for anything else."""
    _tidy(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        copy = os.path.join(folder, "other.db")
        _copy(path, copy)
        with told(path):
            connection = sqlite3.connect(copy, isolation_level=None)
            try:
                _check(connection, path)
            finally:
                connection.close()
        yield copy


def _tidy(folder: str) -> None:
    """Remove the copies that killed merges of this user have left; what cannot be removed stays to the system."""
    long_ago = time.time() - _LEFT_AFTER_S
    user = os.geteuid() if hasattr(os, "geteuid") else None
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(_PREFIX) or not entry.is_dir(follow_symlinks=False):
                continue
            info = entry.stat(follow_symlinks=False)
            if info.st_mtime < long_ago and user in (None, info.st_uid):
                shutil.rmtree(entry.path, ignore_errors=True)


def merge(connection: sqlite3.Connection) -> Merged:
    """Bring in everything of the database that is attached as `other`; within a transaction of the caller."""
    if missing := connection.execute(_MISSING).fetchone():
        raise StoreProblem(f"the other store has no {missing[0]}: it is damaged, take another copy of it")
    last_known = connection.execute("SELECT coalesce(max(number), 0) FROM main.results").fetchone()[0]
    added_count = connection.execute(_ADD_RESULTS).rowcount
    connection.execute(_ADD_DOCUMENTS)
    extended_count, differing_count = _add_runs(connection, last_known)
    diagnosis_count = connection.execute(_ADD_DIAGNOSES).rowcount
    taken = connection.execute(_TAKEN_LABELS).fetchall()
    connection.executemany(_ADD_TAG, taken)
    for statement in _ADD_ANNOTATIONS:
        connection.execute(statement)
    experiment_count = connection.execute(_ADD_EXPERIMENTS).rowcount
    write_texts_of_other(connection)
    total = connection.execute("SELECT count(*) FROM other.results").fetchone()[0]
    labels = tuple(label for _, label in taken)
    known_count = total - added_count
    return Merged(added_count, known_count, extended_count, differing_count, experiment_count, labels, diagnosis_count)


def _add_runs(connection: sqlite3.Connection, last_known: int) -> tuple[int, int]:
    """Add the runs that are only there; how many known results got some, and how many have other runs there."""
    beside = connection.execute(_BESIDE).fetchall()
    differing_count = sum(other_count > 0 for *_, other_count in beside)
    longer = [
        {"mine": mine, "theirs": theirs, "count": here}
        for mine, theirs, here, there, other_count in beside
        if there > here and not other_count
    ]
    extended = [each for each in longer if each["mine"] <= last_known]
    connection.executemany(_ADD_RUNS, longer)
    connection.executemany(_TAKE_DOCUMENT, extended)
    connection.executemany(_TAKE_COLUMNS, extended)
    return len(extended), differing_count


def _copy(path: str, copy: str) -> None:
    try:
        before = _state(path)
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise StoreProblem(f"{shown(path)} is no store of graycard's: name the file of one")
        for ending in _BESIDE_FILES:
            if os.path.exists(path + ending):
                shutil.copyfile(path + ending, copy + ending)
        after = _state(path)
    except OSError as error:
        raise StoreProblem(
            f"The store {shown(path)} cannot be copied ({error.strerror}): check the file and the space "
            f"in {shown(tempfile.gettempdir())}"
        ) from error
    if before != after:
        raise StoreProblem(f"Another program is using the store {shown(path)}: try again when that has finished")


def _state(path: str) -> list[tuple[str, int, int]]:
    """What changes when another program writes into the store meanwhile."""
    found = [(ending, os.stat(path + ending)) for ending in _BESIDE_FILES if os.path.exists(path + ending)]
    return [(ending, status.st_size, status.st_mtime_ns) for ending, status in found]


def _check(connection: sqlite3.Connection, path: str) -> None:
    """Bring the copy up to date; told as a problem of the file at `path`."""
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreProblem(f"{shown(path)} is no store of graycard's: name the file of one")
    fault = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise StoreProblem(f"The store {shown(path)} is damaged ({fault.splitlines()[-1]}): take another copy of it")
    prepare(connection, path)
