"""The store of results: one SQLite file. Only this room knows SQL.

A result is saved again after each of its runs: its document is replaced, its new runs are added, and a stored run is
never touched. Whoever looks, or kills the process, in between finds whole runs.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import TypeVar

from graycard.codec import decode, encode
from graycard.errors import StoreProblem
from graycard.model import Annotations, Result, Run
from graycard.model.diagnosis import Case
from graycard.store import annotating, diagnoses, experiments, finding, recent, runs
from graycard.store.annotating import Annotated
from graycard.store.database import connect, shown, silent, told, transaction
from graycard.store.diagnoses import DiagnosisRow
from graycard.store.experiments import ExperimentRow
from graycard.store.keeping import FAULT, keep, keep_new
from graycard.store.merged import Merged
from graycard.store.place import VARIABLE, default_path
from graycard.store.recent import PastRow
from graycard.store.rows import Filter, ResultRow, conditions, row, storable, task_key
from graycard.store.understood import understood

__all__ = [
    "VARIABLE",
    "Annotated",
    "DiagnosisRow",
    "ExperimentRow",
    "Filter",
    "Merged",
    "PastRow",
    "ResultRow",
    "Store",
    "default_path",
    "task_key",
]

_RUNS = "SELECT {columns} FROM runs WHERE result_number = ? ORDER BY position"
_WHOLE = "body, ticks, latency, flush_latency, monitor"
_TASK_INDEX = "SELECT task_index FROM runs JOIN results ON results.number = result_number WHERE id = ? AND position = 0"
_IS_STORED = "SELECT 1 FROM results WHERE id = ?"
_REMOVE = ("DELETE FROM results WHERE id = ?", "DELETE FROM diagnoses WHERE id = ?")
_Made = TypeVar("_Made")
_UNREADABLE = "update graycard if a newer one wrote it, else remove it"


class Store:
    """An open store, to be used in a `with` block. Every method raises StoreProblem in one sentence.

    `patience_ms` is how long to wait for another process that is writing. `on_upgrade` is told a sentence before a
    store of an older version is brought up to date, where that takes seconds or longer.
    """

    def __init__(self, path: str, *, patience_ms: int = 10_000, on_upgrade: Callable[[str], None] = silent) -> None:
        self.path = os.path.abspath(path)
        self._connection = connect(self.path, patience_ms, on_upgrade)

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
        prepared = _prepared(result)
        with self._transaction("IMMEDIATE") as connection:
            keep(connection, *prepared, shown(self.path))

    def add(self, results: Sequence[Result]) -> frozenset[str]:
        """Keep the results whose id is not stored yet, all or none; leave the others alone. Gives the new ids."""
        prepared = [_prepared(result) for result in results]
        added: set[str] = set()
        with self._transaction("IMMEDIATE") as connection:
            for kept, body in prepared:
                if connection.execute(_IS_STORED, (kept.id,)).fetchone() is None:
                    keep_new(connection, kept, body)
                    added.add(kept.id)
        return frozenset(added)

    def knows(self, id_: str) -> bool:
        """Whether a result with this whole id is stored."""
        with told(self.path):
            return self._connection.execute(_IS_STORED, (storable(id_),)).fetchone() is not None

    def load(self, prefix: str) -> Result:
        """The result whose id is `prefix`, or the only one whose id begins with it."""
        return self._loaded(prefix, _WHOLE, runs.run)

    def figures(self, prefix: str) -> Result:
        """As `load`, but of each run only what was counted: without ticks, buckets of latencies and monitor series.

        These are nearly all of a result, and neither lists nor comparisons look at them.
        """
        return self._loaded(prefix, "body", runs.figures)

    def latencies(self, prefix: str) -> Result:
        """As `figures`, with the buckets of latencies."""
        return self._loaded(prefix, "body, latency, flush_latency", runs.with_latencies)

    def text(self, prefix: str) -> bytes:
        """As `load`, but as JSON: what `codec.encode` makes of it."""
        outline, found = self._parts(prefix, _WHOLE, runs.text)
        return encode(outline).replace(b'"runs":[]', b'"runs":[' + b",".join(found) + b"]")

    def outline(self, prefix: str) -> Result:
        """As `load`, without the runs."""
        with self._transaction("DEFERRED") as connection:
            return self._document(connection, finding.result_id(connection, prefix, shown(self.path)))[1]

    def task_index(self, id_: str) -> int | None:
        """Which task of its plan the result with this whole id is; None before its first run, or without it."""
        with told(self.path):
            found = self._connection.execute(_TASK_INDEX, (storable(id_),)).fetchone()
        return int(found[0]) if found else None

    def every(self) -> tuple[tuple[str, str, int], ...]:
        """Of all results, the oldest first: id, id of the measurement, and which task of its plan it is (else 0)."""
        with told(self.path):
            return tuple(finding.every(self._connection))

    def resolve(self, prefix: str) -> str:
        """The whole id of the only result whose id begins with `prefix`."""
        with self._transaction("DEFERRED") as connection:
            return finding.result_id(connection, prefix, shown(self.path))

    def rows(self, limit: int | None = None, wanted: Filter | None = None) -> tuple[ResultRow, ...]:
        """The newest results first, without their documents and runs; at most `limit`."""
        clause, parameters = conditions(wanted or Filter())
        query = f"{finding.ROWS} {clause} {finding.NEWEST_FIRST} LIMIT :limit"
        with told(self.path):
            found = self._connection.execute(query, {**parameters, "limit": -1 if limit is None else limit})
            return tuple(row(values) for values in found)

    def recent(self, count: int, places: Collection[str] | None = None) -> tuple[PastRow, ...]:
        """The newest `count` results of each load on each drive, load by load; on shares where no drive is known.

        Only on these `places`, ids of devices or file systems, if given. Results of experiments are left out, and those
        without a rate.
        """
        with self._transaction("DEFERRED") as connection:
            return tuple(recent.newest(connection, count, places))

    def labelled(self, label: str) -> tuple[ResultRow, ...]:
        """The result, or all results of the measurement, with this label; the newest first."""
        return self.rows(wanted=Filter(label=label))

    def named(self, name: str) -> tuple[ResultRow, ...]:
        """The results that a user means by a label, or by the beginning of the id of a measurement or result.

        The newest first; StoreProblem where there is none, where more than one are meant, or a diagnosis.
        """
        with self._transaction("DEFERRED") as connection:
            found = finding.subject(connection, name)
            if finding.is_diagnosis(connection, found):
                raise StoreProblem(
                    f"“{storable(name)}” is a diagnosis, not a result of a measurement: graycard results show shows it"
                )
            return finding.rows_of(connection, found)

    def search(self, words: Iterable[str], limit: int | None = None) -> tuple[ResultRow, ...]:
        """The newest results with all these words in what names them and what is written beside them.

        That is labels, notes, tags, path, device model, file system, task, tool, configuration and ids. Capitals do not
        matter, and a part of a word is enough.
        """
        with told(self.path):
            return finding.with_words(self._connection, words, limit)

    def annotate(
        self, name: str, *, label: str | None = None, note: str | None = None, tags: Iterable[str] = ()
    ) -> Annotated:
        """Write beside the measurement or result that `name` means (see `named`); what is there already stays.

        A label names one measurement or result: it is taken from the one that had it, and replaces another label.
        """
        with self._transaction("IMMEDIATE") as connection:
            return annotating.annotate(connection, finding.subject(connection, name), label, note, tags)

    def remove_annotations(
        self, name: str, *, label: bool = False, notes: bool = False, tags: Iterable[str] = ()
    ) -> int:
        """Take the label, all notes, or these tags away from what `name` means; how many there were."""
        with self._transaction("IMMEDIATE") as connection:
            subject = finding.subject(connection, name)
            return annotating.remove(connection, subject, label=label, notes=notes, tags=tags)

    def annotations(self, ids: Iterable[str]) -> dict[str, Annotations]:
        """What is written beside the measurements and results with these whole ids, for those that have something."""
        with self._transaction("DEFERRED") as connection:
            found = {id_: annotating.read(connection, storable(id_)) for id_ in ids}
        return {id_: each for id_, each in found.items() if each}

    def merge(self, other_path: str) -> Merged:
        """Bring in what the store at `other_path` has and this one has not, all or nothing. The other is only read."""
        # Copying files is what no other command needs.
        from graycard.store import merging

        if os.path.exists(other_path) and os.path.samefile(other_path, self.path):
            raise StoreProblem(f"{shown(other_path)} is this store itself: name another one")
        with merging.private_copy(os.path.abspath(other_path)) as copy, told(self.path):
            self._connection.execute("ATTACH DATABASE ? AS other", (copy,))
            try:
                with self._transaction("IMMEDIATE") as connection:
                    return merging.merge(connection)
            finally:
                self._connection.execute("DETACH DATABASE other")

    def save_diagnosis(self, case: Case) -> None:
        """Keep it in place of the one with this id, if there is one; on return it is on the disk."""
        with (
            understood(f"Diagnosis {case.id} cannot be stored", FAULT),
            self._transaction("IMMEDIATE") as connection,
        ):
            diagnoses.save(connection, case)

    def diagnosis_id(self, name: str) -> str | None:
        """The whole id of the diagnosis that a user means by a label or the beginning of its id; None for results.

        StoreProblem where nothing is meant, or several things.
        """
        with self._transaction("DEFERRED") as connection:
            found = finding.subject(connection, name)
            return found if finding.is_diagnosis(connection, found) else None

    def diagnosis(self, id_: str) -> Case | None:
        """The diagnosis with this whole id."""
        with told(self.path), understood(f"Diagnosis {id_} in {shown(self.path)} cannot be read", _UNREADABLE):
            return diagnoses.load(self._connection, storable(id_))

    def diagnosis_rows(
        self, limit: int | None = None, *, label: str | None = None, tag: str | None = None, words: Iterable[str] = ()
    ) -> tuple[DiagnosisRow, ...]:
        """The newest diagnoses without what they were made of; those that `rows` and `search` would find so."""
        with told(self.path):
            return diagnoses.rows(self._connection, limit, label, tag, words)

    def save_experiment(self, id_: str, name: str, created_at: datetime, body: bytes) -> None:
        """Keep the record of an experiment in place of the one with this id, if there is one."""
        with self._transaction("IMMEDIATE") as connection:
            experiments.save(connection, id_, name, created_at, body)

    def experiment(self, name: str) -> bytes:
        """The body of the only experiment whose id is or begins with `name`, or which is named so."""
        with self._transaction("DEFERRED") as connection:
            return experiments.named(connection, name).body

    def experiments(self) -> tuple[ExperimentRow, ...]:
        """All experiments, the newest first."""
        with told(self.path):
            return experiments.every(self._connection)

    def remove_experiment(self, id_: str) -> bool:
        """Forget the record with this whole id; its results stay. Whether there was one."""
        with self._transaction("IMMEDIATE") as connection:
            return connection.execute("DELETE FROM experiments WHERE id = ?", (storable(id_),)).rowcount > 0

    def remove(self, ids: Iterable[str]) -> int:
        """Delete these results (with their runs) and diagnoses (whole ids), all or none; how many there were."""
        with self._transaction("IMMEDIATE") as connection:
            return sum(connection.execute(statement, (storable(id_),)).rowcount for id_ in ids for statement in _REMOVE)

    def _document(self, connection: sqlite3.Connection, found: str) -> tuple[int, Result]:
        """The number of the result with this whole id, and the result without its runs."""
        query = "SELECT number, body FROM results JOIN documents ON result_number = number WHERE id = ?"
        number, body = connection.execute(query, (found,)).fetchone()
        with self._readable(found):
            return number, decode(body.encode(), Result)

    def _loaded(self, prefix: str, names: str, make: Callable[..., Run]) -> Result:
        outline, found = self._parts(prefix, names, make)
        return replace(outline, runs=tuple(found))

    def _parts(self, prefix: str, names: str, make: Callable[..., _Made]) -> tuple[Result, list[_Made]]:
        """The result without its runs, and what is made of these columns of each run."""
        with self._transaction("DEFERRED") as connection:
            found = finding.result_id(connection, prefix, shown(self.path))
            number, outline = self._document(connection, found)
            rows = connection.execute(_RUNS.format(columns=names), (number,)).fetchall()
        with self._readable(found):
            return outline, [make(*values) for values in rows]

    def _readable(self, found: str) -> AbstractContextManager[None]:
        return understood(f"Result {found} in {shown(self.path)} cannot be read", _UNREADABLE)

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        with told(self.path), transaction(self._connection, kind):
            yield self._connection


def _prepared(result: Result) -> tuple[Result, bytes]:
    """The result as it will be read back, with the codec's escapes, for lists must show that; and its document."""
    with understood(f"Result {result.id} cannot be stored", FAULT):
        body = encode(replace(result, runs=()))
        return replace(decode(body, Result), runs=result.runs), body
