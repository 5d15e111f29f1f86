"""What can go wrong, as one tree; each kind has its own exit code.

    Problem
    ├── PlanProblem      10   refused before the disk was touched
    ├── TargetProblem    11   the place cannot be measured: missing, read-only, a raw device, …
    ├── WaitingProblem   12   a person has to do something first; the same command goes on then
    ├── RunProblem       20   an I/O error in the middle: errno, offset, phase
    ├── AccuracyProblem  21   a check failed: the result is kept and marked
    ├── ImportProblem    30   a file of another tool could not be read: where and what
    ├── StoreProblem     40   the store of results could not be read or written
    └── Interrupted     130   stopped by the user; what was finished is kept

A message is one sentence that says what happened, where, and what to do next.
"""

from __future__ import annotations

import errno
import os


class Problem(Exception):
    """Base of everything graycard raises on purpose; the command line prints it and exits with `exit_code`."""

    exit_code = 1


class PlanProblem(Problem):
    """The plan cannot be carried out; nothing was written."""

    exit_code = 10


class TargetProblem(Problem):
    """The target cannot be measured; nothing was written."""

    exit_code = 11


class WaitingProblem(Problem):
    """An experiment waits for a step that a person does; the same command goes on when it is done."""

    exit_code = 12


class RunProblem(Problem):
    """An I/O call failed while measuring.

    `errno` is the operating system's number or None, `offset_bytes` the place in the file or None,
    `phase` one of "layout", "measure", "flush", "close", "prepare", "cleanup".
    """

    exit_code = 20

    def __init__(self, message: str, *, errno: int | None, offset_bytes: int | None, phase: str) -> None:
        super().__init__(message)
        self.errno = errno
        self.offset_bytes = offset_bytes
        self.phase = phase


class AccuracyProblem(Problem):
    """A check failed: the figure was stored and shown, but it is not what it claims to be."""

    exit_code = 21


class ImportProblem(Problem):
    """A foreign result file could not be understood."""

    exit_code = 30


class StoreProblem(Problem):
    """The store of results could not be read or written."""

    exit_code = 40


class Interrupted(Problem):
    """The user stopped the measurement (Ctrl-C, SIGTERM); finished runs were kept."""

    exit_code = 130


# What an errno means to a user, and what to do next. A name that a platform lacks is never met there.
_TOLD = {
    "ENOSPC": ("the volume is full", "free some space or choose a smaller size"),
    "EDQUOT": ("the quota is used up", "free some space, raise the quota or choose a smaller size"),
    "EFBIG": ("the file would grow beyond the largest size allowed", "choose a size below 4 GiB or raise ulimit -f"),
    "EIO": ("the device or the server reported an I/O error", "check cable and drive, then look into the system log"),
    "EROFS": ("the file system is or became read-only", "mount it writable, or measure reading with --read-only"),
    "ENOTCONN": ("the file system went away", "mount the share or drive again, then repeat"),
    "ESHUTDOWN": ("the file system went away", "mount the share or drive again, then repeat"),
    "ECONNABORTED": ("the file system went away", "mount the share or drive again, then repeat"),
    "EHOSTDOWN": ("the server does not answer", "check the network and mount the share again"),
    "ETIMEDOUT": ("the server does not answer", "check the network and mount the share again"),
    "ESTALE": ("the server no longer knows the file", "mount the share again, then repeat"),
    "ENOENT": ("the file is gone", "make sure that nothing removes it and the drive stays connected, then repeat"),
    "ENODEV": ("the device is gone", "plug the drive in again, then repeat"),
    "ENXIO": ("the device is gone", "plug the drive in again, then repeat"),
    "EACCES": ("access was denied", "choose a folder that you may write to"),
    "EPERM": ("the system does not allow it", "choose another folder or ask the administrator"),
    "EINVAL": ("the system refused the request", "choose a block size that is a multiple of 4 KiB, or --cache warm"),
    "EOPNOTSUPP": ("the file system cannot do it", "choose another cache mode or durability"),
    "ENOMEM": ("memory is short", "close other programs, or choose a smaller block or depth"),
    "EAGAIN": ("the system is short of threads or memory", "close other programs, or choose a smaller depth"),
    "EMFILE": ("too many files are open", "raise ulimit -n or choose fewer workers"),
}
_DOING = {"read": "reading", "write": "writing", "flush": "flushing", "close": "closing", "open": "opening"}


def io_problem(
    code: int | None,
    *,
    operation: str,
    place: str,
    offset_bytes: int | None = None,
    phase: str,
    advice: str | None = None,
) -> RunProblem:
    """The RunProblem of a failed I/O call, as one sentence: what happened, where, and the next step.

    `code` is the errno; None or 0 means that the transfer was cut short without an error. `operation` is one of
    "read", "write", "flush", "close", "open", or another verb in its -ing form; `place` the path as shown to users.
    `advice` is the next step where it is not the usual one of a measurement.
    """
    at = f" at byte {offset_bytes}" if offset_bytes is not None else ""
    where = f"while {_DOING.get(operation, operation)} {place}{at}"
    if not code:
        what = "the file ended early" if operation == "read" else "the transfer was cut short"
        usual = "make sure that nothing else changes the file, then repeat"
        return RunProblem(f"{what} {where}; {advice or usual}", errno=None, offset_bytes=offset_bytes, phase=phase)
    name = errno.errorcode.get(code, str(code))
    name = "EOPNOTSUPP" if code == errno.EOPNOTSUPP else name
    what, usual = _TOLD.get(name, (os.strerror(code), "look into the system log"))
    return RunProblem(f"{what} ({name}) {where}; {advice or usual}", errno=code, offset_bytes=offset_bytes, phase=phase)
