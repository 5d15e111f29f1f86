"""macOS: opening, making and inspecting files, with the page cache off before the first byte is moved."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress

from graycard.errors import Problem, TargetProblem
from graycard.facts import fact
from graycard.host.macos_calls import OPEN_FLAGS, SEEK_DATA, SEEK_HOLE, MacCalls, allocated_bytes
from graycard.host.refusals import failed, is_folder, neither, no_direct, not_opened, raw_device
from graycard.model import Fact

_PROBE_BYTES = 1 << 20


def open_existing(path: str, *, write: bool, direct: bool, calls: MacCalls) -> int:
    """A descriptor of a regular file; TargetProblem, or RunProblem for an I/O error. The caller closes it."""
    try:
        descriptor = os.open(path, (os.O_RDWR if write else os.O_RDONLY) | OPEN_FLAGS)
    except OSError as error:
        raise not_opened(error, path) from error
    try:
        _must_be_regular(os.fstat(descriptor).st_mode, path)
        _bypass_cache(descriptor, path, calls, direct=direct)
    except Problem:
        os.close(descriptor)
        raise
    return descriptor


def create_new(path: str, *, direct: bool, calls: MacCalls) -> int:
    """A new file for reading and writing, mode 0600. FileExistsError for a taken name; else as `open_existing`.

    A file that could not be made as asked is removed again.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, 0o600)
    except FileExistsError:
        raise
    except OSError as error:
        raise not_opened(error, path) from error
    try:
        _bypass_cache(descriptor, path, calls, direct=direct)
    except Problem:
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(path)
        raise
    return descriptor


def file_facts(path: str, calls: MacCalls) -> tuple[Fact, ...]:
    """The factor "file". macOS does not tell which blocks were never written, nor what of a file is cached."""
    descriptor, direct = _open_direct_if_possible(path, calls)
    try:
        size_bytes = os.fstat(descriptor).st_size
        return (
            fact("file_size_bytes", size_bytes, "fstat st_size"),
            fact("file_allocated_bytes", allocated_bytes(descriptor), "fstat st_blocks"),
            fact("file_hole_bytes", hole_bytes(descriptor, size_bytes), "lseek SEEK_HOLE"),
            fact("file_encoded_bytes", size_bytes if calls.compressed(descriptor) else 0, "fstat UF_COMPRESSED"),
            fact("direct_requested", direct, "fcntl F_NOCACHE"),
        )
    except OSError as error:
        raise failed(error, path, "inspecting") from error
    finally:
        os.close(descriptor)


def hole_bytes(descriptor: int, size_bytes: int) -> int | None:
    """Bytes of the file that no block stands behind; None where the file system cannot tell."""
    found = at = 0
    while at < size_bytes:
        try:
            hole = os.lseek(descriptor, at, SEEK_HOLE)
            at = _next_data(descriptor, hole, size_bytes)
        except OSError:
            return None
        found += at - hole
    return found


def drop_pages(path: str, calls: MacCalls) -> None:
    """Write the file back to the medium and drop its pages from the cache."""
    descriptor = open_existing(path, write=False, direct=False, calls=calls)
    try:
        calls.flush(descriptor)
        size_bytes = os.fstat(descriptor).st_size
        if size_bytes:
            calls.evict(descriptor, size_bytes)
    except OSError as error:
        raise failed(error, path, "flush") from error
    finally:
        os.close(descriptor)


def write_back(path: str, calls: MacCalls) -> None:
    """Write the file back to the medium; TargetProblem, RunProblem."""
    descriptor = open_existing(path, write=False, direct=False, calls=calls)
    try:
        calls.flush(descriptor)
    except OSError as error:
        raise failed(error, path, "flush") from error
    finally:
        os.close(descriptor)


def compression_probe(folder: str, calls: MacCalls) -> tuple[Fact, ...]:
    """Write 1 MiB of zeros into a new file in `folder`, look at what it takes, and remove it.

    TargetProblem or RunProblem where the file cannot be made or written. None: the file system tells no blocks.
    """
    path = os.path.join(folder, f"zeros-{secrets.token_hex(8)}.graycard")
    descriptor = create_new(path, direct=False, calls=calls)
    try:
        _write_zeros(descriptor)
        calls.flush(descriptor)
        allocated = allocated_bytes(descriptor)
        os.unlink(path)
    except OSError as error:
        raise failed(error, path, "writing zeros to") from error
    finally:
        os.close(descriptor)
        with suppress(OSError):  # where it was not reached above
            os.unlink(path)
    compresses = allocated < _PROBE_BYTES / 2 if allocated else None
    return (fact("volume_compresses", compresses, "st_blocks of 1 MiB of zeros"),)


def _write_zeros(descriptor: int) -> None:
    left = _PROBE_BYTES
    while left:
        left -= os.write(descriptor, bytes(left))


def _next_data(descriptor: int, hole: int, size_bytes: int) -> int:
    if hole >= size_bytes:
        return hole
    try:
        return os.lseek(descriptor, hole, SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a hole up to the end
            return size_bytes
        raise


def _open_direct_if_possible(path: str, calls: MacCalls) -> tuple[int, bool]:
    descriptor = open_existing(path, write=False, direct=False, calls=calls)
    try:
        _bypass_cache(descriptor, path, calls, direct=True)
    except TargetProblem:
        return descriptor, False
    return descriptor, True


def _bypass_cache(descriptor: int, path: str, calls: MacCalls, *, direct: bool) -> None:
    if not direct:
        return
    try:
        calls.bypass_cache(descriptor)
    except OSError as error:
        raise no_direct(path) from error


def _must_be_regular(mode: int, path: str) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise is_folder(path)
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise raw_device(path)
    raise neither(path)
