"""A run's folder, removed by a program of its own: it goes on to its end also where graycard has ended before.

A mount by a program takes back no byte that it was given, and a server may be slow: whoever stops a run waits for a
moment only, and is told what is still being removed.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import IO

from graycard.model.copying import CopyTask, Place, Scheme
from graycard.report.printable import printable
from graycard.transfer.smbclient import backslashed, smb_login
from graycard.transfer.ssh import at, ssh_options

PATIENCE_S = 60.0
# Where the run has failed the network may be gone, and where it was stopped somebody waits.
FAILED_S, STOPPED_S = 15.0, 0.5
# The marker goes last: should this end in the middle, `graycard clean` still knows whose it was. A copying program that
# was ended may write its last bytes only now.
_SCRIPT = 'for n in 1 2 3 4 5; do rm -rf -- "$1"/*.tree && rm -rf -- "$1" && exit 0; sleep 1; done; exit 1'
_MUST_BE_THERE = '[ -d "$1" ] || { echo "no such folder there" >&2; exit 1; }'
# What an ended program had open is closed a little later, and a mount by rclone (1.60) that may not remove a file for
# that reason hides it from then on.
CLOSED_S = 0.2


class Removal:
    """The folder being removed."""

    def __init__(self, command: tuple[str, ...], folder: Place, said: IO[bytes]) -> None:
        """`command` removes `folder`; `said` is an empty file for its words.

        Nobody would read a pipe when graycard has ended. OSError where no program can be started.
        """
        self.folder, self._said = folder, said
        self._program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
        )

    def told(self, within_s: float) -> str | None:
        """What has to be said of it after that time; None: it is gone."""
        try:
            code = self._program.wait(within_s)
        except subprocess.TimeoutExpired:
            return f"{self.folder.shown} is still being removed; should it stay, {by_hand(self.folder)}"
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace").strip()
        # smbclient ends with 0 also where the server refused.
        if not code and "NT_STATUS_" not in said:
            return None
        return _not_removed(self.folder, said.splitlines()[-1] if said else f"exit code {code}")


class Removals(AbstractContextManager["Removals"]):
    """The folders of a run: what was begun where it ended early.

    Leaving waits for all of them for a moment, and adds what there is to say to what ended the run.
    """

    def __init__(self) -> None:
        self._begun: list[Removal] = []
        self._owned: list[Place] = []
        self._files = contextlib.ExitStack()

    @contextlib.contextmanager
    def owning(self, folder: Place) -> Iterator[None]:
        """That folder is there as long as the block lasts."""
        self._owned.append(folder)
        yield
        self._owned.remove(folder)

    def abandon(self) -> None:
        """Begin to remove all that is there, as a call on a share holds whoever would; nobody waits for it."""
        for folder in tuple(self._owned):
            self.begin(folder, CLOSED_S)

    def begin(self, folder: Place, after_s: float = 0.0, *, must_be_there: bool = False) -> str | None:
        """Begin to remove the folder, as `removing`; what to say where no program can be started."""
        try:
            removal = _begun(folder, removing(folder, after_s, must_be_there=must_be_there))
            self._begun.append(self._files.enter_context(removal))
        except OSError as error:
            return _not_removed(folder, error.strerror)
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        until = time.monotonic() + (STOPPED_S if isinstance(error, KeyboardInterrupt) else FAILED_S)
        told: dict[str, list[str | None]] = {}
        with self._files:
            for each in self._begun:
                name = each.folder.path.rpartition("/")[2]
                told.setdefault(name, []).append(each.told(max(0.0, until - time.monotonic())))
        # One folder may have been removed by several ways.
        for says in (each for ways in told.values() if None not in ways for each in ways):
            if error is not None and says is not None:
                error.add_note(says)


@contextlib.contextmanager
def _begun(folder: Place, command: tuple[str, ...]) -> Iterator[Removal]:
    with tempfile.TemporaryFile() as said:
        yield Removal(command, folder, said)


def removed(folder: Place, within_s: float, *, must_be_there: bool = False) -> str | None:
    """Remove it, as `removing`, and wait so long: what has to be said of it, or None."""
    try:
        with _begun(folder, removing(folder, must_be_there=must_be_there)) as removal:
            return removal.told(within_s)
    except OSError as error:
        return _not_removed(folder, error.strerror)


def _not_removed(folder: Place, why: str | None) -> str:
    return f"{folder.shown} could not be removed ({printable(why or 'no reason told')}); {by_hand(folder)}"


def removing(folder: Place, after_s: float = 0.0, *, must_be_there: bool = False) -> tuple[str, ...]:
    """The command that removes the folder, and does nothing else. OSError where this computer has none.

    A path is removed after that time. The command fails by ssh where the folder `must_be_there` and is not.
    """
    if folder.scheme is Scheme.SMB:
        return (*login(folder), "-c", f'deltree "{backslashed(folder.path)}"')
    if folder.scheme is Scheme.SSH:
        script = f"{_MUST_BE_THERE}; {_SCRIPT}" if must_be_there else _SCRIPT
        there = shlex.join(("sh", "-c", script, "sh", folder.path))
        return ("ssh", *ssh_options(folder), at(folder), there)
    shell = shutil.which("sh")
    if shell is None:
        raise FileNotFoundError("sh")
    return (shell, "-c", f"sleep {after_s}; {_SCRIPT}", "sh", folder.path)


def login(folder: Place) -> tuple[str, ...]:
    """The program smbclient at the share of the folder."""
    here = Place(Scheme.PATH, "/")
    return smb_login(CopyTask(here, folder, is_folder=True, file_count=0, total_bytes=0, is_upload=True))


def by_hand(folder: Place) -> str:
    """How whoever reads it removes the folder, as the end of a sentence."""
    if folder.scheme is Scheme.PATH:
        return f"run: graycard clean {shlex.quote(os.path.dirname(folder.path))}"
    config = ("-F", folder.ssh_config) if folder.ssh_config else ()
    command = (
        ("ssh", *config, at(folder), shlex.join(("rm", "-rf", "--", folder.path)))
        if folder.scheme is Scheme.SSH
        else removing(folder)
    )
    return f"run: {shlex.join(command)} (or “graycard clean” where it is mounted)"
