"""Errors of the operating system around the run's folder, as sentences."""

from __future__ import annotations

import errno
import os
import stat

from graycard.errors import Problem, RunProblem, TargetProblem, io_problem
from graycard.model import Target, TargetKind

_PERMISSION = (errno.EACCES, errno.EPERM)
_GONE = (errno.ENOTCONN, errno.ESTALE, errno.EHOSTDOWN, errno.ENODEV, errno.ENXIO)
_FULL = (errno.ENOSPC, errno.EDQUOT)


def shown(path: str) -> str:
    """A path as one printable line."""
    return Target(path, TargetKind.FOLDER).shown


def cannot_prepare(error: OSError, folder: str) -> Problem:
    """Why the run's folder cannot be made in `folder`: TargetProblem, or RunProblem for an I/O error."""
    place = shown(folder)
    if error.errno in _PERMISSION:
        return TargetProblem(f"You may not write in {place}{_permission(folder)}; choose a folder of your own.")
    if error.errno == errno.EROFS:
        return TargetProblem(f"{place} is read-only; to measure reading alone, use --read-only with a file on it.")
    if error.errno in _FULL:
        return TargetProblem(f"{place} is full ({error.strerror}); make room or choose another folder.")
    if error.errno in _GONE:
        return TargetProblem(f"{place} does not answer ({error.strerror}); connect the drive or share again.")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return TargetProblem(f"{place} is not there or no folder; check the path.")
    return io_problem(
        error.errno or errno.EIO, operation="making the measurement's folder in", place=place, phase="prepare"
    )


def _permission(folder: str) -> str:
    """The permission that is in the way, as " (drwxr-xr-x, owner 0)"; empty where it cannot be read."""
    try:
        info = os.stat(folder)
    except OSError:
        return ""
    return f" ({stat.filemode(info.st_mode)}, owner {info.st_uid})"


def cannot_clean(path: str, reason: str, number: int | None) -> RunProblem:
    """What remains and how it can be removed."""
    parent = os.path.dirname(path)
    return RunProblem(
        f"{shown(path)} could not be removed ({reason}); run “graycard clean {shown(parent)}”, or remove it by hand.",
        errno=number,
        offset_bytes=None,
        phase="cleanup",
    )
