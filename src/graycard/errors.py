"""What can go wrong, as one tree; each kind has its own exit code.

    Problem
    ├── PlanProblem      10   refused before the disk was touched
    ├── TargetProblem    11   the place cannot be measured: missing, read-only, a raw device, …
    ├── RunProblem       20   an I/O error in the middle: errno, offset, phase
    ├── AccuracyProblem  21   a check failed: the result is kept and marked
    ├── ImportProblem    30   a file of another tool could not be read: where and what
    ├── StoreProblem     40   the store of results could not be read or written
    └── Interrupted     130   stopped by the user; what was finished is kept

A message is one sentence that says what happened, where, and what to do next.
"""

from __future__ import annotations


class Problem(Exception):
    """Base of everything graycard raises on purpose; the command line prints it and exits with `exit_code`."""

    exit_code = 1


class PlanProblem(Problem):
    """The plan cannot be carried out; nothing was written."""

    exit_code = 10


class TargetProblem(Problem):
    """The target cannot be measured; nothing was written."""

    exit_code = 11


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
