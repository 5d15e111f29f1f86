"""rclone: to a mounted place, or by its own SFTP."""

from __future__ import annotations

from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there


class Rclone:
    """`rclone copy`, four files at a time, with its checks of size; without its comparison of hashes afterwards."""

    name = "rclone"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        if task.source.scheme is not Scheme.PATH or task.destination.scheme is not Scheme.PATH:
            return "it is run between mounted places only: its remotes are in its own configuration"
        return None if is_there("rclone") else "rclone is not installed"

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        verb = "copy" if task.is_folder else "copyto"
        command = ("rclone", verb, "--ignore-checksum", "--", task.source.path, task.destination.path)
        return copy_by(self.name, command, task, on_tick)
