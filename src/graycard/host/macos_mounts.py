"""macOS: what is mounted where, from the text of `mount` and `df`, and how a share's name tells its server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

# "source on /point (type, flag, flag)": the last " (" opens the flags, the first " on /" ends the source.
_MOUNT = re.compile(r"(?P<source>.*?) on (?P<point>/.*) \((?P<flags>[^()]*)\)")
# POSIX layout of df: source, 1024-byte blocks, used, free, share, mount point; -P leaves out the inode columns,
# which older systems print nevertheless.
_DF = re.compile(
    r"(?P<source>.*?)\s+(?P<total>\d+)\s+\d+\s+(?P<free>\d+)\s+\d+%(?:\s+\d+\s+\d+\s+\d+%)?\s+(?P<point>/.*)"
)
_DF_BLOCK_BYTES = 1024
_SMB_VERSION = re.compile(r"\bSMB_VERSION\s+SMB_([0-9.]+)")
_NFS_VERSION = re.compile(r"\bvers=([0-9.]+)")
FAT = "msdos"
_NO_VOLUMES = {"devfs", "autofs"}
# The one hidden volume that holds what users write: "/" itself is sealed since macOS 10.15.
DATA_VOLUME = "/System/Volumes/Data"


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of `mount`; `flags` without the type."""

    source: str
    point: str
    file_system: str
    flags: tuple[str, ...]

    @property
    def network(self) -> bool:
        """Whether the data lie on another machine: the flag "local" is absent."""
        return "local" not in self.flags

    @property
    def read_only(self) -> bool:
        """Whether it is mounted read-only."""
        return "read-only" in self.flags

    @property
    def for_users(self) -> bool:
        """Whether it is a volume that somebody may want to measure."""
        hidden = "nobrowse" in self.flags and self.point != DATA_VOLUME
        return self.file_system not in _NO_VOLUMES and not hidden

    @property
    def shown_source(self) -> str:
        """The source without the user name of a share."""
        return re.sub(r"^//[^/@]*@", "//", self.source)

    @property
    def server(self) -> str | None:
        """Host name of "//user@server/share" or "server:/export"; None for local volumes."""
        if not self.network:
            return None
        share = re.match(r"//([^/]+)/", self.shown_source) or re.match(r"([^/:]+|\[[^]]+\]):/", self.source)
        return unquote(share[1]) if share else None


@dataclass(frozen=True, slots=True)
class Space:
    """One line of `df`: where a path is mounted and its bytes."""

    source: str
    point: str
    size_bytes: int
    free_bytes: int


def parse_mount(output: bytes) -> tuple[Mount, ...]:
    """All mounts in the order of the output; lines of another layout are left out."""
    return tuple(found for line in _lines(output) if (found := _mount(line)))


def parse_df(output: bytes) -> tuple[Space, ...]:
    """All lines with figures of `df -P -k`."""
    return tuple(
        Space(
            found["source"],
            found["point"],
            int(found["total"]) * _DF_BLOCK_BYTES,
            int(found["free"]) * _DF_BLOCK_BYTES,
        )
        for line in _lines(output)
        if (found := _DF.fullmatch(line))
    )


def smb_version(output: bytes) -> str | None:
    """Dialect in the output of `smbutil statshares -m POINT`, as "3.1.1"."""
    found = _SMB_VERSION.search(output.decode("utf-8", "replace"))
    return found[1] if found else None


def nfs_version(output: bytes) -> str | None:
    """Version in the output of `nfsstat -m POINT`, as "3" or "4.0"."""
    found = _NFS_VERSION.search(output.decode("utf-8", "replace"))
    return found[1] if found else None


def _lines(output: bytes) -> list[str]:
    return output.decode("utf-8", "surrogateescape").split("\n")


def _mount(line: str) -> Mount | None:
    found = _MOUNT.fullmatch(line)
    if not found:
        return None
    file_system, *flags = found["flags"].split(", ")
    return Mount(found["source"], found["point"], file_system, tuple(flags))
