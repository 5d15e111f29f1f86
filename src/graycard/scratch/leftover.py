"""Folders that runs have left behind, after kill -9 or a power cut; removed only where that is proven safe."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, replace

from graycard.errors import Problem, TargetProblem
from graycard.protocols import VolumeMaker
from graycard.scratch import images
from graycard.scratch.names import MARKER, id_of, is_test_file, is_tree, mount_word
from graycard.scratch.owner import Owner, State, state, this_user
from graycard.scratch.place import OpenFolder
from graycard.scratch.trees import remove_tree, tree_bytes
from graycard.scratch.trouble import shown

_CLEAN = "“graycard clean”"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A folder with a name that graycard gives. `state` is None where no valid marker lies in it.

    An empty folder has no marker: a run was killed, or is at work, between making or removing the one and the other.
    It may be removed all the same, as there is nothing in it to lose, and whoever is just making it makes it again.

    `why_kept` says in one sentence why it may not be removed, or is None. `size_bytes` counts graycard's files.
    `pid` is the process that owns it; `experiment_id` is given for a folder of images.
    """

    path: str
    id: str
    state: State | None
    size_bytes: int
    why_kept: str | None
    pid: int | None = None
    experiment_id: str | None = None


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What `clean` did: paths removed, and what it left with the reasons."""

    removed_bytes: int
    removed: tuple[str, ...]
    kept: tuple[Leftover, ...]


def leftovers(folder: str) -> tuple[Leftover, ...]:
    """All folders of graycard's directly below the absolute path `folder`. TargetProblem if it cannot be read."""
    with opened(folder) as parent:
        return _all(parent, None, remove=False)


def clean(folder: str, maker: VolumeMaker | None = None) -> Cleaned:
    """Remove what dead runs left directly below `folder`; everything else is kept and told, with the reason.

    Images of an interrupted experiment are unmounted and removed only with a `maker`: without one they are kept for
    whoever resumes it. TargetProblem if the folder cannot be read.
    """
    with opened(folder) as parent:
        done = _all(parent, maker, remove=True)
    removed = tuple(each for each in done if each.why_kept is None)
    kept = tuple(each for each in done if each.why_kept is not None)
    return Cleaned(sum(each.size_bytes for each in removed), tuple(each.path for each in removed), kept)


def opened(folder: str) -> OpenFolder:
    """The folder held open; TargetProblem if it cannot be read."""
    try:
        return OpenFolder.open(folder)
    except OSError as error:
        raise _unreadable(error, folder) from error


def _unreadable(error: OSError, folder: str) -> Problem:
    return TargetProblem(f"{shown(folder)} cannot be read ({error.strerror}); check the path and its permission.")


def _all(parent: OpenFolder, maker: VolumeMaker | None, *, remove: bool) -> tuple[Leftover, ...]:
    try:
        names = [name for name in parent.names() if id_of(name)]
    except OSError as error:
        raise _unreadable(error, parent.path) from error
    visited = (_visited(parent, name, maker, remove=remove) for name in names)
    return tuple(each for each in visited if each is not None)


def _visited(parent: OpenFolder, name: str, maker: VolumeMaker | None, *, remove: bool) -> Leftover | None:
    """Judge a folder, and empty it through the same open folder if it may be removed; None if it has just gone.

    A folder that was found empty is not looked into again: should it have a marker by now, it cannot be removed.
    """
    found = Leftover(_path(parent, name), id_of(name) or "", None, 0, None)
    try:
        with parent.child(name) as inner:
            found = judged(parent, name, inner, maker)
            if remove and found.why_kept is None and found.state is not None:
                _empty(inner, found, maker)
        if remove and found.why_kept is None:
            parent.remove_folder(name)
    except FileNotFoundError:
        return None
    except FileExistsError:
        return replace(found, why_kept=f"{shown(found.path)} is just being taken over by another process.")
    except NotADirectoryError:
        return replace(found, why_kept=f"{shown(found.path)} is no folder, so graycard did not make it.")
    except OSError as error:
        if error.errno == errno.ENOTEMPTY and found.state is None:
            return replace(found, why_kept=f"{shown(found.path)} is in use: a run has just begun in it.")
        return replace(found, why_kept=f"{shown(found.path)} cannot be read or removed ({error.strerror}).")
    except Problem as problem:
        return replace(found, why_kept=str(problem))
    return found


def _path(parent: OpenFolder, name: str) -> str:
    return os.path.join(parent.path, name)


def judged(parent: OpenFolder, name: str, inner: OpenFolder, maker: VolumeMaker | None) -> Leftover:
    """The folder of that name, open as `inner`; `why_kept` is None only where all is proven or nothing is in it.

    OSError.
    """
    path, folder_id, names = _path(parent, name), id_of(name) or "", inner.names()
    if not names:
        return Leftover(path, folder_id, None, 0, None)
    owner = images.newest_owner(inner, names, folder_id)
    pid, experiment_id = (owner.pid, owner.experiment_id) if owner else (None, None)
    for_images = experiment_id is not None
    foreign = [each for each in names if not (images.is_part if for_images else _is_ours)(inner, each)]
    size = sum(_size(inner, each) for each in names if each not in foreign and mount_word(each) is None)
    runs = state(owner) if owner else None
    why = _why_kept(path, owner, runs, parent.info(name).st_uid, foreign)
    if why is None and for_images and maker is None:
        why = f"{shown(path)} holds the volumes of an interrupted experiment; resume it, or remove them by {_CLEAN}."
    return Leftover(path, folder_id, runs, size, why, pid, experiment_id)


def _size(inner: OpenFolder, name: str) -> int:
    return tree_bytes(inner, name) if is_tree(name) else inner.info(name).st_size


def _is_ours(inner: OpenFolder, name: str) -> bool:
    if is_tree(name):
        return stat.S_ISDIR(inner.info(name).st_mode)
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


def _empty(inner: OpenFolder, found: Leftover, maker: VolumeMaker | None) -> None:
    """Remove graycard's files, the marker last: a stop in between leaves a folder that still proves its owner."""
    if found.experiment_id is not None and maker is not None:
        images.take_over(inner, found.id)
        images.empty(inner, maker)
        return
    for name in inner.names():
        if is_test_file(name):
            inner.remove_file(name)
        elif is_tree(name):
            remove_tree(inner, name)
    inner.remove_file(MARKER)
