"""What people copy with on Windows: robocopy, and the engine of the Explorer."""

from __future__ import annotations

import os
import sys

from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there

# As a plain text: the same file is read by type checkers of each platform.
_PLATFORM: str = sys.platform
# robocopy's exit code is a set of bits: 1 copied, 2 extra files, 4 mismatches; from 8 on something failed.
_FINE = frozenset(range(8))


class Robocopy:
    """`robocopy /E`, one file after the other, as it is without /MT; /R:0 because a retry of 30 s is no copy."""

    name = "robocopy"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        if not task.is_folder and os.path.basename(task.source.path) != os.path.basename(task.destination.path):
            return _refuses(task) or "it cannot give a file another name"
        return _refuses(task) or (None if is_there("robocopy") else "robocopy is not installed")

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        source, name = (task.source.path, "/E") if task.is_folder else os.path.split(task.source.path)
        there = task.destination.path if task.is_folder else os.path.dirname(task.destination.path)
        return copy_by(self.name, ("robocopy", source, there, name, "/R:0"), task, on_tick, fine_codes=_FINE)


class Explorer:
    """The engine of the Explorer, without its window: Shell.Application's CopyHere."""

    name = "Explorer"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        return _refuses(task) or (None if is_there("powershell") else "powershell is not there")

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy into the folder, then give the copy its name. 16 + 1024: yes to all, no window for errors.

        The paths are in the environment: no quoting can make commands of them.
        """
        script = (
            "$s = New-Object -ComObject Shell.Application; "
            "$s.NameSpace($env:GRAYCARD_THERE).CopyHere($env:GRAYCARD_SOURCE, 1040); "
            "$made = Join-Path $env:GRAYCARD_THERE (Split-Path $env:GRAYCARD_SOURCE -Leaf); "
            "Rename-Item -LiteralPath $made -NewName $env:GRAYCARD_NAME"
        )
        folder, name = os.path.split(task.destination.path)
        variables = {"GRAYCARD_SOURCE": task.source.path, "GRAYCARD_THERE": folder, "GRAYCARD_NAME": name}
        command = ("powershell", "-NoProfile", "-Command", script)
        return copy_by(self.name, command, task, on_tick, variables=variables)


def _refuses(task: CopyTask) -> str | None:
    if _PLATFORM != "win32":
        return "it is of Windows"
    if task.source.scheme is not Scheme.PATH or task.destination.scheme is not Scheme.PATH:
        return "it copies between mounted places only"
    return None
