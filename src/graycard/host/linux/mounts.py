"""The mount table: /proc/self/mountinfo, and which of its mounts holds a path."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from graycard.host.linux.roots import HERE, Roots, read_text

_OCTAL = re.compile(r"\\([0-7]{3})")

NETWORK = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "davfs"),
    *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.afpfs", "fuse.mfsmount"),
    *("fuse.curlftpfs", "fuse.gvfsd-fuse", "fuse.goofys", "fuse.gcsfuse", "fuse.juicefs", "fuse.fuse-nfs"),
}
# Folders of the machine around a virtual machine: no network, yet no device of ours either.
GUEST_SHARES = {"9p", "virtiofs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs"}
MEMORY = {"tmpfs", "ramfs", "devtmpfs"}


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of mountinfo, see proc(5). `number` is the device as "8:1"; major 0 means no block device."""

    mount_id: int
    number: str
    root: str
    point: str
    options: tuple[str, ...]
    file_system: str
    source: str
    super_options: tuple[str, ...]

    @property
    def network(self) -> bool:
        """Whether the data lie on another machine."""
        return self.file_system in NETWORK

    @property
    def share(self) -> bool:
        """Whether another machine, real or around this one, keeps the data."""
        return self.network or self.file_system in GUEST_SHARES

    @property
    def fuse(self) -> bool:
        """Whether a process serves the file system."""
        return self.file_system in {"fuse", "fuseblk"} or self.file_system.startswith("fuse.")

    @property
    def may_hang(self) -> bool:
        """Whether a call on it may wait for somebody who never answers."""
        return self.share or self.fuse or self.file_system == "autofs"

    @property
    def read_only(self) -> bool:
        """Whether the mount or the file system below it is read-only."""
        return "ro" in self.options or "ro" in self.super_options

    def option(self, name: str) -> str | None:
        """Value of the option `name=value` of the file system, "" for a bare `name`, None without it."""
        for each in (*self.super_options, *self.options):
            key, _, value = each.partition("=")
            if key == name:
                return value
        return None


def parse_mountinfo(text: str) -> tuple[Mount, ...]:
    """All mounts in the kernel's order: a later one lies over an earlier one at the same point.

    Only the line feed ends a line: other line separators of Unicode may stand in a path.
    """
    return tuple(_mount(line) for line in text.split("\n") if " - " in line)


def read_mounts(roots: Roots = HERE) -> tuple[Mount, ...]:
    """The mounts that this process sees; empty without /proc."""
    return parse_mountinfo(read_text(f"{roots.proc}/self/mountinfo") or "")


def mount_with_path(mounts: Sequence[Mount], path: str) -> Mount | None:
    """The mount that holds a real path, by its longest mount point; the last of those mounted there."""
    holding = [mount for mount in mounts if _holds(mount.point, path)]
    return max(enumerate(holding), key=lambda pair: (len(pair[1].point), pair[0]))[1] if holding else None


def mount_id_of(path: str, roots: Roots = HERE) -> int | None:
    """The kernel's id of the mount that holds `path`: exact also where one mount hides another."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        text = read_text(f"{roots.proc}/self/fdinfo/{handle}") or ""
    finally:
        os.close(handle)
    found = re.search(r"^mnt_id:\s*([0-9]+)$", text, re.MULTILINE)
    return int(found[1]) if found else None


def mount_of(path: str, roots: Roots = HERE) -> Mount | None:
    """The mount that holds a real path."""
    mounts = read_mounts(roots)
    mount_id = mount_id_of(path, roots)
    for mount in mounts:
        if mount.mount_id == mount_id:
            return mount
    return mount_with_path(mounts, path)


def _mount(line: str) -> Mount:
    left, _, right = line.partition(" - ")
    mount_id, _, number, root, point, options = left.split(" ")[:6]
    file_system, source, super_options = [*right.split(" "), "", ""][:3]
    return Mount(
        int(mount_id),
        number,
        _plain(root),
        _plain(point),
        tuple(options.split(",")),
        file_system,
        _plain(source),
        tuple(_plain(option) for option in super_options.split(",")),
    )


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)


def _holds(point: str, path: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")
