"""smbclient: SMB without a mount."""

from __future__ import annotations

import os

from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.program import copy_by, is_there

# smbclient's file of user name, password and domain (smbclient(1), -A); a password in a command is seen by everybody.
LOGIN_VARIABLE = "GRAYCARD_SMB_LOGIN"


class SmbClient:
    """`smbclient` with put and get."""

    name = "smbclient"

    def refuses(self, task: CopyTask) -> str | None:
        """Why not here."""
        if Scheme.SMB not in {task.source.scheme, task.destination.scheme}:
            return "it needs a place over SMB, as --via smb://user@nas/share"
        return None if is_there("smbclient") else "smbclient is not installed"

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy."""
        return copy_by(self.name, (*smb_login(task), "-c", _script(task)), task, on_tick)


def smb_login(task: CopyTask) -> tuple[str, ...]:
    """The program with the share and who logs in: the file of GRAYCARD_SMB_LOGIN, or no password."""
    far = task.destination if task.is_upload else task.source
    login = os.environ.get(LOGIN_VARIABLE)
    who = ("-A", login) if login else ("-N", *(("-U", far.user) if far.user else ()))
    return ("smbclient", f"//{far.host}/{far.share}", *who)


def _script(task: CopyTask) -> str:
    source, destination = task.source.path, task.destination.path
    if not task.is_folder:
        if task.is_upload:
            return f"put {_quoted(source)} {_quoted(backslashed(destination))}"
        return f"get {_quoted(backslashed(source))} {_quoted(destination)}"
    if task.is_upload:
        there = _quoted(backslashed(destination))
        return f"mkdir {there}; cd {there}; lcd {_quoted(source)}; recurse; prompt; mput *"
    os.makedirs(destination, exist_ok=True)
    return f"cd {_quoted(backslashed(source))}; lcd {_quoted(destination)}; recurse; prompt; mget *"


def backslashed(path: str) -> str:
    """A path below the share as smbclient names it."""
    return path.strip("/").replace("/", "\\")


def _quoted(path: str) -> str:
    return '"' + path.replace('"', "") + '"'
