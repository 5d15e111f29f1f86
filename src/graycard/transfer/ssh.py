"""scp and sftp, over the user's own ssh."""

from __future__ import annotations

from graycard.model import Samples
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there

# The kernel would try for two minutes to reach a computer that is not there.
CONNECT_S = 10


def ssh_options(*places: Place) -> tuple[str, ...]:
    """Options for ssh, scp and sftp. No question can be answered while it is measured: keys or an agent must do."""
    config = next((place.ssh_config for place in places if place.ssh_config), None)
    return ("-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_S}", *(("-F", config) if config else ()))


def at(place: Place) -> str:
    """The computer of that place, as ssh is told it."""
    return f"{place.user}@{place.host}" if place.user else str(place.host)


class Scp:
    """`scp -r`; since OpenSSH 9.0 it speaks SFTP."""

    name = "scp"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        return _refuses(self.name, task)

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        folder = ("-r",) if task.is_folder else ()
        places = (_named(task.source), _named(task.destination))
        return copy_by(
            self.name, ("scp", "-q", *ssh_options(task.source, task.destination), *folder, *places), task, on_tick
        )


class Sftp:
    """`sftp` with its usual 64 requests of 32 KiB."""

    name = "sftp"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        return _refuses(self.name, task)

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        far = task.destination if task.is_upload else task.source
        verb = "put" if task.is_upload else "get"
        folder = " -R" if task.is_folder else ""
        batch = f"{verb}{folder} {_quoted(task.source.path)} {_quoted(task.destination.path)}\n"
        command = ("sftp", "-q", *ssh_options(far), "-b", "-", at(far))
        return copy_by(self.name, command, task, on_tick, given=batch.encode("utf-8", "surrogateescape"))


def _refuses(program: str, task: CopyTask) -> str | None:
    if Scheme.SSH not in {task.source.scheme, task.destination.scheme}:
        return "it needs a place over ssh, as --via user@nas:/folder"
    return None if is_there(program) else f"{program} is not installed"


def _named(place: Place) -> str:
    return place.path if place.scheme is Scheme.PATH else place.shown


def _quoted(path: str) -> str:
    """A path in a batch of sftp."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
