"""The newest results of each load on each drive: what histories are made of, however many results there are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from graycard.store.finding import NEWEST_FIRST, ROWS
from graycard.store.rows import ResultRow, row, storable

# The plus keeps SQLite from looking through all file systems for the few results without a device.
_LOADS = {
    "each device": "SELECT DISTINCT device_id, task_key FROM results WHERE device_id IS NOT NULL",
    "device": "SELECT DISTINCT device_id, task_key FROM results WHERE device_id = ?",
    "each file system": """
        SELECT DISTINCT file_system_id, task_key FROM results WHERE device_id IS NULL AND +file_system_id IS NOT NULL
    """,
    "file system": """
        SELECT DISTINCT file_system_id, task_key FROM results WHERE file_system_id = ? AND +device_id IS NULL
    """,
}
_OF_DEVICE = f"{ROWS} WHERE device_id = ? AND task_key = ? AND experiment_id IS NULL {NEWEST_FIRST} LIMIT ?"
_OF_FILE_SYSTEM = f"""
    {ROWS} WHERE file_system_id = ? AND task_key = ? AND device_id IS NULL AND experiment_id IS NULL
    {NEWEST_FIRST} LIMIT ?
"""


def of_devices(connection: sqlite3.Connection, count: int, device_id: str | None) -> Iterator[ResultRow]:
    """The newest `count` results of each load on this device, or on each."""
    loads = _loads(connection, "each device" if device_id is None else "device", device_id)
    return _newest(connection, _OF_DEVICE, loads, count)


def of_file_systems(connection: sqlite3.Connection, count: int, file_system_id: str | None) -> Iterator[ResultRow]:
    """The same for file systems on devices that are not known: shares, and drives without a serial number."""
    loads = _loads(connection, "each file system" if file_system_id is None else "file system", file_system_id)
    return _newest(connection, _OF_FILE_SYSTEM, loads, count)


def _loads(connection: sqlite3.Connection, name: str, wanted: str | None) -> list[tuple[str, str]]:
    return connection.execute(_LOADS[name], () if wanted is None else (storable(wanted),)).fetchall()


def _newest(
    connection: sqlite3.Connection, query: str, loads: list[tuple[str, str]], count: int
) -> Iterator[ResultRow]:
    for place, load in loads:
        yield from map(row, connection.execute(query, (place, load, count)))
