"""Mounted volumes as a user sees them, and why one cannot be measured."""

from __future__ import annotations

import os
from collections.abc import Iterable

from graycard.host.linux.answers import answers
from graycard.host.linux.format_name import file_system_name
from graycard.host.linux.mounts import Mount
from graycard.host.linux.roots import HERE, Roots
from graycard.host.refusals import NOT_YOURS, READ_ONLY
from graycard.protocols import Volume

# The kernel's own, and images of packages: nobody keeps files of his own on these.
_PSEUDO = {
    *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs"),
    *("fuse.lxcfs", "fuse.portal", "fusectl", "hugetlbfs", "mqueue", "nfsd", "nsfs", "proc", "pstore", "rpc_pipefs"),
    *("securityfs", "selinuxfs", "squashfs", "sysfs", "tracefs"),
}
_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev", "/run")
_USERS_FOLDERS = ("/run/media", "/run/user")  # where desktops mount sticks and shares


def list_volumes(mounts: Iterable[Mount], roots: Roots = HERE) -> tuple[Volume, ...]:
    """All volumes a user may care for, one for each mount point: the last one mounted there."""
    last = {mount.point: mount for mount in mounts}
    return tuple(describe(mount, mount.point, roots) for mount in last.values() if user_visible(mount))


def user_visible(mount: Mount) -> bool:
    """Whether a user may keep files there."""
    if mount.file_system in _PSEUDO:
        return False
    return (
        mount.point.endswith("/shm") or _below(mount.point, _USERS_FOLDERS) or not _below(mount.point, _SYSTEM_FOLDERS)
    )


def describe(mount: Mount, folder: str, roots: Roots = HERE, *, writing: bool = True) -> Volume:
    """The volume as seen from `folder` on it. With `writing` False no right to write is asked for."""
    alive = not mount.may_hang or answers(mount.point)
    size_bytes, free_bytes = space(folder) if alive else (None, None)
    return Volume(
        mount.point,
        mount.source,
        file_system_name(mount, roots),
        size_bytes,
        free_bytes,
        mount.read_only,
        mount.share,
        _why_not(mount, folder, alive=alive, writing=writing),
    )


def statvfs(folder: str) -> os.statvfs_result | None:
    """Ask the file system of a folder for its space; None where that fails."""
    try:
        return os.statvfs(folder)
    except OSError:
        return None


def space(folder: str) -> tuple[int | None, int | None]:
    """Size and what an ordinary user may still fill, in bytes; None where the file system tells no size."""
    told = statvfs(folder)
    if told is None or not told.f_blocks:
        return None, None
    return told.f_blocks * told.f_frsize, told.f_bavail * told.f_frsize


def _why_not(mount: Mount, folder: str, *, alive: bool, writing: bool) -> str | None:
    if not alive:
        what = "share" if mount.share else "file system"
        return f"the {what} does not answer; check that its server runs and can be reached, or unmount it"
    if writing and mount.read_only:
        return READ_ONLY
    if writing and mount.file_system in _PSEUDO:
        return f"{mount.file_system} holds the system's own entries, not files; name a folder on a drive"
    if not os.path.exists(folder):
        return "the mount is broken; unmount it and mount it again"
    if writing and not os.access(folder, os.W_OK | os.X_OK):
        return NOT_YOURS
    return None


def _below(point: str, folders: Iterable[str]) -> bool:
    return any(point == folder or point.startswith(folder + "/") for folder in folders)
