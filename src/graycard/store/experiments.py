"""The records of experiments: the store keeps them and does not look inside."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graycard.errors import StoreProblem
from graycard.store.rows import stamp, storable

_SAVE = """
    INSERT INTO experiments (id, name, created_at, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, created_at = excluded.created_at, body = excluded.body
"""
_ALL = "SELECT id, name, created_at, body FROM experiments"
_NAMED = f"{_ALL} WHERE id = ?1 OR name = ?1 OR (id >= ?1 AND id < ?1 || char(1114111)) ORDER BY id"


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """An experiment as it was saved last."""

    id: str
    name: str
    created_at: datetime
    body: bytes


_MAKE_ROW: Callable[..., ExperimentRow] = ExperimentRow


def save(connection: sqlite3.Connection, id_: str, name: str, created_at: datetime, body: bytes) -> None:
    """Keep the record in place of the one with this id, if there is one."""
    connection.execute(_SAVE, (storable(id_), storable(name), stamp(created_at), body))


def every(connection: sqlite3.Connection) -> tuple[ExperimentRow, ...]:
    """All records, the newest first."""
    return tuple(map(_row, connection.execute(f"{_ALL} ORDER BY created_at DESC, id")))


def named(connection: sqlite3.Connection, name: str) -> ExperimentRow:
    """The only experiment whose id is or begins with `name`, or which is named so."""
    text = storable(name)
    found = tuple(map(_row, connection.execute(_NAMED, (text,)))) if text else ()
    exact = [each for each in found if each.id == text]
    if len(found) == 1 or exact:
        return (exact or found)[0]
    if not found:
        raise StoreProblem(f"no stored experiment is named “{text}”, or has an id that begins so")
    some = ", ".join(each.id for each in found[:3]) + (", …" if len(found) > 3 else "")
    raise StoreProblem(f"several experiments are named “{text}” ({some}): write the beginning of one's id")


def _row(values: tuple[Any, ...]) -> ExperimentRow:
    id_, name, created_at, body = values
    return _MAKE_ROW(id_, name, datetime.fromisoformat(created_at), bytes(body))
