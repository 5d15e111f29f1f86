"""Writing a file's dirty pages back in pieces: one fsync of all of them cannot be cut short on a slow drive.

sync_file_range(2) waits for one range. A few pieces are in flight at a time, so that a drive is not idle between them;
who stops waits for those alone: 2 MiB, a quarter of a second at 8 MB/s. The flush at the end then finds little to do.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time

from graycard.host.linux.descriptors import open_existing
from graycard.host.refusals import failed
from graycard.protocols import Look

PIECE_BYTES = 1 << 20
_AHEAD_BYTES = 1 << 20
# A clean piece takes a microsecond: a look after each would take longer than all of them.
_LOOK_EVERY_NS = 20_000_000
# linux/fs.h
_WAIT_BEFORE, _WRITE, _WAIT_AFTER = 1, 2, 4
_LIBC = ctypes.CDLL(None, use_errno=True)
_RANGE = _LIBC.sync_file_range
_NO_RANGES = {errno.ENOSYS, errno.EINVAL, errno.ESPIPE, errno.EOPNOTSUPP}
_RANGE.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]


def write_back(path: str, look: Look) -> None:
    """Write the file back to the medium; what `look` raises ends it. TargetProblem, RunProblem."""
    handle = open_existing(path, write=False, direct=False)
    try:
        write_pieces(handle, os.fstat(handle).st_size, look)
        os.fdatasync(handle)
    except OSError as error:
        raise failed(error, path, "flush") from error
    finally:
        os.close(handle)


def write_pieces(handle: int, size_bytes: int, look: Look) -> None:
    """Write the dirty pages of an open file back; where file system or kernel knows no ranges they are left dirty.

    OSError is what the medium said: the kernel tells it once for each descriptor, so that no later flush would.
    """
    looked_ns = 0
    for begin in range(0, size_bytes + _AHEAD_BYTES, PIECE_BYTES):
        if time.monotonic_ns() - looked_ns >= _LOOK_EVERY_NS:
            look()
            looked_ns = time.monotonic_ns()
        if not _done(handle, begin, _WRITE):
            return
        if begin >= _AHEAD_BYTES and not _done(handle, begin - _AHEAD_BYTES, _WAIT_BEFORE | _WRITE | _WAIT_AFTER):
            return


def _done(handle: int, begin: int, flags: int) -> bool:
    """Carry that out for one piece; False where there is no such call. OSError."""
    if _RANGE(handle, begin, PIECE_BYTES, flags) == 0:
        return True
    error = ctypes.get_errno()
    if error in _NO_RANGES:
        return False
    raise OSError(error, os.strerror(error))
