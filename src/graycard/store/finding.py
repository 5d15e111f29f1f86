"""Finding results: by a label or the beginning of an id, and by words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from graycard.errors import StoreProblem
from graycard.store.derived import folded
from graycard.store.rows import ResultRow, row, storable, with_columns

ROWS = with_columns("SELECT {row} FROM results")
NEWEST_FIRST = "ORDER BY created_at DESC, number DESC"
# Four, to name three of several and know that there are more.
_EVERY = """
    SELECT id, measurement_id,
        coalesce((SELECT task_index FROM runs WHERE result_number = number AND position = 0), 0)
    FROM results ORDER BY created_at, number
"""
_RESULTS_ALIKE = "SELECT id FROM results WHERE id >= ? AND id < ? ORDER BY id LIMIT 4"
_MEASUREMENTS_ALIKE = """
    SELECT DISTINCT measurement_id FROM results WHERE measurement_id >= ? AND measurement_id < ?
    ORDER BY measurement_id LIMIT 4
"""
_DIAGNOSES_ALIKE = "SELECT id FROM diagnoses WHERE id >= ? AND id < ? ORDER BY id LIMIT 4"
_IS_DIAGNOSIS = "SELECT 1 FROM diagnoses WHERE id = ?"
_ALIKE_ELSEWHERE = "SELECT 1 FROM results WHERE id >= ? AND id < ? AND measurement_id != ? LIMIT 1"
_LABELLED = "SELECT subject FROM labels WHERE label = ?"
_OF_SUBJECT = "WHERE measurement_id = ?1 OR id = ?1"
# First which ones, by their texts and moments, then all columns of those that are shown.
_WITH_WORDS = with_columns("""
    SELECT {row} FROM results WHERE number IN (
        SELECT number FROM texts CROSS JOIN results ON number = result_number WHERE {terms}
        ORDER BY created_at DESC, number DESC LIMIT ?)
    ORDER BY created_at DESC, number DESC
""")
_LAST_CHARACTER = "\U0010ffff"
_SHOWN_COUNT = 3


def result_id(connection: sqlite3.Connection, prefix: str, store: str) -> str:
    """The whole id of the only result whose id begins with `prefix`; `store` names the store where there is none."""
    text = storable(prefix)
    ids = _alike(connection, _RESULTS_ALIKE, text)
    if text in ids or (len(ids) == 1 and text):
        return text if text in ids else ids[0]
    if not ids or not text:
        raise StoreProblem(f"The store {store} has no result “{text}”: graycard results list shows them")
    raise StoreProblem(f"Several results begin with “{text}” ({_some(ids)}): write more letters")


def subject(connection: sqlite3.Connection, name: str) -> str:
    """The whole id of the measurement, result or diagnosis that a user means: by its label, or the beginning of its id.

    A measurement goes before its own results, whose ids may begin with its own.
    """
    text = storable(name)
    labelled = connection.execute(_LABELLED, (text,)).fetchone()
    if labelled:
        return str(labelled[0])
    measurements = _alike(connection, _MEASUREMENTS_ALIKE, text)
    diagnoses = _alike(connection, _DIAGNOSES_ALIKE, text)
    found = list(dict.fromkeys([*measurements, *_alike(connection, _RESULTS_ALIKE, text), *diagnoses]))
    if text and text in found:
        return text
    if not found or not text:
        raise StoreProblem(
            f"no stored result or measurement begins with “{text}” or is labelled so, and no diagnosis; "
            "graycard results list shows them"
        )
    alone = len(measurements) == 1 and not diagnoses
    if alone and not connection.execute(_ALIKE_ELSEWHERE, (*_range(text), measurements[0])).fetchone():
        return measurements[0]
    if len(found) > 1:
        raise StoreProblem(f"“{text}” is the beginning of several ids ({_some(found)}); write more letters")
    return found[0]


def is_diagnosis(connection: sqlite3.Connection, found: str) -> bool:
    """Whether the subject with this whole id is a diagnosis."""
    return connection.execute(_IS_DIAGNOSIS, (found,)).fetchone() is not None


def rows_of(connection: sqlite3.Connection, found: str) -> tuple[ResultRow, ...]:
    """The results of the measurement, or the result, with this whole id; the newest first."""
    return tuple(map(row, connection.execute(f"{ROWS} {_OF_SUBJECT} {NEWEST_FIRST}", (found,))))


def every(connection: sqlite3.Connection) -> Iterator[tuple[str, str, int]]:
    """Of each result, the oldest first: its id, that of its measurement, and which task of its plan it is."""
    yield from connection.execute(_EVERY)


def with_words(connection: sqlite3.Connection, words: Iterable[str], limit: int | None) -> tuple[ResultRow, ...]:
    """The newest results whose text has all the words, in capitals or not; a part of a word is enough."""
    wanted = folded(storable(" ".join(words))).split()
    terms = " AND ".join("instr(text, ?) > 0" for _ in wanted) or "TRUE"
    query = _WITH_WORDS.replace("{terms}", terms)
    return tuple(map(row, connection.execute(query, (*wanted, -1 if limit is None else limit))))


def _alike(connection: sqlite3.Connection, query: str, text: str) -> list[str]:
    return [found for (found,) in connection.execute(query, _range(text))]


def _range(text: str) -> tuple[str, str]:
    return text, text + _LAST_CHARACTER


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:_SHOWN_COUNT]) + (", …" if len(ids) > _SHOWN_COUNT else "")
