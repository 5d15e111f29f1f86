"""What the user wrote becomes a place: a path, user@host:/path, smb://user@host/share/path, nfs://host/export."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from graycard.errors import PlanProblem
from graycard.model.copying import Place, Scheme

# As scp and rsync tell it: a colon before the first slash. One letter is a drive of Windows.
_REMOTE = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>[^@/:]{2,}):(?P<path>/.*)", re.DOTALL)


def parse_place(text: str, ssh_config: str | None = None) -> Place:
    """The place; PlanProblem in one sentence where it is not understood."""
    if text.startswith(("smb://", "nfs://")):
        return _of_url(text)
    remote = _REMOTE.fullmatch(text)
    if remote:
        return Place(
            Scheme.SSH, remote["path"].rstrip("/") or "/", remote["host"], remote["user"], ssh_config=ssh_config
        )
    return Place(Scheme.PATH, os.path.abspath(text))


def _of_url(text: str) -> Place:
    url = urlsplit(text)
    path = unquote(url.path).rstrip("/")
    if not url.hostname or not path:
        raise PlanProblem(f"“{text}” is no place; write smb://user@nas/share/folder or nfs://nas/export")
    if url.password:
        raise PlanProblem(
            "a password in an address is seen by everybody on this computer; put it into a file for smbclient -A and "
            "name that file in GRAYCARD_SMB_LOGIN"
        )
    if url.scheme == "nfs":
        return Place(Scheme.NFS, path, url.hostname)
    share, _slash, rest = path.strip("/").partition("/")
    return Place(Scheme.SMB, f"/{rest}" if rest else "", url.hostname, url.username, share)
