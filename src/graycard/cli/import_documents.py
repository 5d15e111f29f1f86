"""What `graycard import` prints with --json."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import SCHEMA, Result


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One file: the importers that found results in it, and the results' ids. `known_count` of them were stored before.

    `problems` are sentences; `is_foreign` says that no tool is known to write such a file. A file without results and
    diagnoses, for whatever reason, was not imported.
    """

    file: str
    tools: tuple[str, ...] = ()
    result_ids: tuple[str, ...] = ()
    known_count: int = 0
    problems: tuple[str, ...] = ()
    is_foreign: bool = False
    diagnosis_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportDocument:
    """What was found in each file, and all results with their runs. `stored` is False after --dry-run."""

    schema: str = SCHEMA
    stored: bool = True
    files: tuple[ImportedFile, ...] = ()
    results: tuple[Result, ...] = ()
