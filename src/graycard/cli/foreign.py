"""Results from a file: graycard's own export, or another tool's."""

from __future__ import annotations

import io
import os
import stat
from datetime import UTC, datetime
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.importers import Part, read_parts, results_of
from graycard.model import Result


def results_of_file(path: str) -> tuple[Result, ...]:
    """The results that the file holds. ImportProblem where it cannot be read, or no importer knows it."""
    try:
        return results_of(parts_of_file(path))
    except ImportProblem as problem:
        raise ImportProblem(f"{path}: {problem}") from problem


def parts_of_file(path: str) -> tuple[Part, ...]:
    """What each importer found in the file, none where none knows it. ImportProblem where it cannot be read.

    Its date of change stands for the time of results that have none.
    """
    try:
        with open(path, "rb") as file:
            return parts_of_open_file(file, os.path.basename(path))
    except OSError as error:
        raise ImportProblem(f"it cannot be read ({error.strerror}); check the file") from error


def parts_of_open_file(file: BinaryIO, name: str) -> tuple[Part, ...]:
    """As `parts_of_file`; of a pipe, which has no date of change, the present moment stands for the time."""
    try:
        status = os.fstat(file.fileno())
        regular = stat.S_ISREG(status.st_mode)
    except io.UnsupportedOperation:
        regular = False
    changed_at = datetime.fromtimestamp(status.st_mtime, UTC) if regular else datetime.now(UTC)
    return read_parts(file, name, changed_at)
