"""Which measurements run now: two at once on one volume disturb each other, and each result should say so.

Every run leaves a small entry in a folder of this user's, outside the measured volume. Runs of other users are found
only where they use the same target folder.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from graycard.errors import TargetProblem
from graycard.scratch.leftover import MOST_MARKER_BYTES, leftovers
from graycard.scratch.names import new_id
from graycard.scratch.owner import Owner, State, decode, encode, state, this_owner, this_user
from graycard.scratch.place import OpenFolder


def registry_folder() -> str | None:
    """The folder of entries, made if needed; None where there is none that is this user's alone."""
    user = this_user()
    try:
        path = os.path.join(tempfile.gettempdir(), "graycard" if user is None else f"graycard-{user}")
        os.makedirs(path, mode=0o700, exist_ok=True)
        info = os.lstat(path)
    except OSError:
        return None
    return path if stat.S_ISDIR(info.st_mode) and user in (None, info.st_uid) else None


def announce(path: str, owner: Owner, registry: str | None = None) -> str | None:
    """Enter a run that uses the volume of `path`; the entry for `withdraw`, or None where none could be made.

    A missing entry only means that other runs cannot see this one: no reason to refuse a measurement.
    """
    folder = registry or registry_folder()
    if folder is None:
        return None
    try:
        name = _entry_name(os.stat(path).st_dev, owner.id)
        with OpenFolder.open(folder) as entries:
            entries.create(name, encode(owner))
    except OSError:
        return None
    return os.path.join(folder, name)


def withdraw(entry: str | None) -> None:
    """Remove an entry."""
    if entry is None:
        return
    try:
        os.unlink(entry)
    except OSError:
        return  # it names a process that is about to end: whoever reads it next removes it


@contextmanager
def present(path: str, registry: str | None = None) -> Iterator[str]:
    """Announce a run that makes no folder (reading an existing file); gives its id."""
    owner = this_owner(new_id())
    entry = announce(path, owner, registry)
    try:
        yield owner.id
    finally:
        withdraw(entry)


def others_running(path: str, own_id: str | None = None, registry: str | None = None) -> int | None:
    """Other measurements under way on the volume of `path`; None where that cannot be known.

    Counts this user's runs on the whole volume, and anyone's runs in the same folder.
    """
    ids = _alive_in(path if os.path.isdir(path) else os.path.dirname(path))
    entered = _alive_entries(path, registry or registry_folder())
    others = (ids | (entered or set())) - {own_id}
    return len(others) if others or entered is not None else None


def _alive_in(folder: str) -> set[str]:
    try:
        return {each.id for each in leftovers(folder) if each.state is State.ALIVE}
    except TargetProblem:
        return set()


def _alive_entries(path: str, registry: str | None) -> set[str] | None:
    if registry is None:
        return None
    try:
        prefix = _entry_name(os.stat(path).st_dev, "")
        with OpenFolder.open(registry) as entries:
            names = [name for name in entries.names() if name.startswith(prefix)]
            return {name.removeprefix(prefix) for name in names if _is_alive(entries, name, name.removeprefix(prefix))}
    except OSError:
        return None


def _is_alive(entries: OpenFolder, name: str, folder_id: str) -> bool:
    """Whether the entry's process runs; an entry of a dead one is removed."""
    try:
        content = entries.read(name, MOST_MARKER_BYTES)
    except FileNotFoundError:
        return False
    owner = decode(content, folder_id) if content else None
    runs = state(owner) if owner else None
    if runs is State.DEAD:
        entries.remove_file(name)
    return runs is State.ALIVE


def _entry_name(volume_number: int, folder_id: str) -> str:
    return f"{volume_number:x}-{folder_id}"
