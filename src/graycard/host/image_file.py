"""The file of an image: new, and written whole.

A file that was only reserved (fallocate) would be measured wrongly: its unwritten extents are converted by the first
write to each, which costs the first block of an experiment and not the later ones, and a sparse file is laid out on the
drive in the order in which it happens to be written. So every byte is written once, with data that no file system and
no drive can compress or store once for all.
"""

from __future__ import annotations

import errno
import os

from graycard.protocols import OnWritten

CHUNK_BYTES = 8 << 20
# Each chunk begins elsewhere in the same random bytes; odd, so that equal pieces never stand at equal places of blocks.
_STEP_BYTES = 4099
# Partition tables and superblocks are looked for here: random bytes could be taken for one.
BLANK_BYTES = 1 << 20


def write_whole(handle: int, size_bytes: int, on_written: OnWritten | None) -> None:
    """Fill an empty file with `size_bytes`, the first and last MiB with zeros, and flush it. OSError.

    What `on_written` raises passes through.
    """
    noise = os.urandom(CHUNK_BYTES)
    done = 0
    while done < size_bytes:
        turn = done // CHUNK_BYTES * _STEP_BYTES % CHUNK_BYTES
        _write_all(handle, (noise[turn:] + noise[:turn])[: size_bytes - done])
        done = min(size_bytes, done + CHUNK_BYTES)
        if on_written is not None:
            on_written(done)
    for start in (0, max(0, size_bytes - BLANK_BYTES)):
        os.lseek(handle, start, os.SEEK_SET)
        _write_all(handle, bytes(min(BLANK_BYTES, size_bytes)))
    os.fsync(handle)


def fill_holes(handle: int, on_written: OnWritten | None, hole: int, data: int) -> None:
    """Write zeros where a file has holes, which read as zeros already, and flush it. OSError.

    `hole` and `data` are the system's numbers SEEK_HOLE and SEEK_DATA.
    """
    size = os.fstat(handle).st_size
    start = os.lseek(handle, 0, hole) if size else size
    while start < size:
        end = _next_data(handle, start, size, data)
        os.lseek(handle, start, os.SEEK_SET)
        while start < end:
            _write_all(handle, bytes(min(CHUNK_BYTES, end - start)))
            start = min(end, start + CHUNK_BYTES)
            if on_written is not None:
                on_written(start)
        start = os.lseek(handle, end, hole) if end < size else size
    os.fsync(handle)


def _next_data(handle: int, start: int, size: int, data: int) -> int:
    """Where data begin after `start`; the end of the file where there are none (ENXIO)."""
    try:
        return os.lseek(handle, start, data)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return size
        raise


def _write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]
