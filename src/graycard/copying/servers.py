"""A folder of the run's own on a server that is reached without a mount, and why there can be none."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from shlex import quote

from graycard.copying.removal import FAILED_S, PATIENCE_S, login, removed
from graycard.errors import TargetProblem
from graycard.model.copying import Place, Scheme
from graycard.report.printable import printable
from graycard.scratch import Elsewhere
from graycard.transfer.smbclient import LOGIN_VARIABLE, backslashed
from graycard.transfer.ssh import at, ssh_options

# Of 512 bytes, as find counts: 1 MiB.
LARGE_BLOCKS = 2048
# What ssh itself ends with (ssh(1)); else it is the command's own code.
SSH_FAILED = 255

_SMB_WHY = {
    "NT_STATUS_LOGON_FAILURE": f"it lets nobody in with that user name and password; both belong into a file for "
    f"smbclient -A that {LOGIN_VARIABLE} names",
    "credentials file": f"the file that {LOGIN_VARIABLE} names cannot be read; check its path",
    "NT_STATUS_BAD_NETWORK_NAME": "the server has no such share; smbclient -L lists those that it has",
    "NT_STATUS_ACCESS_DENIED": "that user may not write there; choose another folder or user",
    "NT_STATUS_MEDIA_WRITE_PROTECTED": "the share is read-only; choose another one",
    "NT_STATUS_DISK_FULL": "the share is full; make room there",
    "NT_STATUS_OBJECT_PATH_NOT_FOUND": "there is no such folder on the share; make it, or name another one",
}


def room(place: Place) -> tuple[int | None, int | None]:
    """Size of the volume at a place by ssh and what is free there, in bytes; TargetProblem where it is not reached."""
    code, said = _done(("ssh", *ssh_options(place), at(place), f"df -Pk -- {quote(place.path)}"), place)
    if code == SSH_FAILED:
        raise TargetProblem(f"{place.shown} {_ssh_why(place, code, said)}")
    return _room_in(said)


def _room_in(printed: str) -> tuple[int | None, int | None]:
    """The second and the fourth column of the last line, in KiB (POSIX, df -P)."""
    words = printed.splitlines()[-1].split() if printed else []
    known = [int(word) << 10 if word.isascii() and word.isdigit() else None for word in words[1:4]]
    return (known[0], known[2]) if len(known) == 3 else (None, None)


def far_folder(place: Place, names: Elsewhere) -> SshFolder | SmbFolder:
    """The run's folder at a place by ssh or SMB; nothing is made yet."""
    return (SshFolder if place.scheme is Scheme.SSH else SmbFolder)(place, names)


class SshFolder:
    """By commands over ssh."""

    def __init__(self, place: Place, names: Elsewhere) -> None:
        self._place, self._folder, self._names = place, place.below(names.name), names

    def make(self) -> None:
        """In one command, as each takes a connection; the marker is what it reads. TargetProblem."""
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
        code, said = _done(("ssh", *ssh_options(self._folder), at(self._folder), script), self._place, given)
        if code:
            raise TargetProblem(f"{self._place.shown} {_ssh_why(self._place, code, said)}")


class SmbFolder:
    """By smbclient."""

    def __init__(self, place: Place, names: Elsewhere) -> None:
        self._place, self._folder, self._names = place, place.below(names.name), names

    def make(self) -> None:
        """The marker goes through a file: what smbclient reads are commands. TargetProblem."""
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
        """Remove a copy."""
        self._do(f'deltree "{backslashed(self._folder.below(self._names.tree, name).path)}"')

    def _do(self, script: str) -> None:
        code, said = _done((*login(self._folder), "-c", script), self._place)
        # smbclient ends with 0 also where the server refused.
        if code or "NT_STATUS_" in said:
            raise TargetProblem(f"{self._place.shown} {_smb_why(code, said)}")


def _done(command: tuple[str, ...], place: Place, given: bytes = b"") -> tuple[int, str]:
    """Run it, `given` on its input: its exit code and its words. TargetProblem where it cannot be run, or hangs."""
    program = command[0]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=PATIENCE_S, check=False)
    except OSError as error:
        raise TargetProblem(f"{program} cannot be started ({error.strerror}); install it, or name the mount") from error
    except subprocess.TimeoutExpired:
        raise TargetProblem(f"{place.shown} does not answer; is the server there?") from None
    return done.returncode, (done.stderr + done.stdout).decode("utf-8", "replace").strip()


def _ssh_why(place: Place, code: int, said: str) -> str:
    """Why no folder can be made there, and the next step."""
    last = _last(code, said)
    config = ("-F", place.ssh_config) if place.ssh_config else ()
    by_hand = shlex.join(("ssh", *config, at(place)))
    if code != SSH_FAILED:
        return f"takes no folder ({last}); name one that is there and that you may write to"
    if "Permission denied" in said:
        key = shlex.join(("ssh-copy-id", *config, at(place)))
        return (
            f"lets nobody in without a password ({last}); nobody can type one while it is measured: set up a key, {key}"
        )
    return f"cannot be reached ({last}); check with: {by_hand} true"


def _smb_why(code: int, said: str) -> str:
    why = next((words for name, words in _SMB_WHY.items() if name in said), None)
    last = _last(code, said)
    return f"cannot be used ({last}): {why}" if why else f"cannot be used ({last}); is the server there?"


def _last(code: int, said: str) -> str:
    return printable(said.splitlines()[-1]) if said else f"exit code {code}"
