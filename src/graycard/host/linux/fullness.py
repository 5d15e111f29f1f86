"""The probe "fullness": size, free space, quota, and the largest file that can be made."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.linux.format_name import file_system_name
from graycard.host.linux.mounts import Mount
from graycard.host.linux.place import place_of
from graycard.host.linux.quota import quota_fact
from graycard.host.linux.roots import HERE, Roots
from graycard.host.linux.volumes import space, statvfs
from graycard.model import Fact, Target, TargetKind

_GIB = 1 << 30
_LARGEST_BYTES = (1 << 63) - 1  # MAX_LFS_FILESIZE: no file on a 64-bit Linux is larger
_BY_TYPE = {
    "FAT": 4 * _GIB - 1,  # 32-bit size in the directory entry (Microsoft FAT specification 1.03)
    "ext2": 2048 * _GIB,  # 32-bit count of 512-byte blocks (i_blocks)
    "ext3": 2048 * _GIB,
    "exFAT": _LARGEST_BYTES,  # 64-bit ValidDataLength
    "NTFS": _LARGEST_BYTES,
    "xfs": _LARGEST_BYTES,
    "btrfs": _LARGEST_BYTES,
    "tmpfs": _LARGEST_BYTES,
}
_EXT4_BLOCK_COUNT = (1 << 32) - 1  # 32-bit logical block numbers of the extent tree


@dataclass(frozen=True, slots=True)
class FullnessProbe:
    """How full the volume is for this user."""

    roots: Roots = HERE
    name: str = "fullness"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """The facts of the factor "fullness"."""
        place = place_of(target, self.roots)
        folder = target.path if target.kind is not TargetKind.FILE else os.path.dirname(target.path)
        size_bytes, free_bytes = space(folder)
        return (
            fact("size_bytes", size_bytes, "statvfs f_blocks"),
            fact("free_bytes", free_bytes, "statvfs f_bavail"),
            fact("used_ratio", _used_ratio(folder), "statvfs"),
            quota_fact(place, folder, self.roots),
            _file_size_limit(place.mount, folder, self.roots),
        )


def _used_ratio(folder: str) -> float | None:
    """As df(1): used ÷ (used + free for users), so that space kept for root counts as neither."""
    told = statvfs(folder)
    if told is None:
        return None
    used = told.f_blocks - told.f_bfree
    return used / (used + told.f_bavail) if used + told.f_bavail > 0 else None


def _file_size_limit(mount: Mount, folder: str, roots: Roots) -> Fact:
    name = file_system_name(mount, roots)
    limit = _BY_TYPE.get(name)
    told = statvfs(folder)
    if name == "ext4" and told is not None:
        limit = _EXT4_BLOCK_COUNT * told.f_frsize
    process, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if process != resource.RLIM_INFINITY and (limit is None or process < limit):
        return fact("file_size_limit_bytes", process, "getrlimit RLIMIT_FSIZE (ulimit -f)")
    return fact("file_size_limit_bytes", limit, f"largest file of {name}")
