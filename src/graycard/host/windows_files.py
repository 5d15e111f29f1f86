"""Windows: opening, making and inspecting files, unbuffered where direct I/O is asked for.

Every descriptor is overlapped: on a synchronous one Windows carries out one request at a time. Python's own read and
write cannot use such a descriptor; it is for the engine.
"""

from __future__ import annotations

import os
import secrets

from graycard.errors import Problem, TargetProblem
from graycard.facts import fact
from graycard.host.refusals import failed, is_folder, is_link, no_direct, not_opened, raw_device
from graycard.host.windows_calls import (
    CREATE_NEW,
    FILE_ATTRIBUTE_COMPRESSED,
    FILE_ATTRIBUTE_DIRECTORY,
    FILE_ATTRIBUTE_ENCRYPTED,
    FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_SPARSE_FILE,
    FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_FLAG_OVERLAPPED,
    GENERIC_READ,
    GENERIC_WRITE,
    OPEN_EXISTING,
    FileState,
    WindowsCalls,
)
from graycard.host.windows_paths import extended, is_device
from graycard.model import Fact

_ERROR_INVALID_PARAMETER = 87  # winerror.h: what file systems answer that do not know the flag
_PROBE_BYTES = 1 << 20


def open_existing(path: str, *, write: bool, direct: bool, calls: WindowsCalls) -> int:
    """A descriptor of a regular file; TargetProblem, or RunProblem for an I/O error. The caller closes it.

    A reparse point is opened itself, never what it points to, and refused.
    """
    if is_device(path):
        raise raw_device(path)
    try:
        if calls.attributes(extended(path)) & FILE_ATTRIBUTE_DIRECTORY:
            raise is_folder(path)
        descriptor = calls.open(extended(path), _access(write=write), OPEN_EXISTING, _flags(direct=direct))
    except OSError as error:
        raise _problem(error, path, direct=direct) from error
    try:
        if calls.inspect(descriptor).attributes & FILE_ATTRIBUTE_REPARSE_POINT:
            raise is_link(path)
    except OSError as error:
        os.close(descriptor)
        raise not_opened(error, path) from error
    except TargetProblem:
        os.close(descriptor)
        raise
    return descriptor


def create_new(path: str, *, direct: bool, calls: WindowsCalls) -> int:
    """A new file for reading and writing. FileExistsError for a taken name; else as `open_existing`."""
    if is_device(path):
        raise raw_device(path)
    try:
        return calls.open(extended(path), _access(write=True), CREATE_NEW, _flags(direct=direct))
    except FileExistsError:
        raise
    except OSError as error:
        raise _problem(error, path, direct=direct) from error


def file_facts(path: str, calls: WindowsCalls) -> tuple[Fact, ...]:
    """The factor "file". What lies beyond the valid data length, and what is cached, Windows tells no user."""
    state, direct = _state(path, calls)
    holes = max(0, state.size_bytes - state.allocated_bytes) if state.attributes & FILE_ATTRIBUTE_SPARSE_FILE else 0
    encoded = state.attributes & (FILE_ATTRIBUTE_COMPRESSED | FILE_ATTRIBUTE_ENCRYPTED)
    source = "GetFileInformationByHandleEx"
    return (
        fact("file_size_bytes", state.size_bytes, f"{source} EndOfFile"),
        fact("file_allocated_bytes", state.allocated_bytes, f"{source} AllocationSize"),
        fact("file_hole_bytes", holes, f"{source} FILE_ATTRIBUTE_SPARSE_FILE"),
        fact(
            "file_encoded_bytes", state.size_bytes if encoded else 0, f"{source} FILE_ATTRIBUTE_COMPRESSED, _ENCRYPTED"
        ),
        fact("direct_requested", direct, "CreateFileW FILE_FLAG_NO_BUFFERING"),
    )


def drop_pages(path: str, calls: WindowsCalls) -> None:
    """Open the file unbuffered and close it: Windows then writes its cached pages back and drops them.

    Nothing is dropped while somebody else has the file open or mapped.
    """
    os.close(open_existing(path, write=False, direct=True, calls=calls))


def write_back(path: str, calls: WindowsCalls) -> None:
    """Write the file back to the medium, by dropping its pages where it may only be read; TargetProblem, RunProblem."""
    try:
        descriptor = open_existing(path, write=True, direct=False, calls=calls)
    except TargetProblem:
        drop_pages(path, calls)
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise failed(error, path, "flush") from error
    finally:
        os.close(descriptor)


def compression_probe(folder: str, calls: WindowsCalls) -> tuple[Fact, ...]:
    """Write 1 MiB of zeros into a new file in `folder`, look at what it takes, and remove it.

    TargetProblem or RunProblem where the file cannot be made or written. None: the file system tells no allocation.
    """
    path = os.path.join(folder, f"zeros-{secrets.token_hex(8)}.graycard")
    try:
        allocated = _allocated_for_zeros(path, calls)
    except OSError as error:
        raise failed(error, path, "writing zeros to") from error
    compresses = allocated < _PROBE_BYTES / 2 if allocated else None
    return (fact("volume_compresses", compresses, "AllocationSize of 1 MiB of zeros"),)


def _allocated_for_zeros(path: str, calls: WindowsCalls) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        left = _PROBE_BYTES
        while left:
            left -= os.write(descriptor, bytes(left))
        os.fsync(descriptor)
        return calls.inspect(descriptor).allocated_bytes
    finally:
        os.close(descriptor)
        os.unlink(path)


def _state(path: str, calls: WindowsCalls) -> tuple[FileState, bool]:
    try:
        descriptor, direct = open_existing(path, write=False, direct=True, calls=calls), True
    except TargetProblem:
        descriptor, direct = open_existing(path, write=False, direct=False, calls=calls), False
    try:
        return calls.inspect(descriptor), direct
    except OSError as error:
        raise failed(error, path, "inspecting") from error
    finally:
        os.close(descriptor)


def _access(*, write: bool) -> int:
    return GENERIC_READ | (GENERIC_WRITE if write else 0)


def _flags(*, direct: bool) -> int:
    return FILE_FLAG_OVERLAPPED | FILE_FLAG_OPEN_REPARSE_POINT | (FILE_FLAG_NO_BUFFERING if direct else 0)


def _problem(error: OSError, path: str, *, direct: bool) -> Problem:
    if direct and getattr(error, "winerror", None) == _ERROR_INVALID_PARAMETER:
        return no_direct(path)
    return not_opened(error, path)
