"""nfs-cp of libnfs: NFS without a mount."""

from __future__ import annotations

from graycard.model import Samples
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there


class NfsCp:
    """`nfs-cp`, NFS version 3: each write waits for the server's answer."""

    name = "nfs-cp"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        if Scheme.NFS not in {task.source.scheme, task.destination.scheme}:
            return "it needs a place over NFS, as --via nfs://nas/export"
        if task.is_folder:
            return "it copies single files only"
        return None if is_there("nfs-cp") else "nfs-cp (libnfs) is not installed"

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        return copy_by(self.name, ("nfs-cp", _named(task.source), _named(task.destination)), task, on_tick)


def _named(place: Place) -> str:
    return place.path if place.scheme is Scheme.PATH else f"nfs://{place.host}{place.path}?version=3"
