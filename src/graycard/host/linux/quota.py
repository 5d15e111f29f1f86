"""What a quota leaves: btrfs quota groups by sysfs, user quotas by quotactl(2). Neither needs root."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
from collections.abc import Iterable

from graycard.facts import fact
from graycard.host.linux.place import Place
from graycard.host.linux.roots import HERE, Roots, names_in, read_number
from graycard.model import Fact

_GET_SUBVOL_INFO = 0x81F8943C  # BTRFS_IOC_GET_SUBVOL_INFO: _IOR(0x94, 60, 504 bytes), its id first; kernel 4.18
_SUBVOL_BYTES = 504
_MAX_REFERENCED = 0x1  # BTRFS_QGROUP_LIMIT_MAX_RFER
_MAX_EXCLUSIVE = 0x2  # BTRFS_QGROUP_LIMIT_MAX_EXCL
_GET_USER_QUOTA = 0x800007 << 8  # QCMD(Q_GETQUOTA, USRQUOTA)
_QUOTA_BLOCK_BYTES = 1024  # QIF_DQBLKSIZE
_DQBLK = struct.Struct("=8QI")  # bhardlimit, bsoftlimit, curspace, …, valid
_LIBC = ctypes.CDLL(None, use_errno=True)


def quota_fact(place: Place, folder: str, roots: Roots = HERE) -> Fact:
    """`quota_free_bytes` of a folder: the tightest limit that this user meets there; None without one."""
    if place.mount.file_system == "btrfs":
        return _btrfs(place, folder, roots)
    return fact("quota_free_bytes", _user_quota(place.mount.source), "quotactl Q_GETQUOTA")


def qgroup_free_bytes(folder: str) -> int | None:
    """What one quota group leaves, from its folder in sysfs; None where it has no limit.

    Counted are the bytes in the tree and those reserved for data that are being written. With several limits
    the tightest counts.
    """
    flags = read_number(f"{folder}/limit_flags") or 0
    kinds = (("referenced", _MAX_REFERENCED), ("exclusive", _MAX_EXCLUSIVE))
    reserved = read_number(f"{folder}/rsv_data") or 0
    left: list[int] = []
    for kind, flag in kinds:
        limit, used = read_number(f"{folder}/max_{kind}"), read_number(f"{folder}/{kind}")
        if flags & flag and limit is not None and used is not None:
            left.append(max(0, limit - used - reserved))
    return min(left, default=None)


def _btrfs(place: Place, folder: str, roots: Roots) -> Fact:
    """The group of the folder's own subvolume ("0/256"); limits of groups above it cannot be read without root."""
    subvolume = _subvolume_id(folder)
    names = {device.name for device in place.devices}
    for uuid in _file_systems(names, roots):
        group = f"{roots.sys}/fs/btrfs/{uuid}/qgroups/0_{subvolume}"
        if subvolume is not None and os.path.isdir(group):
            return fact("quota_free_bytes", qgroup_free_bytes(group), group)
    return fact("quota_free_bytes", None, "no btrfs quota group")


def _file_systems(device_names: Iterable[str], roots: Roots) -> list[str]:
    root = f"{roots.sys}/fs/btrfs"
    wanted = set(device_names)
    return [uuid for uuid in names_in(root) if wanted & set(names_in(f"{root}/{uuid}/devices"))]


def _subvolume_id(folder: str) -> int | None:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        answer = fcntl.ioctl(handle, _GET_SUBVOL_INFO, bytes(_SUBVOL_BYTES))
    except OSError:
        return None
    finally:
        os.close(handle)
    return int(struct.unpack_from("=Q", answer)[0])


def parse_user_quota(answer: bytes) -> int | None:
    """Bytes left by a `struct dqblk` of <linux/quota.h>; None for a user without a hard limit."""
    hard_blocks, _, used_bytes, *_ = _DQBLK.unpack_from(answer)
    return max(0, hard_blocks * _QUOTA_BLOCK_BYTES - used_bytes) if hard_blocks else None


def _user_quota(source: str) -> int | None:
    if not source.startswith("/"):
        return None
    answer = ctypes.create_string_buffer(_DQBLK.size + 64)
    user = ctypes.c_int(os.geteuid())
    failed = _LIBC.quotactl(ctypes.c_int(_GET_USER_QUOTA), os.fsencode(source), user, answer)
    return None if failed else parse_user_quota(answer.raw)
