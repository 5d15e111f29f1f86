"""Results from a file: graycard's own export, or another tool's."""

from __future__ import annotations

from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS
from graycard.model import Result


def results_of_file(path: str) -> tuple[Result, ...]:
    """The results that the file holds. ImportProblem where it cannot be read, or no importer knows it."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ImportProblem(f"{path} cannot be read ({error.strerror}); check the file") from error
    importer = next((each for each in IMPORTERS if each.recognises(data[:HEAD_BYTES])), None)
    if importer is None:
        names = ", ".join(each.name for each in IMPORTERS)
        raise ImportProblem(f"{path} holds no results of {names}; graycard results export writes such a file")
    try:
        return importer.read(data)
    except ImportProblem as problem:
        raise ImportProblem(f"{path}: {problem}") from problem
