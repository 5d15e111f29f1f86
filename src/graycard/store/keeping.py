"""Writing a result: its row and document, what the search reads of it, and those of its runs that are new."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import cast

from graycard.errors import StoreProblem
from graycard.model import Result, Run
from graycard.store import runs
from graycard.store.derived import write_text
from graycard.store.rows import columns, with_columns
from graycard.store.understood import understood

FAULT = "this is a fault of graycard, please report it"
_SAVE_RESULT = with_columns("""
    INSERT INTO results ({columns}) VALUES ({values})
    ON CONFLICT (id) DO UPDATE SET run_count = max(run_count, excluded.run_count), {taken}
""")
_SAVE_DOCUMENT = """
    INSERT INTO documents (result_number, body) VALUES (:number, :body)
    ON CONFLICT (result_number) DO UPDATE SET body = excluded.body
"""
_SAVE_RUN = """
    INSERT INTO runs (
        result_number, position, task_index, repeat_index, started_at, body, ticks, latency, flush_latency, monitor)
    VALUES (
        :number, :position, :task_index, :repeat_index, :started_at, :body, :ticks, :latency, :flush_latency, :monitor)
"""
_STORED_RUNS = "SELECT task_index, repeat_index, started_at FROM runs WHERE result_number = ? ORDER BY position"
_NUMBER = "SELECT number FROM results WHERE id = ?"


def keep(connection: sqlite3.Connection, result: Result, body: bytes, place: str) -> None:
    """Keep the result, whose document is `body`, in the store at `place`; StoreProblem where a stored run is another.

    Stored runs stay as they are, and new ones are added.
    """
    connection.execute(_SAVE_RESULT, columns(result))
    (number,) = connection.execute(_NUMBER, (result.id,)).fetchone()
    _write(connection, number, body)
    stored: list[runs.Key] = connection.execute(_STORED_RUNS, (number,)).fetchall()
    for position, (run, known) in enumerate(zip(result.runs, stored, strict=False)):
        if runs.key(run) != known:
            raise StoreProblem(
                f"Run {position} of result {result.id} is stored in {place} already and is another one: "
                "a run is never altered, so save the new runs as a new result"
            )
    _add(connection, number, result, result.runs[len(stored) :], len(stored))


def keep_new(connection: sqlite3.Connection, result: Result, body: bytes) -> None:
    """As `keep`, of a result whose id is not stored: nothing has to be asked for."""
    # None is only there before a row was inserted.
    number = cast("int", connection.execute(_SAVE_RESULT, columns(result)).lastrowid)
    _write(connection, number, body)
    _add(connection, number, result, result.runs, 0)


def _write(connection: sqlite3.Connection, number: int, body: bytes) -> None:
    connection.execute(_SAVE_DOCUMENT, {"number": number, "body": body.decode()})
    write_text(connection, number)


def _add(connection: sqlite3.Connection, number: int, result: Result, new: Sequence[Run], first: int) -> None:
    for position, run in enumerate(new, first):
        with understood(f"Run {position} of result {result.id} cannot be stored", FAULT):
            values = runs.values(run)
        connection.execute(_SAVE_RUN, {"number": number, "position": position, **values})
