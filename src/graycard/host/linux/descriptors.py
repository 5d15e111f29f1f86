"""Opening and making files, and emptying the page cache of one file.

A file is first looked at through O_PATH: no pipe can block, no device is woken, no last symlink is followed,
and what was looked at is what is then opened.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from graycard.errors import Problem, TargetProblem
from graycard.host.linux.inode_flags import NOCOW, set_flag
from graycard.host.refusals import failed
from graycard.model import Target, TargetKind

_NO_DIRECT = {errno.EINVAL, errno.EOPNOTSUPP}
_WHY = {
    errno.ENOENT: "is not there; check the name",
    errno.ENOTDIR: "is not there; check the name",
    errno.ELOOP: "is a symbolic link; name the file that it points to",
    errno.EACCES: "may not be opened by this user; name a file or folder of yours",
    errno.EPERM: "may not be opened this way (it may be immutable); name another file or folder",
    errno.EROFS: "is on a read-only volume; use --read-only FILE to measure reading alone",
    errno.ENAMETOOLONG: "has too long a name; choose a shorter one",
    errno.EILSEQ: "has a name that this file system cannot hold; choose a plain one",
    errno.ETXTBSY: "is a running program; name another file",
    errno.ENOTCONN: "is on a mount whose server is gone; mount it again",
    errno.ESTALE: "is on a share that no longer knows it; mount the share again",
}


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
    shown = Target(path, TargetKind.FILE).shown
    if direct and error.errno in _NO_DIRECT:
        return TargetProblem(
            f"the file system of {shown} refuses direct I/O; --cache cold measures it through the emptied page cache"
        )
    if error.errno in _WHY:
        return TargetProblem(f"{shown} {_WHY[error.errno]}")
    return failed(error, path, "open")


def _must_be_regular(mode: int, path: str) -> None:
    if stat.S_ISREG(mode):
        return
    shown = Target(path, TargetKind.FILE).shown
    if stat.S_ISLNK(mode):
        raise TargetProblem(f"{shown} {_WHY[errno.ELOOP]}")
    if stat.S_ISDIR(mode):
        raise TargetProblem(f"{shown} is a folder; name a file in it")
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise TargetProblem(f"{shown} is a raw device, which graycard never opens; give a folder on a mounted volume")
    raise TargetProblem(f"{shown} is a pipe or a socket; name a regular file")


def _switch_off_cow(handle: int, path: str) -> None:
    if not set_flag(handle, NOCOW):
        shown = Target(path, TargetKind.FILE).shown
        raise TargetProblem(f"the file system of {shown} cannot switch off copy-on-write; leave out --nocow")
