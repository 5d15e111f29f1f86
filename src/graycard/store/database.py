"""Opening the store's file, bringing it up to date, and telling SQLite's errors in a sentence."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graycard.errors import StoreProblem
from graycard.model import Target, TargetKind
from graycard.store import derived

# "gray" in ASCII: tells the store from other programs' databases (PRAGMA application_id).
APPLICATION_ID = 0x67726179
# The version of the store that this graycard writes: how many migrations there are.
VERSION = 4

# Whoever waits so long wants to know for what.
_LONG_S = 2.0
_ELSEWHERE = "or name another file with --store or GRAYCARD_STORE"

# What to say of an SQLite result code, without its extension (https://www.sqlite.org/rescode.html).
_SAYINGS = {
    "SQLITE_NOTADB": f"{{path}} is no store of graycard's: move it away, {_ELSEWHERE}",
    "SQLITE_CORRUPT": "The store {path} is damaged ({error}): restore it from a backup, or move it away to start anew",
    "SQLITE_BUSY": "Another program is using the store {path}: try again when that has finished",
    "SQLITE_LOCKED": "Another program is using the store {path}: try again when that has finished",
    "SQLITE_READONLY": f"The store {{path}} is read-only: make it and its folder writable, {_ELSEWHERE}",
    "SQLITE_FULL": f"No space is left for the store {{path}}: free some, {_ELSEWHERE}",
    "SQLITE_CANTOPEN": f"The store {{path}} cannot be opened: check that it is a file you may write to, {_ELSEWHERE}",
    "SQLITE_PERM": f"The store {{path}} cannot be opened: check that it is a file you may write to, {_ELSEWHERE}",
    "SQLITE_IOERR": f"The disk of the store {{path}} failed ({{error}}): check that disk, {_ELSEWHERE}",
}
_OTHERWISE = f"The store {{path}} could not be used ({{error}}): check the file, {_ELSEWHERE}"


def shown(path: str) -> str:
    """The path as one printable line."""
    return Target(path, TargetKind.FILE).shown


def silent(_sentence: str) -> None:
    """Tell nobody."""


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turns SQLite's errors into StoreProblem."""
    try:
        yield
    except sqlite3.Error as error:
        code = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
        raise StoreProblem(_SAYINGS.get(code, _OTHERWISE).format(path=shown(path), error=error)) from error


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """All or nothing. `kind` IMMEDIATE to write (waits its turn at once), DEFERRED to read one state of the store."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def connect(path: str, patience_ms: int, on_upgrade: Callable[[str], None]) -> sqlite3.Connection:
    """The open, up-to-date store; StoreProblem when it cannot be had. A missing file and its folder are made.

    `on_upgrade` is told a sentence before a store of an older version is brought up to date, where that takes long.
    """
    _make_folder(path)
    with told(path):
        connection = sqlite3.connect(path, timeout=patience_ms / 1000, isolation_level=None)
        try:
            prepare(connection, path, on_upgrade)
        except BaseException:
            connection.close()
            raise
    return connection


def _make_folder(path: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise StoreProblem(
            f"The folder of the store {shown(path)} cannot be made ({reason}): make it, {_ELSEWHERE}"
        ) from error


def prepare(connection: sqlite3.Connection, path: str, on_upgrade: Callable[[str], None] = silent) -> None:
    """Set up the connection and bring its store up to date; `path` is how it is called where that cannot be done."""
    _refuse_others(connection, path)
    # Readers and one writer at once, and a killed process leaves whole transactions.
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    # FULL, not NORMAL: whoever tests drives crashes machines, and a run that was saved must survive a power cut.
    # The price, one flush a run, is paid between runs.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    # At most 32 MB: a history comes to the same pages again for each task, and the usual 2 MB have lost them by then.
    connection.execute("PRAGMA cache_size = -32000")
    derived.make_functions(connection)
    if pragma(connection, "user_version") < VERSION:
        _migrate(connection, path, on_upgrade)


def _refuse_others(connection: sqlite3.Connection, path: str) -> None:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreProblem(f"{shown(path)} is a database of another program: {_ELSEWHERE[3:]}")
    version, known = pragma(connection, "user_version"), VERSION
    if version > known:
        raise StoreProblem(
            f"The store {shown(path)} was written by a newer graycard (version {version} of the store, "
            f"this one knows {known}): update graycard, {_ELSEWHERE}"
        )


def _migrate(connection: sqlite3.Connection, path: str, on_upgrade: Callable[[str], None]) -> None:
    """All missing migrations in one transaction: the store is of the old version or of the new one."""
    with transaction(connection, "IMMEDIATE"):
        done = pragma(connection, "user_version")
        if done and done < VERSION:
            _tell_of_upgrade(connection, path, done, on_upgrade)
        for text in migrations()[done:]:
            for statement in statements(text):
                connection.execute(statement)
        if done:
            derived.catch_up(connection, done)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _tell_of_upgrade(
    connection: sqlite3.Connection, path: str, version: int, on_upgrade: Callable[[str], None]
) -> None:
    count = connection.execute("SELECT count(*) FROM results").fetchone()[0]
    took_s = derived.seconds(version, count)
    if took_s >= _LONG_S:
        about = f"{took_s:.0f} s" if took_s < 90 else f"{took_s / 60:.0f} min"
        on_upgrade(
            f"The store {shown(path)} was written by an older graycard: bringing its {count:,} results up to date "
            f"takes about {about}, once. Stopping that changes nothing."
        )


def migrations() -> tuple[str, ...]:
    """The text of each migration, in order of the numbers in their file names: 0001_results.sql first."""
    # Every command opens the store, and nearly none has to bring it up to date.
    from importlib import resources

    folder = resources.files("graycard") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple(file.read_text(encoding="utf-8") for file in files)


def statements(text: str) -> Iterator[str]:
    """The statements one by one: sqlite3's executescript would commit in between."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """The value of a pragma that is a whole number."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
