"""What is made of the documents and can be made anew: the columns of results, and the texts that the search reads."""

from __future__ import annotations

import sqlite3
import unicodedata

import msgspec

from graycard.codec import decode
from graycard.model import Result
from graycard.store.rows import columns, for_history, with_columns

# The last version of the store whose migration brought columns that only the documents can fill.
_DOCUMENTS_VERSION = 2
# The first one with the columns that histories find results by; what came after it is empty at first.
_HISTORY_VERSION = 3
_SHARED = with_columns("SELECT number, {shared} FROM results WHERE number > ? ORDER BY number LIMIT ?")
_AT_ONCE = 1000
_FOR_HISTORY = "UPDATE results SET place_id = :place_id, setup_key = :setup_key WHERE number = :number"
_EVERY_DOCUMENT = "SELECT result_number, body FROM documents"
# Version 2 had another name for paced tasks.
_OF_PACED = "WHERE task_key LIKE '% frames/s of %'"
_PACED_DOCUMENTS = """
    SELECT result_number, body FROM documents
    WHERE result_number IN (SELECT number FROM results WHERE task_key LIKE '% frames/s of %')
"""
_UPDATE = with_columns("UPDATE results SET {changes} WHERE number = :number")
_TEXTS = """
    INSERT OR REPLACE INTO main.texts (result_number, text)
    SELECT number, folded(
        id, measurement_id, target_path, task_label, tool, file_system, device_model, configuration,
        (SELECT group_concat(label, char(10)) FROM main.labels WHERE subject IN (id, measurement_id)),
        (SELECT group_concat(note, char(10)) FROM main.notes WHERE subject IN (id, measurement_id)),
        (SELECT group_concat(tag, char(10)) FROM main.tags WHERE subject IN (id, measurement_id)))
    FROM main.results
"""
_DIAGNOSIS_TEXTS = """
    UPDATE main.diagnoses SET text = folded(
        id, command, place, tool, layer, says,
        (SELECT label FROM main.labels WHERE subject = id),
        (SELECT group_concat(note, char(10)) FROM main.notes WHERE subject = id),
        (SELECT group_concat(tag, char(10)) FROM main.tags WHERE subject = id))
"""
_OF_NUMBER = "WHERE number = ?"
_OF_SUBJECT = "WHERE measurement_id = ?1 OR id = ?1"
_OF_OTHER = "WHERE id IN (SELECT id FROM other.results)"
_OF_ID = "WHERE id = ?"
_OTHER_DIAGNOSES = "WHERE id IN (SELECT id FROM other.diagnoses)"


def folded(*texts: str | None) -> str:
    """The texts as lines, without the difference of capital letters, or of one character written in two ways."""
    lines = "\n".join(text for text in texts if text)
    # Again after folding: some folded characters are of the other way (Unicode Standard, section 3.13, D146).
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", lines).casefold())


def make_functions(connection: sqlite3.Connection) -> None:
    """Let the statements of this file be used on the connection."""
    connection.create_function("folded", -1, folded, deterministic=True)


def write_text(connection: sqlite3.Connection, number: int) -> None:
    """Make anew what the search reads of the result with this number."""
    connection.execute(f"{_TEXTS} {_OF_NUMBER}", (number,))


def write_texts_of(connection: sqlite3.Connection, subject: str) -> None:
    """Make anew what the search reads of the result, the results of the measurement, or the diagnosis, with this id."""
    connection.execute(f"{_TEXTS} {_OF_SUBJECT}", (subject,))
    write_text_of_diagnosis(connection, subject)


def write_text_of_diagnosis(connection: sqlite3.Connection, id_: str) -> None:
    """Make anew what the search reads of the diagnosis with this id."""
    connection.execute(f"{_DIAGNOSIS_TEXTS} {_OF_ID}", (id_,))


def write_texts_of_other(connection: sqlite3.Connection) -> None:
    """Make anew what the search reads of the results and diagnoses that the attached store `other` has, too."""
    connection.execute(f"{_TEXTS} {_OF_OTHER}")
    connection.execute(f"{_DIAGNOSIS_TEXTS} {_OTHER_DIAGNOSES}")


def catch_up(connection: sqlite3.Connection, version: int) -> None:
    """Fill what migrations from this version on have added."""
    if version < _DOCUMENTS_VERSION:
        _write_columns(connection, _EVERY_DOCUMENT)
        connection.execute(_TEXTS)
    elif version < _HISTORY_VERSION:
        _write_columns(connection, _PACED_DOCUMENTS)
        connection.execute(f"{_TEXTS} {_OF_PACED}")
        _write_for_history(connection)


def seconds(version: int, results_count: int) -> float:
    """How long `catch_up` takes for so many results, roughly: as measured on a virtual machine of 2026."""
    if version >= _HISTORY_VERSION:
        return 0.0
    return results_count * (1e-3 if version < _DOCUMENTS_VERSION else 6e-5)


def _write_for_history(connection: sqlite3.Connection) -> None:
    """Make anew what histories find results by, out of the columns beside it."""
    last = -1
    while rows := connection.execute(_SHARED, (last, _AT_ONCE)).fetchall():
        connection.executemany(
            _FOR_HISTORY, [{"number": number, **for_history(tuple(shared))} for number, *shared in rows]
        )
        last = rows[-1][0]


def _write_columns(connection: sqlite3.Connection, documents: str) -> None:
    """Make the columns of these results anew, out of their documents.

    A document that cannot be read keeps the columns that it has: who loads that result is told.
    """
    for number, body in connection.execute(documents):
        try:
            values = columns(decode(body.encode(), Result))
        except msgspec.MsgspecError:
            continue
        connection.execute(_UPDATE, {**values, "number": number})
