"""Folders that runs have left behind, after kill -9 or a power cut; removed only where that is proven safe."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace

from graycard.errors import Problem, TargetProblem
from graycard.scratch.names import MARKER, id_of, is_test_file
from graycard.scratch.owner import Owner, State, decode, state, this_user
from graycard.scratch.place import OpenFolder
from graycard.scratch.trouble import shown

MOST_MARKER_BYTES = 65536
_EMPTY = "a run is just making or removing it, or was killed at that moment; remove it by hand if it stays."


@dataclass(frozen=True, slots=True)
class Leftover:
    """A folder with a name that graycard gives. `state` is None where no valid marker lies in it.

    `why_kept` says in one sentence why it may not be removed, or is None. `size_bytes` counts graycard's files.
    """

    path: str
    id: str
    state: State | None
    size_bytes: int
    why_kept: str | None


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What `clean` did: paths removed, and what it left with the reasons."""

    removed_bytes: int
    removed: tuple[str, ...]
    kept: tuple[Leftover, ...]


def leftovers(folder: str) -> tuple[Leftover, ...]:
    """All folders of graycard's directly below the absolute path `folder`. TargetProblem if it cannot be read."""
    with _opened(folder) as parent:
        return _all(parent, remove=False)


def clean(folder: str) -> Cleaned:
    """Remove what dead runs left directly below `folder`; everything else is kept and told, with the reason.

    TargetProblem if the folder cannot be read.
    """
    with _opened(folder) as parent:
        done = _all(parent, remove=True)
    removed = tuple(each for each in done if each.why_kept is None)
    kept = tuple(each for each in done if each.why_kept is not None)
    return Cleaned(sum(each.size_bytes for each in removed), tuple(each.path for each in removed), kept)


def _opened(folder: str) -> OpenFolder:
    try:
        return OpenFolder.open(folder)
    except OSError as error:
        raise _unreadable(error, folder) from error


def _unreadable(error: OSError, folder: str) -> Problem:
    return TargetProblem(f"{shown(folder)} cannot be read ({error.strerror}); check the path and its permission.")


def _all(parent: OpenFolder, *, remove: bool) -> tuple[Leftover, ...]:
    try:
        names = [name for name in parent.names() if id_of(name)]
    except OSError as error:
        raise _unreadable(error, parent.path) from error
    visited = (_visited(parent, name, remove=remove) for name in names)
    return tuple(each for each in visited if each is not None)


def _visited(parent: OpenFolder, name: str, *, remove: bool) -> Leftover | None:
    """Judge a folder, and empty it through the same open folder if it may be removed; None if it has just gone."""
    unknown = Leftover(_path(parent, name), id_of(name) or "", None, 0, None)
    try:
        with parent.child(name) as inner:
            found = _judged(parent, name, inner)
            if remove and found.why_kept is None:
                _empty(inner)
        if remove and found.why_kept is None:
            parent.remove_folder(name)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return replace(unknown, why_kept=f"{shown(unknown.path)} is no folder, so graycard did not make it.")
    except OSError as error:
        return replace(unknown, why_kept=f"{shown(unknown.path)} cannot be read or removed ({error.strerror}).")
    return found


def _path(parent: OpenFolder, name: str) -> str:
    return os.path.join(parent.path, name)


def _judged(parent: OpenFolder, name: str, inner: OpenFolder) -> Leftover:
    path, folder_id, names = _path(parent, name), id_of(name) or "", inner.names()
    if not names:
        return Leftover(path, folder_id, None, 0, f"{shown(path)} is empty: {_EMPTY}")
    content = inner.read(MARKER, MOST_MARKER_BYTES) if MARKER in names else None
    owner = decode(content, folder_id) if content else None
    foreign = [each for each in names if not _is_ours(inner, each)]
    size = sum(inner.info(each).st_size for each in names if each not in foreign)
    runs = state(owner) if owner else None
    why = _why_kept(path, owner, runs, parent.info(name).st_uid, foreign)
    return Leftover(path, folder_id, runs, size, why)


def _is_ours(inner: OpenFolder, name: str) -> bool:
    return (name == MARKER or is_test_file(name)) and stat.S_ISREG(inner.info(name).st_mode)


def _why_kept(path: str, owner: Owner | None, runs: State | None, folder_user: int, foreign: list[str]) -> str | None:
    place = shown(path)
    if owner is None:
        return f"{place} holds no valid marker that graycard made it; remove it by hand if you do not need it."
    if runs is State.ALIVE:
        return f"{place} is in use by the running process {owner.pid}."
    if runs is State.ELSEWHERE:
        return f"{place} was made on another computer, where it may be in use; run “graycard clean” there."
    if owner.user != this_user() or owner.folder_user not in (None, folder_user):
        return f"{place} belongs to another user (number {owner.user}), who can remove it."
    if foreign:
        return f"{place} holds files that graycard did not make ({shown(foreign[0])}); move them away first."
    return None


def _empty(inner: OpenFolder) -> None:
    """Remove graycard's files, the marker last: a stop in between leaves a folder that still proves its owner."""
    for name in inner.names():
        if is_test_file(name):
            inner.remove_file(name)
    inner.remove_file(MARKER)
