"""What is made of the documents and can be made anew: the columns of results, and the texts that the search reads."""

from __future__ import annotations

import sqlite3
import unicodedata

import msgspec

from graycard.codec import decode
from graycard.model import Result
from graycard.store.rows import columns, with_columns

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
_OF_NUMBER = "WHERE number = ?"
_OF_SUBJECT = "WHERE measurement_id = ?1 OR id = ?1"
_OF_OTHER = "WHERE id IN (SELECT id FROM other.results)"


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
    """Make anew what the search reads of the result, or of the results of the measurement, with this id."""
    connection.execute(f"{_TEXTS} {_OF_SUBJECT}", (subject,))


def write_texts_of_other(connection: sqlite3.Connection) -> None:
    """Make anew what the search reads of the results that the attached store `other` has, too."""
    connection.execute(f"{_TEXTS} {_OF_OTHER}")


def write_all(connection: sqlite3.Connection) -> None:
    """Make everything anew, after a migration.

    A document that cannot be read keeps the columns that it has: who loads that result is told.
    """
    for number, body in connection.execute("SELECT result_number, body FROM documents"):
        try:
            values = columns(decode(body.encode(), Result))
        except msgspec.MsgspecError:
            continue
        connection.execute(_UPDATE, {**values, "number": number})
    connection.execute(_TEXTS)
