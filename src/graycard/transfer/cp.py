"""cp, as everybody types it."""

from __future__ import annotations

from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there


class Cp:
    """`cp SOURCE DEST`, `cp -R` for a folder. GNU cp uses copy_file_range where the file systems have it."""

    name = "cp"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        if task.source.scheme is not Scheme.PATH or task.destination.scheme is not Scheme.PATH:
            return "it copies between mounted places only"
        return None if is_there("cp") else "cp is not installed"

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        folder = ("-R",) if task.is_folder else ()
        return copy_by(self.name, ("cp", *folder, "--", task.source.path, task.destination.path), task, on_tick)
