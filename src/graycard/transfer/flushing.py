"""A copy is done when it is on the medium: the flush of what was written, timed."""

from __future__ import annotations

import contextlib
import os
import time

from graycard.errors import io_problem
from graycard.model.copying import Place, Scheme

# Windows flushes only what is open for writing. Looked up once: a folder may have many files.
_TO_FLUSH = os.O_RDWR | int(getattr(os, "O_BINARY", 0))
_TO_READ = os.O_RDONLY | int(getattr(os, "O_BINARY", 0))


def flush(place: Place) -> int | None:
    """Flush the file, or every file of the folder; the time in ns. None where no file system is in between.

    RunProblem where the flush fails: then the copy is not safe, whatever the program said.
    """
    if place.scheme is not Scheme.PATH:
        return None
    begun = time.monotonic_ns()
    for path in _files(place.path):
        try:
            _flush(path)
        except OSError as error:
            raise io_problem(error.errno, operation="flush", place=path, phase="flush") from error
    return time.monotonic_ns() - begun


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(parent, name) for parent, _folders, names in os.walk(path) for name in names]


def _flush(path: str) -> None:
    try:
        descriptor = os.open(path, _TO_FLUSH)
    except PermissionError:
        # A copy may be read-only, as its source is; what is open for reading can be flushed as well.
        descriptor = os.open(path, _TO_READ)
    try:
        os.fsync(descriptor)
    finally:
        # A mount by rclone without its cache refuses it only now, though nothing was written by this descriptor.
        with contextlib.suppress(PermissionError):
            os.close(descriptor)
