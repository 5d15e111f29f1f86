"""The store of results: one SQLite file. Only this room knows SQL.

A result is saved again after each of its runs: its document is replaced, its new runs are added, and a stored run is
never touched. Whoever looks, or kills the process, in between finds whole runs.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from types import TracebackType

import msgspec

from graycard.codec import decode, encode
from graycard.errors import StoreProblem
from graycard.model import Result
from graycard.store import runs
from graycard.store.database import connect, shown, told, transaction
from graycard.store.place import VARIABLE, default_path
from graycard.store.rows import Filter, ResultRow, columns, conditions, row, task_key

__all__ = ["VARIABLE", "Filter", "ResultRow", "Store", "default_path", "task_key"]

_SAVE_RESULT = """
    INSERT INTO results (
        id, measurement_id, created_at, tool, target_path, file_system, file_system_id, device_id, task_label, task_key,
        rate_bytes_per_s, rate_low_bytes_per_s, rate_high_bytes_per_s, run_count, verdict)
    VALUES (
        :id, :measurement_id, :created_at, :tool, :target_path, :file_system, :file_system_id, :device_id, :task_label,
        :task_key, :rate_bytes_per_s, :rate_low_bytes_per_s, :rate_high_bytes_per_s, :run_count, :verdict)
    ON CONFLICT (id) DO UPDATE SET
        measurement_id = excluded.measurement_id, created_at = excluded.created_at, tool = excluded.tool,
        target_path = excluded.target_path, file_system = excluded.file_system,
        file_system_id = excluded.file_system_id, device_id = excluded.device_id, task_label = excluded.task_label,
        task_key = excluded.task_key, rate_bytes_per_s = excluded.rate_bytes_per_s,
        rate_low_bytes_per_s = excluded.rate_low_bytes_per_s, rate_high_bytes_per_s = excluded.rate_high_bytes_per_s,
        run_count = max(run_count, excluded.run_count), verdict = excluded.verdict
"""
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
_RUNS = "SELECT body, ticks, latency, flush_latency, monitor FROM runs WHERE result_number = ? ORDER BY position"
_TASK_INDEX = "SELECT task_index FROM runs JOIN results ON results.number = result_number WHERE id = ? AND position = 0"
_ROWS = """
    SELECT
        id, measurement_id, created_at, tool, target_path, file_system, file_system_id, device_id, task_label, task_key,
        rate_bytes_per_s, rate_low_bytes_per_s, rate_high_bytes_per_s, run_count, verdict
    FROM results
