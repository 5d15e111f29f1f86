"""How much of a file is in the page cache: cachestat(2), else mincore(2)."""

from __future__ import annotations

import ctypes
import mmap
import os

_CACHESTAT = 451  # the same number on all machines but alpha; kernel 6.5
_OVERLAYFS = 0x794C7630  # OVERLAYFS_SUPER_MAGIC: f_type of statfs(2), its first field
_PROT_READ, _MAP_SHARED = 1, 1
_WINDOW_BYTES = 1 << 30
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_int64]
_LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_LIBC.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
_FAILED = ctypes.c_void_p(-1).value


class _Range(ctypes.Structure):
    _fields_ = (("off", ctypes.c_uint64), ("len", ctypes.c_uint64))


class _Stat(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("cache", "dirty", "writeback", "evicted", "recently_evicted"))


def cached_bytes(handle: int, size_bytes: int) -> tuple[int | None, str]:
    """Bytes of an open file that are in the page cache, or None, and the call that told."""
    if size_bytes == 0:
        return 0, "empty file"
    told = _cachestat(handle)
    if told is not None:
        return min(told.cache * mmap.PAGESIZE, size_bytes), "cachestat"
    pages = _mincore(handle, size_bytes)
    return (min(pages * mmap.PAGESIZE, size_bytes) if pages is not None else None), "mincore"


def dirty_bytes(handle: int) -> int | None:
    """Bytes of an open file that wait to be written back or are being so; None where only mincore(2) tells."""
    told = _cachestat(handle)
    return (told.dirty + told.writeback) * mmap.PAGESIZE if told is not None else None


def _on_overlay(handle: int) -> bool:
    """On an overlay cachestat counts the overlay's own pages, of which there are none; a mapping shows the file's."""
    told = (ctypes.c_long * 32)()
    return not _LIBC.fstatfs(handle, told) and told[0] == _OVERLAYFS


def _cachestat(handle: int) -> _Stat | None:
    if _on_overlay(handle):
        return None
    whole, told = _Range(0, 0), _Stat()
    failed = _LIBC.syscall(
        ctypes.c_long(_CACHESTAT), ctypes.c_uint(handle), ctypes.byref(whole), ctypes.byref(told), ctypes.c_uint(0)
    )
    return None if failed else told


def _mincore(handle: int, size_bytes: int) -> int | None:
    """The kernel tells the truth only to those who own or may write the file; to others every page is cached."""
    if not (os.fstat(handle).st_uid == os.geteuid() or os.access(f"/proc/self/fd/{handle}", os.W_OK)):
        return None
    pages = 0
    for start in range(0, size_bytes, _WINDOW_BYTES):
        found = _mincore_window(handle, start, min(_WINDOW_BYTES, size_bytes - start))
        if found is None:
            return None
        pages += found
    return pages


def _mincore_window(handle: int, start: int, length: int) -> int | None:
    address = _LIBC.mmap(None, length, _PROT_READ, _MAP_SHARED, handle, start)
    if address is None or address == _FAILED:
        return None
    try:
        present = ctypes.create_string_buffer(-(-length // mmap.PAGESIZE))
        if _LIBC.mincore(address, length, present):
            return None
        return present.raw.count(1)
    finally:
        _LIBC.munmap(address, length)
