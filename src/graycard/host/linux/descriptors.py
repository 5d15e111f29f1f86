"""Opening and making files, and emptying the page cache of one file.

A file is first looked at through O_PATH: no pipe can block, no device is woken, no last symlink is followed,
and what was looked at is what is then opened.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from graycard.errors import Problem
from graycard.host.linux.inode_flags import NOCOW, set_flag
from graycard.host.refusals import (
    failed,
    is_folder,
    is_link,
    neither,
    no_direct,
    no_nocow,
    not_opened,
    raw_device,
)

_NO_DIRECT = {errno.EINVAL, errno.EOPNOTSUPP}


def open_existing(path: str, *, write: bool, direct: bool) -> int:
    """A descriptor of a regular file; TargetProblem, or RunProblem for an I/O error. The caller closes it."""
    flags = (os.O_RDWR if write else os.O_RDONLY) | (os.O_DIRECT if direct else 0)
    try:
        seen = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise problem(error, path) from error
    try:
        _must_be_regular(os.fstat(seen).st_mode, path)
        return os.open(f"/proc/self/fd/{seen}", flags | os.O_CLOEXEC)
    except OSError as error:
        raise problem(error, path, direct=direct) from error
    finally:
        os.close(seen)


def create_new(path: str, *, direct: bool, nocow: bool) -> int:
    """A new file for reading and writing, mode 0600. FileExistsError for a taken name; else as `open_existing`.

    A file that could not be made as asked is removed again.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        plain = os.open(path, flags, 0o600)
    except FileExistsError:
        raise
    except OSError as error:
        raise problem(error, path) from error
    try:
        if nocow:
            _switch_off_cow(plain, path)
        return open_existing(path, write=True, direct=True) if direct else os.dup(plain)
    except Problem:
        with suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(plain)


def evict(path: str) -> None:
    """Write the file back and drop its pages from the page cache; pages that others have mapped stay."""
    handle = open_existing(path, write=False, direct=False)
    try:
        os.fdatasync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        raise failed(error, path, "flush") from error
    finally:
        os.close(handle)


def problem(error: OSError, path: str, *, direct: bool = False) -> Problem:
    """The error as one sentence: what, where, next step."""
    return no_direct(path) if direct and error.errno in _NO_DIRECT else not_opened(error, path)


def _must_be_regular(mode: int, path: str) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISLNK(mode):
        raise is_link(path)
    if stat.S_ISDIR(mode):
        raise is_folder(path)
    raise raw_device(path) if stat.S_ISBLK(mode) or stat.S_ISCHR(mode) else neither(path)


def _switch_off_cow(handle: int, path: str) -> None:
    if not set_flag(handle, NOCOW):
        raise no_nocow(path)
