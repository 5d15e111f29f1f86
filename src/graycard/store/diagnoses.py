"""Diagnoses: their rows, and their documents as compressed JSON (timelines of half a minute take about 30 kB)."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from graycard.codec import decode, encode
from graycard.model.diagnosis import Case
from graycard.store.derived import folded, write_text_of_diagnosis
from graycard.store.rows import stamp, storable


class DiagnosisRow(NamedTuple):
    """A diagnosis without what it was made of; `rate_bytes_per_s` is that of the copy, None where it is not known."""

    id: str
    created_at: datetime
    command: str
    place: str
    tool: str
    action: str
    layer: str
    says: str
    is_whole: bool
    rate_bytes_per_s: float | None
    run_count: int | None


_MAKE_ROW: Callable[..., DiagnosisRow] = DiagnosisRow
_SAVE = """
    INSERT INTO diagnoses (
        id, created_at, command, place, tool, action, layer, says, is_whole, rate_bytes_per_s, run_count, body)
    VALUES (
        :id, :created_at, :command, :place, :tool, :action, :layer, :says, :is_whole, :rate_bytes_per_s, :run_count,
        :body)
    ON CONFLICT (id) DO UPDATE SET
        created_at = excluded.created_at, command = excluded.command, place = excluded.place, tool = excluded.tool,
        action = excluded.action, layer = excluded.layer, says = excluded.says, is_whole = excluded.is_whole,
        rate_bytes_per_s = excluded.rate_bytes_per_s, run_count = excluded.run_count, body = excluded.body
"""
# In the order of DiagnosisRow.
_ROWS = """
    SELECT id, created_at, command, place, tool, action, layer, says, is_whole, rate_bytes_per_s, run_count
    FROM diagnoses
"""
_NEWEST_FIRST = "ORDER BY created_at DESC, number DESC LIMIT ?"
_WITH_LABEL = "id IN (SELECT subject FROM labels WHERE label = ?)"
_WITH_TAG = "id IN (SELECT subject FROM tags WHERE tag = ?)"
_WITH_WORD = "instr(text, ?) > 0"


def save(connection: sqlite3.Connection, case: Case) -> None:
    """Keep it in place of the one with this id, if there is one. msgspec.MsgspecError where it could not be read back.

    The columns are of the document as it will be read back, with the codec's escapes.
    """
    body = encode(case)
    connection.execute(_SAVE, {**_columns(decode(body, Case)), "body": zlib.compress(body)})
    write_text_of_diagnosis(connection, storable(case.id))


def load(connection: sqlite3.Connection, id_: str) -> Case | None:
    """The one with this whole id; zlib.error or msgspec.MsgspecError where it is damaged."""
    found = connection.execute("SELECT body FROM diagnoses WHERE id = ?", (id_,)).fetchone()
    return decode(zlib.decompress(found[0]), Case) if found else None


def rows(
    connection: sqlite3.Connection, limit: int | None, label: str | None, tag: str | None, words: Iterable[str]
) -> tuple[DiagnosisRow, ...]:
    """The newest first: with this label and tag, if given, and with all words in their text, in capitals or not."""
    given = [(_WITH_LABEL, label), (_WITH_TAG, tag)]
    used = [(condition, storable(value)) for condition, value in given if value is not None]
    used += [(_WITH_WORD, word) for word in folded(storable(" ".join(words))).split()]
    clause = " AND ".join(condition for condition, _ in used) or "TRUE"
    parameters = (*(value for _, value in used), -1 if limit is None else limit)
    return tuple(map(_row, connection.execute(f"{_ROWS} WHERE {clause} {_NEWEST_FIRST}", parameters)))


def _row(values: tuple[Any, ...]) -> DiagnosisRow:
    found = _MAKE_ROW(*values)
    return found._replace(created_at=datetime.fromisoformat(values[1]), is_whole=bool(found.is_whole))


def _columns(case: Case) -> dict[str, Any]:
    rate = case.rate
    return {
        "id": case.id,
        "created_at": stamp(case.created_at),
        "command": case.command,
        "place": case.place,
        "tool": case.diagnosis.tool,
        "action": case.diagnosis.action.value,
        "layer": case.diagnosis.layer.value,
        "says": case.diagnosis.says,
        "is_whole": case.is_whole,
        "rate_bytes_per_s": rate.value if rate else None,
        "run_count": rate.n_count if rate else None,
    }
