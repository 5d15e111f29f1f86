"""The facts about one file: how it lies on the volume, what of it is cached, and whether direct I/O is real."""

from __future__ import annotations

import os

from graycard.errors import TargetProblem
from graycard.facts import fact
from graycard.host.linux.descriptors import open_existing
from graycard.host.linux.direct import direct_align_bytes, misaligned_refused
from graycard.host.linux.extents import hole_bytes, read_extents
from graycard.host.linux.inode_flags import NOCOW, get_flags
from graycard.host.linux.page_cache import cached_bytes, dirty_bytes
from graycard.host.linux.write_back import write_pieces
from graycard.host.refusals import failed
from graycard.model import Fact
from graycard.protocols import Look

_BLOCK_BYTES = 512  # of st_blocks, whatever the file system's own blocks


def read_file_facts(path: str, look: Look) -> tuple[Fact, ...]:
    """All facts of the factor "file" that the file itself tells.

    Cached pages are counted before anything is read, and those that wait before anything is written back.
    """
    handle = open_existing(path, write=False, direct=False)
    try:
        size_bytes = os.fstat(handle).st_size
        cached, told_by = cached_bytes(handle, size_bytes)
        dirty = dirty_bytes(handle)
        if dirty != 0:
            # FIEMAP would write them back in one call, which nothing can cut short.
            write_pieces(handle, size_bytes, look)
        return (
            *_layout(handle, size_bytes),
            fact("file_cached_bytes", cached, told_by),
            fact("file_dirty_bytes", dirty, "cachestat"),
            fact("direct_align_bytes", direct_align_bytes(handle), "statx STATX_DIOALIGN"),
            *_direct(path),
            _nocow(handle),
        )
    except OSError as error:
        raise failed(error, path, "inspecting") from error
    finally:
        os.close(handle)


def _layout(handle: int, size_bytes: int) -> tuple[Fact, ...]:
    """FIEMAP knows holes from unwritten parts; SEEK_HOLE, which may not, is asked where there is no FIEMAP."""
    extents = read_extents(handle, size_bytes)
    status = os.fstat(handle)
    if extents is None:
        holes, holes_by = hole_bytes(handle, size_bytes), "lseek SEEK_HOLE"
    else:
        holes, holes_by = size_bytes - extents.mapped_bytes, "ioctl FIEMAP"
    return (
        fact("file_size_bytes", size_bytes, "fstat st_size"),
        fact("file_allocated_bytes", status.st_blocks * _BLOCK_BYTES, "fstat st_blocks"),
        fact("file_extent_count", extents.extent_count if extents else None, "ioctl FIEMAP"),
        fact("file_unwritten_bytes", extents.unwritten_bytes if extents else None, "ioctl FIEMAP"),
        fact("file_encoded_bytes", extents.encoded_bytes if extents else None, "ioctl FIEMAP"),
        fact("file_hole_bytes", holes, holes_by),
    )


def _direct(path: str) -> tuple[Fact, ...]:
    """The file is opened for direct I/O where that is possible; tmpfs, FUSE and btrfs take it and read misaligned."""
    handle = _opened_direct(path)
    accepted = handle is not None
    refused: bool | None = None
    if handle is not None:
        try:
            refused = misaligned_refused(handle)
        finally:
            os.close(handle)
    return (
        fact("direct_requested", accepted, "open with O_DIRECT"),
        fact("direct_misaligned_refused", refused, "pread of 1000 bytes at offset 1 with O_DIRECT"),
    )


def _opened_direct(path: str) -> int | None:
    try:
        return open_existing(path, write=False, direct=True)
    except TargetProblem:
        return None


def _nocow(handle: int) -> Fact:
    flags = get_flags(handle)
    return fact("nocow", bool(flags & NOCOW) if flags is not None else None, "ioctl FS_IOC_GETFLAGS")
