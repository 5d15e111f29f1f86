"""The run's own folder at the far end, under every address by which the same storage is reached."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from shlex import quote
from typing import NamedTuple

from graycard.copying.removal import FAILED_S, PATIENCE_S, Removals, login, removed
from graycard.errors import Problem, RunProblem, TargetProblem
from graycard.model.copying import Place, Scheme
from graycard.scratch import Elsewhere, Scratch, elsewhere
from graycard.transfer.smbclient import backslashed
from graycard.transfer.ssh import at, ssh_options

TREE = "copies"
# Of 512 bytes, as find counts: 1 MiB.
LARGE_BLOCKS = 2048

Remove = Callable[[str], None]


class FarGround(NamedTuple):
    """The run's folder at a place, `tree` in it as the path below that place; `remove` removes a copy in the tree."""

    names: Elsewhere
    remove: Remove

    @property
    def tree(self) -> str:
        """Where copies go."""
        return f"{self.names.name}/{self.names.tree}"


@contextlib.contextmanager
def far_ground(place: Place, removals: Removals) -> Iterator[FarGround]:
    """A new folder at `place`.

    On leaving the folder goes with all that is in it. Should that not come about (kill -9, a network that is gone), its
    marker lets `graycard clean` remove it where it is mounted. TargetProblem where it cannot be made; RunProblem (phase
    "cleanup") where it cannot be removed, or a note on what ended the run.
    """
    if place.scheme is Scheme.PATH:
        with near_ground(place.path, removals) as scratch:
            tree = scratch.make_tree(TREE)
            names = Elsewhere(os.path.basename(scratch.path), scratch.marker)
            yield FarGround(names, lambda name: _remove(os.path.join(tree, name)))
        return
    if place.scheme is Scheme.NFS:
        raise TargetProblem(
            f"{place.shown} cannot be the destination by itself: NFS without a mount makes no folder; name the mount, "
            "or the same folder by ssh, and give this one with --via"
        )
    names = elsewhere()
    folder = place.below(names.name)
    remote = _Ssh(folder, names) if place.scheme is Scheme.SSH else _Smb(folder, names)
    remote.make()
    with _removed(folder, removals):
        yield FarGround(names, remote.remove)


@contextlib.contextmanager
def near_ground(path: str, removals: Removals) -> Iterator[Scratch]:
    """A folder of this computer's, or of a mount; where the run ends early a program removes it."""
    with Scratch(path) as scratch:
        try:
            yield scratch
        except (KeyboardInterrupt, Problem):
            if removals.begin(Place(Scheme.PATH, scratch.path)) is None:
                scratch.release()
            raise


@contextlib.contextmanager
def _removed(folder: Place, removals: Removals) -> Iterator[None]:
    """Remove the folder at a server on leaving, whatever ended the run."""
    try:
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


class _Ssh:
    """A folder of the run's own on a server, by commands over ssh."""

    def __init__(self, folder: Place, names: Elsewhere) -> None:
        self._folder = folder
        self._names = names

    def make(self) -> None:
        """In one command, as each takes a connection; the marker is what it reads."""
        folder, names = self._folder, self._names
        tree, marker = (quote(folder.below(name).path) for name in (names.tree, names.marker_name))
        undo = f"{{ rm -rf -- {quote(folder.path)}; false; }}"
        script = f"mkdir -m 700 -- {quote(folder.path)} && {{ mkdir -- {tree} && cat > {marker} || {undo}; }}"
        self._do(script, names.marker.encode())

    def remove(self, name: str) -> None:
        """An NFS server may keep what it has written open for long (Ganesha does): emptied, it takes no space there."""
        path = quote(self._folder.below(self._names.tree, name).path)
        self._do(f"find {path} -type f -size +{LARGE_BLOCKS} -exec truncate -s 0 {{}} + 2>/dev/null; rm -rf -- {path}")

    def _do(self, script: str, given: bytes = b"") -> None:
        _must("ssh", ("ssh", *ssh_options(self._folder), at(self._folder), script), self._folder, given)


class _Smb:
    """A folder of the run's own on a share, by smbclient."""

    def __init__(self, folder: Place, names: Elsewhere) -> None:
        self._folder = folder
        self._names = names

    def make(self) -> None:
        """The marker goes through a file: what smbclient reads are commands."""
        names = self._names
        tree, marker = (backslashed(self._folder.below(name).path) for name in (names.tree, names.marker_name))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, names.marker_name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(names.marker)
            self._do(f'mkdir "{backslashed(self._folder.path)}"')
            try:
                self._do(f'mkdir "{tree}"; put "{path}" "{marker}"')
            except TargetProblem:
                removed(self._folder, FAILED_S)
                raise

    def remove(self, name: str) -> None:
        self._do(f'deltree "{backslashed(self._folder.below(self._names.tree, name).path)}"')

    def _do(self, script: str) -> None:
        _must("smbclient", (*login(self._folder), "-c", script), self._folder)


def _must(program: str, command: tuple[str, ...], folder: Place, given: bytes = b"") -> None:
    """Run it, `given` on its input; TargetProblem with its own words where it fails."""
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=PATIENCE_S, check=False)
    except OSError as error:
        raise TargetProblem(f"{program} cannot be started ({error.strerror}); install it, or name the mount") from error
    except subprocess.TimeoutExpired:
        raise TargetProblem(f"{folder.shown} does not answer; is the server there?") from None
    said = (done.stderr + done.stdout).decode("utf-8", "replace").strip()
    # smbclient ends with 0 also where the server refused.
    if done.returncode or "NT_STATUS_" in said:
        last = said.splitlines()[-1] if said else f"exit code {done.returncode}"
        raise TargetProblem(f"nothing can be made at {folder.shown}: {last}")
