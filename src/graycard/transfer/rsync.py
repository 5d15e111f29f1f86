"""rsync: to a mounted place, or over ssh."""

from __future__ import annotations

import shlex

from graycard.model import Samples
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there
from graycard.transfer.ssh import ssh_options


class Rsync:
    """`rsync -r --whole-file`: what it does with files that are new anyway; checksums of its own included."""

    name = "rsync"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        if not {task.source.scheme, task.destination.scheme} <= {Scheme.PATH, Scheme.SSH}:
            return "it copies between mounted places and over ssh only"
        return None if is_there("rsync") else "rsync is not installed"

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        end = "/" if task.is_folder else ""
        source, destination = _named(task.source) + end, _named(task.destination) + end
        shell = shlex.join(("ssh", *ssh_options(task.source, task.destination)))
        command = ("rsync", "--recursive", "--whole-file", f"--rsh={shell}", "--", source, destination)
        return copy_by(self.name, command, task, on_tick)


def _named(place: Place) -> str:
    return place.path if place.scheme is Scheme.PATH else place.shown
