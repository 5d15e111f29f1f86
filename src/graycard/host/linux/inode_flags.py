"""Attributes of a file as lsattr(1) shows them: ioctl_iflags(2), values of <linux/fs.h>."""

from __future__ import annotations

import fcntl
import struct

NOCOW = 0x00800000  # FS_NOCOW_FL: data written in place, without checksums (btrfs)
COMPRESSED = 0x00000004  # FS_COMPR_FL: btrfs, f2fs
ENCRYPTED = 0x00000800  # FS_ENCRYPT_FL: fscrypt on ext4, f2fs, ubifs
_GET = 0x80086601  # FS_IOC_GETFLAGS: _IOR('f', 1, long), of 64-bit machines but mips, powerpc, sparc
_SET = 0x40086602  # FS_IOC_SETFLAGS: _IOW('f', 2, long)


def get_flags(handle: int) -> int | None:
    """The flags of an open file or folder; None where the file system has none."""
    try:
        answer = fcntl.ioctl(handle, _GET, bytes(8))
    except OSError:
        return None
    return int(struct.unpack_from("=I", answer)[0])


def set_flag(handle: int, flag: int) -> bool:
    """Set one flag, and read back whether it holds: some file systems ignore what they do not know."""
    before = get_flags(handle)
    if before is None:
        return False
    try:
        fcntl.ioctl(handle, _SET, struct.pack("=Q", before | flag))
    except OSError:
        return False
    return bool((get_flags(handle) or 0) & flag)
