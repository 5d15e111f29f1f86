"""The newest results of each load on each drive or share: what histories are made of, however many are stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from graycard.model import Verdict
from graycard.store.finding import NEWEST_FIRST, ROWS
from graycard.store.rows import VERDICTS, ResultRow, row, storable

# The condition is word by word that of the index, for a partial index is taken for nothing else; it must be named,
# because SQLite believes that few results have no experiment.
_HISTORY = """
    FROM results INDEXED BY results_by_history
    WHERE place_id IS NOT NULL AND rate_bytes_per_s IS NOT NULL AND experiment_id IS NULL
"""
# From one load to the next, so that 100,000 results of 300 loads take 300 steps. Two statements, because SQLite looks
# for (place_id, task_key) > (?, ?) through all entries of the load that it is to leave.
_NEXT_LOAD = f"SELECT place_id, task_key {_HISTORY} AND place_id = ? AND task_key > ? ORDER BY task_key LIMIT 1"
_NEXT_PLACE = f"SELECT place_id {_HISTORY} AND place_id > ? ORDER BY place_id LIMIT 1"
_OF_LOAD = f"""
    SELECT number, setup_key, id, measurement_id, created_at, verdict,
        rate_bytes_per_s, rate_low_bytes_per_s, rate_high_bytes_per_s
    {_HISTORY} AND place_id = ? AND task_key = ? {NEWEST_FIRST} LIMIT ?
"""
_LIKE = f"{ROWS} WHERE number = ?"


class PastRow(NamedTuple):
    """A result in a history: its own figures, and a row that is `like` it in all that its set-up and its task tell.

    That row is shared, and its figures and times are those of another result.
    """

    id: str
    measurement_id: str
    created_at: datetime
    verdict: Verdict | None
    rate_bytes_per_s: float
    rate_low_bytes_per_s: float | None
    rate_high_bytes_per_s: float | None
    like: ResultRow


_MAKE_ROW: Callable[..., PastRow] = PastRow


def newest(connection: sqlite3.Connection, count: int, places: Collection[str] | None) -> Iterator[PastRow]:
    """The newest `count` results of each load on each of these drives and shares, or on all; load by load."""
    wanted = _places(connection) if places is None else sorted({storable(place) for place in places})
    known: dict[int, ResultRow] = {}
    for load in (load for place in wanted for load in _loads(connection, place)):
        for number, setup_key, *own in connection.execute(_OF_LOAD, (*load, count)):
            if setup_key not in known:
                known[setup_key] = row(connection.execute(_LIKE, (number,)).fetchone())
            yield _past(own, known[setup_key])


def _places(connection: sqlite3.Connection) -> Iterator[str]:
    place = ""
    while following := connection.execute(_NEXT_PLACE, (place,)).fetchone():
        place = following[0]
        yield place


def _loads(connection: sqlite3.Connection, place: str) -> Iterator[tuple[str, str]]:
    load = (place, "")
    while following := connection.execute(_NEXT_LOAD, load).fetchone():
        load = following
        yield load


def _past(own: list[Any], like: ResultRow) -> PastRow:
    id_, measurement_id, created_at, verdict, *rates = own
    return _MAKE_ROW(id_, measurement_id, datetime.fromisoformat(created_at), VERDICTS[verdict], *rates, like)