"""
_NEWEST_FIRST = "ORDER BY created_at DESC, number DESC LIMIT :limit"
# Four, to name three of several and know that there are more.
_ALIKE = "SELECT id FROM results WHERE id >= ? AND id < ? ORDER BY id LIMIT 4"
_LAST_CHARACTER = "\U0010ffff"
_FAULT = "this is a fault of graycard, please report it"
_UNREADABLE = "update graycard if a newer one wrote it, else remove it"


class Store:
    """An open store, to be used in a `with` block. Every method raises StoreProblem in one sentence.

    `patience_ms` is how long to wait for another process that is writing.
    """

    def __init__(self, path: str, *, patience_ms: int = 10_000) -> None:
        self.path = os.path.abspath(path)
        self._connection = connect(self.path, patience_ms)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the store cannot be used after that."""
        with told(self.path):
            self._connection.close()

    def save(self, result: Result) -> None:
        """Keep everything of the result; on return it is on the disk. Stored runs stay as they are, new ones are added.

        `result.runs` begins with the runs saved before (fewer is fine: nothing is taken away), else StoreProblem.
        """
        with _understood(f"Result {result.id} cannot be stored", _FAULT):
            body = encode(replace(result, runs=()))
            # What was read back, with the codec's escapes, is what lists must show.
            kept = replace(decode(body, Result), runs=result.runs)
        with self._transaction("IMMEDIATE") as connection:
            connection.execute(_SAVE_RESULT, columns(kept))
            number = connection.execute("SELECT number FROM results WHERE id = ?", (kept.id,)).fetchone()[0]
            connection.execute(_SAVE_DOCUMENT, {"number": number, "body": body.decode()})
            self._add_runs(connection, number, kept)

    def load(self, prefix: str) -> Result:
        """The result whose id is `prefix`, or the only one whose id begins with it."""
        with self._transaction("DEFERRED") as connection:
            return self._result(connection, self._id(connection, prefix))

    def outline(self, prefix: str) -> Result:
        """As `load`, without the runs."""
        with self._transaction("DEFERRED") as connection:
            return self._document(connection, self._id(connection, prefix))[1]

    def task_index(self, id_: str) -> int | None:
        """Which task of its plan the result with this whole id is; None before its first run, or without it."""
        with told(self.path):
            found = self._connection.execute(_TASK_INDEX, (_escaped(id_),)).fetchone()
        return int(found[0]) if found else None

    def resolve(self, prefix: str) -> str:
        """The whole id of the only result whose id begins with `prefix`."""
        with self._transaction("DEFERRED") as connection:
            return self._id(connection, prefix)

    def rows(self, limit: int | None = None, wanted: Filter | None = None) -> tuple[ResultRow, ...]:
        """The newest results first, without their documents and runs; at most `limit`."""
        clause, parameters = conditions(wanted or Filter())
        query = f"{_ROWS} {clause} {_NEWEST_FIRST}"
        with told(self.path):
            found = self._connection.execute(query, {**parameters, "limit": -1 if limit is None else limit})
            return tuple(row(values) for values in found)

    def remove(self, ids: Iterable[str]) -> int:
        """Delete these results (whole ids) with their runs, all or none; how many there were."""
        with self._transaction("IMMEDIATE") as connection:
            return sum(connection.execute("DELETE FROM results WHERE id = ?", (_escaped(i),)).rowcount for i in ids)

    def _add_runs(self, connection: sqlite3.Connection, number: int, result: Result) -> None:
        stored: list[runs.Key] = connection.execute(_STORED_RUNS, (number,)).fetchall()
        for position, (run, known) in enumerate(zip(result.runs, stored, strict=False)):
            if runs.key(run) != known:
                raise StoreProblem(
                    f"Run {position} of result {result.id} is stored in {shown(self.path)} already and is another one: "
                    "a run is never altered, so save the new runs as a new result"
                )
        for position in range(len(stored), len(result.runs)):
            with _understood(f"Run {position} of result {result.id} cannot be stored", _FAULT):
                values = runs.values(result.runs[position])
            connection.execute(_SAVE_RUN, {"number": number, "position": position, **values})

    def _document(self, connection: sqlite3.Connection, found: str) -> tuple[int, Result]:
        """The number of the result with this whole id, and the result without its runs."""
        query = "SELECT number, body FROM results JOIN documents ON result_number = number WHERE id = ?"
        number, body = connection.execute(query, (found,)).fetchone()
        with self._readable(found):
            return number, decode(body.encode(), Result)

    def _result(self, connection: sqlite3.Connection, found: str) -> Result:
        number, outline = self._document(connection, found)
        rows = connection.execute(_RUNS, (number,)).fetchall()
        with self._readable(found):
            return replace(outline, runs=tuple(runs.run(*values) for values in rows))

    def _readable(self, found: str) -> AbstractContextManager[None]:
        return _understood(f"Result {found} in {shown(self.path)} cannot be read", _UNREADABLE)

    def _id(self, connection: sqlite3.Connection, prefix: str) -> str:
        text = _escaped(prefix)
        ids = [found for (found,) in connection.execute(_ALIKE, (text, text + _LAST_CHARACTER))]
        if text in ids or (len(ids) == 1 and text):
            return text if text in ids else str(ids[0])
        if not ids or not text:
            raise StoreProblem(f"The store {shown(self.path)} has no result “{text}”: graycard results list shows them")
        more = ", …" if len(ids) > 3 else ""
        raise StoreProblem(f"Several results begin with “{text}” ({', '.join(ids[:3])}{more}): write more letters")

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        with told(self.path), transaction(self._connection, kind):
            yield self._connection


@contextmanager
def _understood(what: str, next_step: str) -> Iterator[None]:
    """Turns what the codec and the blobs raise for values that do not fit the nouns into StoreProblem."""
    try:
        yield
    except (msgspec.MsgspecError, zlib.error, ValueError, TypeError) as error:
        raise StoreProblem(f"{what} ({error}): {next_step}") from error


def _escaped(text: str) -> str:
    return decode(encode(text), str)
