"""How a folder of images begins: made anew, or taken over from a process that has ended."""

from __future__ import annotations

import os

from graycard.errors import TargetProblem
from graycard.protocols import VolumeMaker
from graycard.scratch import images
from graycard.scratch.leftover import Leftover, judged
from graycard.scratch.names import MARKER, folder_name, id_of, new_id
from graycard.scratch.owner import State, encode, this_owner
from graycard.scratch.place import OpenFolder, made_despite_cleaners


def begun(parent: OpenFolder, experiment_id: str) -> OpenFolder:
    """A new folder of images in `parent`, owned by this process. OSError, after which nothing is left."""
    return made_despite_cleaners(lambda: _begun(parent, experiment_id))


def _begun(parent: OpenFolder, experiment_id: str) -> OpenFolder:
    folder_id = new_id()
    name = folder_name(folder_id)
    parent.make_folder(name)
    try:
        inner = parent.child(name)
        folder_user = parent.info(name).st_uid if hasattr(os, "geteuid") else None
        _mark(inner, encode(this_owner(folder_id, folder_user, experiment_id)))
    except BaseException:
        parent.remove_folder(name)
        raise
    return inner


def _mark(inner: OpenFolder, content: bytes) -> None:
    try:
        inner.create(MARKER, content)
    except BaseException:
        inner.remove_file(MARKER)
        inner.close()
        raise


def adopted(parent: OpenFolder, maker: VolumeMaker, experiment_id: str) -> OpenFolder | None:
    """The folder in `parent` that an earlier process, or an earlier part of this one, made for the same experiment.

    It is owned by this process now. None where there is none that may be taken over; TargetProblem where it is in use.
    OSError.
    """
    for name in parent.names():
        found = _seen(parent, name, maker) if id_of(name) else None
        if found is None or found.experiment_id != experiment_id:
            continue
        if found.state is State.ALIVE and found.pid != os.getpid():
            raise _runs(f"the process {found.pid}")
        if found.state is State.ALIVE:
            return parent.child(name)
        if found.why_kept is None:
            return _taken(parent, name, found)
    return None


def _seen(parent: OpenFolder, name: str, maker: VolumeMaker) -> Leftover | None:
    """None for what is no folder, may not be read, or has just gone."""
    try:
        with parent.child(name) as inner:
            return judged(parent, name, inner, maker)
    except OSError:
        return None


def _taken(parent: OpenFolder, name: str, found: Leftover) -> OpenFolder:
    inner = parent.child(name)
    try:
        images.take_over(inner, found.id)
    except FileExistsError as error:
        inner.close()
        raise _runs("another process") from error
    return inner


def _runs(where: str) -> TargetProblem:
    return TargetProblem(f"this experiment already runs in {where}; wait for it, or stop it first")
