"""What people copy with on macOS: ditto, and the Finder."""

from __future__ import annotations

import os
import sys

from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there

# As a plain text: the same file is read by type checkers of each platform.
_PLATFORM: str = sys.platform


class Ditto:
    """`ditto SOURCE DEST`, with resource forks and extended attributes."""

    name = "ditto"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        return _refuses(task) or (None if is_there("ditto") else "ditto is not installed")

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        return copy_by(self.name, ("ditto", task.source.path, task.destination.path), task, on_tick)


class Finder:
    """The Finder's own copy, asked for by AppleScript; it keeps the name of what it copies, so that is put right."""

    name = "Finder"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        return _refuses(task) or (None if is_there("osascript") else "osascript is not installed")

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy. The paths are arguments of the script, never a part of it."""
        script = (
            "on run argv",
            'tell application "Finder"',
            "set made to duplicate (POSIX file (item 1 of argv) as alias) to (POSIX file (item 2 of argv) as alias)",
            "set name of made to item 3 of argv",
            "end tell",
            "end run",
        )
        lines = [word for line in script for word in ("-e", line)]
        folder, name = os.path.split(task.destination.path)
        return copy_by(self.name, ("osascript", *lines, task.source.path, folder, name), task, on_tick)


def _refuses(task: CopyTask) -> str | None:
    if _PLATFORM != "darwin":
        return "it is of macOS"
    if task.source.scheme is not Scheme.PATH or task.destination.scheme is not Scheme.PATH:
        return "it copies between mounted places only"
    return None
