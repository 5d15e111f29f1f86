"""Where a file lies: FIEMAP (Documentation/filesystems/fiemap.rst of the kernel), and holes by lseek(2)."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_FS_IOC_FIEMAP = 0xC020660B
_SYNC = 0x1  # FIEMAP_FLAG_SYNC: write back first, so that no extent is still undecided
_LAST, _ENCODED, _UNWRITTEN = 0x1, 0x8, 0x800
_HEAD = struct.Struct("=QQLLLL")  # start, length, flags, mapped_extents, extent_count, reserved
_EXTENT = struct.Struct("=QQQQQLLLL")  # logical, physical, length, 2 reserved, flags, 3 reserved
_BATCH_COUNT = 256
_WHOLE_BYTES = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Extents:
    """Sums over a file's extents, each clipped to the file's size. `mapped_bytes` holds all kinds."""

    extent_count: int
    mapped_bytes: int
    unwritten_bytes: int
    encoded_bytes: int


def read_extents(handle: int, size_bytes: int) -> Extents | None:
    """FIEMAP of an open file, after a write-back; None where the file system has no FIEMAP."""
    count = mapped = unwritten = encoded = 0
    try:
        for logical, length, flags in _extents(handle):
            inside = max(0, min(logical + length, size_bytes) - logical)
            count += 1
            mapped += inside
            unwritten += inside if flags & _UNWRITTEN else 0
            encoded += inside if flags & _ENCODED else 0
    except OSError as error:
        if error.errno in {errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL, errno.ENOSYS, errno.EBADR}:
            return None
        raise
    return Extents(count, mapped, unwritten, encoded)


def hole_bytes(handle: int, size_bytes: int) -> int | None:
    """Bytes in holes as SEEK_DATA and SEEK_HOLE tell; None where the file system cannot seek so.

    A file system may call a preallocated, unwritten part a hole, and one without holes tells 0.
    """
    holes = at = 0
    try:
        while at < size_bytes:
            data = _seek_data(handle, at, size_bytes)
            holes += data - at
            at = os.lseek(handle, data, os.SEEK_HOLE) if data < size_bytes else size_bytes
    except OSError as error:
        if error.errno in {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}:
            return None
        raise
    return holes


def _extents(handle: int) -> Iterator[tuple[int, int, int]]:
    start, flags = 0, _SYNC
    while True:
        buffer = bytearray(_HEAD.size + _BATCH_COUNT * _EXTENT.size)
        _HEAD.pack_into(buffer, 0, start, _WHOLE_BYTES - start, flags, 0, _BATCH_COUNT, 0)
        fcntl.ioctl(handle, _FS_IOC_FIEMAP, buffer)
        found = _HEAD.unpack_from(buffer)[3]
        last = found == 0
        for index in range(found):
            logical, _, length, _, _, kinds, *_ = _EXTENT.unpack_from(buffer, _HEAD.size + index * _EXTENT.size)
            yield logical, length, kinds
            start, last = logical + length, bool(kinds & _LAST)
        if last:
            return
        flags = 0


def _seek_data(handle: int, at: int, size_bytes: int) -> int:
    try:
        return min(os.lseek(handle, at, os.SEEK_DATA), size_bytes)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return size_bytes
        raise
