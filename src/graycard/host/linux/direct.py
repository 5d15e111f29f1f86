"""Whether direct I/O is what it says: the alignment that statx(2) tells, and a misaligned read that must fail."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_AT_EMPTY_PATH = 0x1000
_STATX_DIOALIGN = 0x2000  # kernel 6.1
_MASK_AT, _ALIGN_AT = 0, 0x98  # stx_mask; stx_dio_mem_align and stx_dio_offset_align of struct statx
_ODD_BYTES = 1000
_LIBC = ctypes.CDLL(None, use_errno=True)


def direct_align_bytes(handle: int) -> int | None:
    """The larger of the alignments of memory and of offset; None where the kernel or file system names none."""
    statx = getattr(_LIBC, "statx", None)
    if statx is None:
        return None
    answer = ctypes.create_string_buffer(256)
    if statx(handle, b"", _AT_EMPTY_PATH, _STATX_DIOALIGN, answer):
        return None
    mask = struct.unpack_from("=I", answer, _MASK_AT)[0]
    memory, offset = struct.unpack_from("=II", answer, _ALIGN_AT)
    return max(memory, offset) if mask & _STATX_DIOALIGN and offset else None


def misaligned_refused(direct_handle: int) -> bool | None:
    """Read 1000 bytes at offset 1 of a file open for direct I/O: True if refused with EINVAL, False if it worked.

    None for a file too small for the question, or another error.
    """
    if os.fstat(direct_handle).st_size < 1 + _ODD_BYTES:
        return None
    try:
        os.preadv(direct_handle, [memoryview(bytearray(_ODD_BYTES + 1))[1:]], 1)
    except OSError as error:
        return True if error.errno == errno.EINVAL else None
    return False
