"""Which measurements run now: two at once on one volume disturb each other, and each result should say so.

Every run leaves a small entry in a folder of this user's, outside the measured volume. Runs of other users are found
only where they use the same target folder.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from graycard.errors import TargetProblem
from graycard.scratch.leftover import Leftover, leftovers
from graycard.scratch.names import new_id
from graycard.scratch.owner import State, is_running, this_process, this_user

# An entry is an empty file: its name says all, so that no kill can leave half of it.
_ENTRY = re.compile(r"(?P<volume>[0-9a-f]+)-(?P<id>[0-9a-f]+)-(?P<pid>[0-9]+)-(?P<began>[0-9]+\.[0-9]+)")


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


def announce(path: str, run_id: str, registry: str | None = None) -> str | None:
    """Enter a run that uses the volume of `path`; the entry for `withdraw`, or None where none could be made.

    A missing entry only means that other runs cannot see this one: no reason to refuse a measurement.
    """
    folder = registry or registry_folder()
    if folder is None:
        return None
    pid, began_s = this_process()
    try:
        entry = os.path.join(folder, f"{_volume_of(path)}-{run_id}-{pid}-{began_s:.2f}")
        os.close(os.open(entry, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        return None
    return entry


def withdraw(entry: str | None) -> None:
    """Remove an entry."""
    if entry is None:
        return
    try:
        os.unlink(entry)
    except OSError:
        return  # gone already, or whoever reads it after the end of this process removes it


@contextmanager
def present(path: str, registry: str | None = None) -> Iterator[str]:
    """Announce a run that makes no folder (reading an existing file); gives its id."""
    run_id = new_id()
    entry = announce(path, run_id, registry)
    try:
        yield run_id
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
        return {each.id for each in leftovers(folder) if each.state is State.ALIVE and not _own_images(each)}
    except TargetProblem:
        return set()


def _own_images(found: Leftover) -> bool:
    """Whether it holds the images of the very experiment that asks: they lie still while it measures elsewhere."""
    return found.experiment_id is not None and found.pid == os.getpid()


def _alive_entries(path: str, registry: str | None) -> set[str] | None:
    if registry is None:
        return None
    try:
        volume = _volume_of(path)
        entries = [match for match in map(_ENTRY.fullmatch, os.listdir(registry)) if match]
    except OSError:
        return None
    # Those of other volumes are looked at, too: of a dead process nobody else may ever ask.
    return {match["id"] for match in entries if _is_alive(match, registry) and match["volume"] == volume}


def _is_alive(entry: re.Match[str], registry: str) -> bool:
    """Whether the entry's process runs; an entry of a dead one is removed."""
    if is_running(int(entry["pid"]), float(entry["began"])):
        return True
    withdraw(os.path.join(registry, entry[0]))
    return False


def _volume_of(path: str) -> str:
    return f"{os.stat(path).st_dev:x}"
