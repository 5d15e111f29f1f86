"""A copy: what, from where, to where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Scheme(StrEnum):
    """How a place is reached: through the file system, or by a protocol without a mount."""

    PATH = "path"
    SSH = "ssh"
    SMB = "smb"
    NFS = "nfs"


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder somewhere. `path` is absolute; below `share` for SMB, on the server for SSH and NFS.

    `ssh_config` is a configuration file for ssh in place of the user's own.
    """

    scheme: Scheme
    path: str
    host: str | None = None
    user: str | None = None
    share: str | None = None
    ssh_config: str | None = None

    def below(self, *names: str) -> Place:
        """The place of that name in this folder; on a server the separator is always "/"."""
        return replace(self, path="/".join((self.path.rstrip("/"), *names)))

    @property
    def shown(self) -> str:
        """As a user would write it."""
        at = f"{self.user}@{self.host}" if self.user else self.host
        if self.scheme is Scheme.PATH:
            return self.path
        if self.scheme is Scheme.SSH:
            return f"{at}:{self.path}"
        return f"{self.scheme.value}://{at}{f'/{self.share}' if self.share else ''}{self.path}"


@dataclass(frozen=True, slots=True)
class CopyTask:
    """Copy the file or folder `source` so that `destination`, which is not there yet, becomes the same.

    One of the two at least is a path on this computer; `is_upload` says whether it is the source.
    """

    source: Place
    destination: Place
    is_folder: bool
    file_count: int
    total_bytes: int
    is_upload: bool
