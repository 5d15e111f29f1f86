"""Why a place cannot be measured, in the same sentences on every system: what, where, next step."""

from __future__ import annotations

import errno

from graycard.errors import Problem, RunProblem, TargetProblem, io_problem
from graycard.model import Target, TargetKind

READ_ONLY = "mounted read-only; --read-only FILE measures reading of an existing file"
NOT_YOURS = "this user may not write here; name a folder of yours on it, or use --read-only FILE"
# The same for commands that write, whatever is asked of them: --read-only is an option of measuring.
_FOR_WRITERS = {
    READ_ONLY: "mounted read-only; name a folder on a drive that can be written",
    NOT_YOURS: "this user may not write here; name a folder of yours on it",
}
SILENT_SHARE = "the share does not answer; check that its server runs and can be reached, or unmount it"

_WHY = {
    errno.ENOENT: "is not there; check the name",
    errno.ENOTDIR: "is not there; check the name",
    errno.ELOOP: "is a symbolic link; name the file that it points to",
    errno.EACCES: "may not be opened by this user; name a file or folder of yours",
    errno.EPERM: "may not be opened this way (it may be immutable); name another file or folder",
    errno.EROFS: "is on a read-only volume; use --read-only FILE to measure reading alone",
    errno.ENAMETOOLONG: "has too long a name; choose a shorter one",
    errno.EILSEQ: "has a name that this file system cannot hold; choose a plain one",
    errno.ENOTCONN: "is on a mount whose server is gone; mount it again",
    errno.ESTALE: "is on a share that no longer knows it; mount the share again",
}


def shown(path: str) -> str:
    """The path as one printable line."""
    return Target(path, TargetKind.FILE).shown


def no_path(path: str) -> TargetProblem:
    """The text cannot be a path."""
    return TargetProblem(f"“{shown(path)}” is no path; give a folder or a file on a mounted volume")


def unreachable(error: OSError, path: str) -> Problem:
    """What the user named cannot be looked at."""
    if error.errno == errno.ENOENT:
        return TargetProblem(f"there is no {shown(path)}; check the path and that the volume is mounted")
    if error.errno == errno.ELOOP:
        return TargetProblem(f"the symbolic links of {shown(path)} lead in a circle; name the folder itself")
    return not_opened(error, path)


def raw_device(path: str) -> TargetProblem:
    """Raw devices are never touched."""
    return TargetProblem(
        f"{shown(path)} is a raw device, and graycard never writes to raw devices; give a folder on a mounted volume"
    )


def neither(path: str) -> TargetProblem:
    """Neither file nor folder."""
    return TargetProblem(f"{shown(path)} is a pipe or a socket; give a folder or a regular file")


def no_volume(path: str) -> TargetProblem:
    """The system names no volume for the path."""
    return TargetProblem(f"no mounted volume is known to hold {shown(path)}; check that it is mounted and answers")


def no_direct(path: str) -> TargetProblem:
    """The page cache cannot be bypassed."""
    return TargetProblem(
        f"the file system of {shown(path)} refuses direct I/O; --cache cold measures it through the emptied page cache"
    )


def no_nocow(path: str) -> TargetProblem:
    """Copy-on-write cannot be switched off."""
    return TargetProblem(f"the file system of {shown(path)} cannot switch off copy-on-write; leave out --nocow")


def is_folder(path: str) -> TargetProblem:
    """A folder where a file is needed."""
    return TargetProblem(f"{shown(path)} is a folder; name a file in it")


def is_link(path: str) -> TargetProblem:
    """A symbolic link where a file is needed."""
    return TargetProblem(f"{shown(path)} {_WHY[errno.ELOOP]}")


def not_opened(error: OSError, path: str) -> Problem:
    """An error of the system while a file was prepared."""
    if error.errno in _WHY:
        return TargetProblem(f"{shown(path)} {_WHY[error.errno]}")
    return failed(error, path, "open")


def failed(error: OSError, path: str, operation: str) -> RunProblem:
    """An error of the system in the middle of `operation` (see `errors.io_problem`) on a file that is open."""
    return io_problem(error.errno or errno.EIO, operation=operation, place=shown(path), phase="prepare")


def for_writers(why_not: str) -> str:
    """Why a volume cannot be measured, as a command says it that writes in any case."""
    return _FOR_WRITERS.get(why_not, why_not)
