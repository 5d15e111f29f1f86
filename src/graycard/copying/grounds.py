"""The run's own folder at the far end, under every address by which the same storage is reached."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graycard.copying.removal import CLOSED_S, FAILED_S, PATIENCE_S, Removals, removed
from graycard.copying.servers import far_folder
from graycard.errors import Problem, RunProblem, TargetProblem
from graycard.model.copying import Place, Scheme
from graycard.scratch import Elsewhere, Scratch, elsewhere

TREE = "copies"


class FarGround(NamedTuple):
    """The run's folder at a place."""

    place: Place
    names: Elsewhere

    @property
    def tree(self) -> str:
        """Where copies go: a path below the place."""
        return f"{self.names.name}/{self.names.tree}"

    def remove(self, name: str, by: Place) -> None:
        """Remove a copy in the tree that came by that place, which reaches the same folder; RunProblem, TargetProblem.

        A mount may not see what came by another way until its cache of names is old.
        """
        place = self.place if by.scheme is Scheme.NFS else by
        if place.scheme is Scheme.PATH:
            _remove(os.path.join(place.path, self.tree, name))
        else:
            far_folder(place, self.names).remove(name)


@contextlib.contextmanager
def far_ground(place: Place, removals: Removals, others: Sequence[Place] = ()) -> Iterator[FarGround]:
    """A new folder at `place`, which may be reached by `others`, too.

    On leaving the folder goes with all that is in it. Should that not come about (kill -9, a network that is gone), its
    marker lets `graycard clean` remove it where it is mounted. TargetProblem where it cannot be made; RunProblem (phase
    "cleanup") where it cannot be removed, or a note on what ended the run.
    """
    if place.scheme is Scheme.PATH:
        with _mounted_ground(place, removals, others) as names:
            yield FarGround(place, names)
        return
    if place.scheme is Scheme.NFS:
        raise TargetProblem(
            f"{place.shown} cannot be the destination by itself: NFS without a mount makes no folder; name the mount, "
            "or the same folder by ssh, and give this one with --via"
        )
    names = elsewhere()
    far_folder(place, names).make()
    with _removed(place.below(names.name), removals):
        yield FarGround(place, names)


@contextlib.contextmanager
def _mounted_ground(place: Place, removals: Removals, others: Sequence[Place]) -> Iterator[Elsewhere]:
    """Where the mount cannot remove it, as it does not see all that is in it, it is removed by another way."""
    ways = [other for other in others if other.scheme in (Scheme.SSH, Scheme.SMB)]
    name = ""
    try:
        with near_ground(place.path, removals, CLOSED_S, ways) as scratch:
            scratch.make_tree(TREE)
            name = os.path.basename(scratch.path)
            yield Elsewhere(name, scratch.marker)
    except RunProblem as problem:
        if problem.phase != "cleanup" or all(removed(way.below(name), FAILED_S, must_be_there=True) for way in ways):
            raise


@contextlib.contextmanager
def near_ground(path: str, removals: Removals, after_s: float = 0.0, ways: Sequence[Place] = ()) -> Iterator[Scratch]:
    """A folder of this computer's, or of a mount; where the run ends early a program removes it after that time.

    And others by the other `ways` to the same place.
    """
    with Scratch(path) as scratch:
        try:
            with removals.owning(Place(Scheme.PATH, scratch.path)):
                yield scratch
        except (KeyboardInterrupt, Problem):
            if removals.begin(Place(Scheme.PATH, scratch.path), after_s) is None:
                scratch.release()
            for way in ways:
                removals.begin(way.below(os.path.basename(scratch.path)), must_be_there=True)
            raise


@contextlib.contextmanager
def _removed(folder: Place, removals: Removals) -> Iterator[None]:
    """Remove the folder at a server on leaving, whatever ended the run."""
    try:
        with removals.owning(folder):
            yield
    except BaseException as error:
        why_not = removals.begin(folder)
        if why_not is not None:
            error.add_note(why_not)
        raise
    says = removed(folder, PATIENCE_S)
    if says is not None:
        raise RunProblem(says, errno=None, offset_bytes=None, phase="cleanup")


def _remove(path: str) -> None:
    try:
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
    except OSError as error:
        says = f"{path} cannot be removed ({error.strerror})"
        raise RunProblem(says, errno=error.errno, offset_bytes=None, phase="cleanup") from error
