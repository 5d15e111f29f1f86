"""macOS: opening, creating and inspecting files, with the page cache off before the first byte is moved."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys

from graycard.errors import RunProblem, TargetProblem
from graycard.facts import fact
from graycard.host.macos_calls import MacCalls
from graycard.model import Fact, Target, TargetKind

if sys.platform == "win32":
    raise ImportError("these are the files of macOS")

_BLOCK_BYTES = 512  # unit of st_blocks
_PROBE_BYTES = 1 << 20


def open_regular(path: str, *, write: bool, direct: bool, calls: MacCalls) -> int:
    """A descriptor of an existing regular file; symlinks, pipes and devices are refused without being opened."""
    flags = (os.O_RDWR if write else os.O_RDONLY) | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise _problem("open", path, error) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise TargetProblem(f"{_shown(path)} is not a regular file; name one, or a folder")
        if direct:
            _bypass(descriptor, path, calls)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def create_new(path: str, *, direct: bool, calls: MacCalls) -> int:
    """A descriptor of a file that did not exist; FileExistsError where the name is taken."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise
    except OSError as error:
        raise _problem("create", path, error) from error
    try:
        if direct:
            _bypass(descriptor, path, calls)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def file_facts(path: str, calls: MacCalls) -> tuple[Fact, ...]:
    """The factor "file". Whether blocks were never written, and what is cached, macOS does not tell."""
    descriptor, direct = _open_direct_if_possible(path, calls)
    try:
        status = os.fstat(descriptor)
        holes = hole_bytes(descriptor, status.st_size)
        compressed = calls.compressed(descriptor)
    finally:
        os.close(descriptor)
    return (
        fact("file_size_bytes", status.st_size, "fstat st_size"),
        fact("file_allocated_bytes", status.st_blocks * _BLOCK_BYTES, "fstat st_blocks"),
        fact("file_hole_bytes", holes, "lseek SEEK_HOLE"),
        fact("file_encoded_bytes", status.st_size if compressed else 0, "fstat UF_COMPRESSED"),
        fact("direct_requested", direct, "fcntl F_NOCACHE"),
    )


def hole_bytes(descriptor: int, size_bytes: int) -> int | None:
    """Bytes of the file that no block stands behind; None where the file system cannot tell."""
    found = at = 0
    while at < size_bytes:
        try:
            hole = os.lseek(descriptor, at, os.SEEK_HOLE)
        except OSError:
            return None
        at = _next_data(descriptor, hole, size_bytes)
        found += at - hole
    return found


def drop_pages(path: str, calls: MacCalls) -> None:
    """Write the file back to the medium and drop its pages from the cache."""
    descriptor = open_regular(path, write=False, direct=False, calls=calls)
    try:
        calls.flush(descriptor)
        size_bytes = os.fstat(descriptor).st_size
        if size_bytes:
            calls.evict(descriptor, size_bytes)
    except OSError as error:
        raise _problem("drop the cached pages of", path, error) from error
    finally:
        os.close(descriptor)


def compresses(folder: str, calls: MacCalls) -> bool | None:
    """Whether a MiB of zeros written below `folder` takes less than half its size there; None if that failed."""
    path = os.path.join(folder, "zeros")
    try:
        descriptor = create_new(path, direct=False, calls=calls)
    except (RunProblem, TargetProblem, FileExistsError):
        return None
    try:
        os.write(descriptor, bytes(_PROBE_BYTES))
        calls.flush(descriptor)
        return os.fstat(descriptor).st_blocks * _BLOCK_BYTES < _PROBE_BYTES // 2
    except OSError:
        return None
    finally:
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.unlink(path)


def _next_data(descriptor: int, hole: int, size_bytes: int) -> int:
    try:
        return os.lseek(descriptor, hole, os.SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:  # nothing but hole up to the end
            return size_bytes
        raise


def _open_direct_if_possible(path: str, calls: MacCalls) -> tuple[int, bool]:
    try:
        return open_regular(path, write=False, direct=True, calls=calls), True
    except TargetProblem:
        return open_regular(path, write=False, direct=False, calls=calls), False


def _bypass(descriptor: int, path: str, calls: MacCalls) -> None:
    try:
        calls.bypass_cache(descriptor)
    except OSError as error:
        raise TargetProblem(
            f"the file system of {_shown(path)} refuses to bypass the page cache ({error.strerror}); use --cache cold"
        ) from error


def _problem(action: str, path: str, error: OSError) -> RunProblem:
    says = f"could not {action} {_shown(path)}: {error.strerror}; check the volume and its permissions"
    return RunProblem(says, errno=error.errno, offset_bytes=None, phase="prepare")


def _shown(path: str) -> str:
    return Target(path, TargetKind.FILE).shown
