"""Labels, notes and tags beside the stored results."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from graycard.errors import StoreProblem
from graycard.model import Annotations
from graycard.store.derived import write_texts_of
from graycard.store.rows import storable

# A label stands in tables and on the command line.
_MOST_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Annotated:
    """What was annotated: the whole id of a measurement or result, and which one had the label before, if any."""

    id: str
    moved_from: str | None = None


def read(connection: sqlite3.Connection, subject: str) -> Annotations | None:
    """What is written beside the measurement or result with this whole id, or None."""
    label = connection.execute("SELECT label FROM labels WHERE subject = ?", (subject,)).fetchone()
    notes = connection.execute("SELECT note FROM notes WHERE subject = ? ORDER BY number", (subject,)).fetchall()
    tags = connection.execute("SELECT tag FROM tags WHERE subject = ? ORDER BY tag", (subject,)).fetchall()
    if not (label or notes or tags):
        return None
    return Annotations(label[0] if label else None, tuple(note for (note,) in notes), tuple(tag for (tag,) in tags))


def annotate(
    connection: sqlite3.Connection, subject: str, label: str | None, note: str | None, tags: Iterable[str]
) -> Annotated:
    """Add to what is written beside the subject; a label that another has is taken from it."""
    moved_from = None if label is None else _label(connection, subject, _name(label, "label"))
    if note is not None:
        connection.execute("INSERT OR IGNORE INTO notes (subject, note) VALUES (?, ?)", (subject, _note(note)))
    for tag in tags:
        connection.execute("INSERT OR IGNORE INTO tags (subject, tag) VALUES (?, ?)", (subject, _name(tag, "tag")))
    write_texts_of(connection, subject)
    if moved_from:
        write_texts_of(connection, moved_from)
    return Annotated(subject, moved_from)


def remove(connection: sqlite3.Connection, subject: str, *, label: bool, notes: bool, tags: Iterable[str]) -> int:
    """Take these away from the subject; how many there were."""
    count = 0
    if label:
        count += connection.execute("DELETE FROM labels WHERE subject = ?", (subject,)).rowcount
    if notes:
        count += connection.execute("DELETE FROM notes WHERE subject = ?", (subject,)).rowcount
    for tag in tags:
        named = (subject, storable(tag).strip())
        count += connection.execute("DELETE FROM tags WHERE subject = ? AND tag = ?", named).rowcount
    write_texts_of(connection, subject)
    return count


def _label(connection: sqlite3.Connection, subject: str, label: str) -> str | None:
    held = connection.execute("SELECT subject FROM labels WHERE label = ?", (label,)).fetchone()
    connection.execute("DELETE FROM labels WHERE label = ? OR subject = ?", (label, subject))
    connection.execute("INSERT INTO labels (label, subject) VALUES (?, ?)", (label, subject))
    return str(held[0]) if held and held[0] != subject else None


def _name(text: str, kind: str) -> str:
    name = storable(text).strip()
    if not name or not name.isprintable() or len(name) > _MOST_CHARACTERS:
        raise StoreProblem(
            f"“{name[:_MOST_CHARACTERS]}” cannot be a {kind}: write 1 to {_MOST_CHARACTERS} printable characters"
        )
    return name


def _note(text: str) -> str:
    note = storable(text).strip()
    if not note:
        raise StoreProblem("the note is empty: write some words")
    return note
