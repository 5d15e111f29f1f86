"""The stored files of other tools: our own in tests/fixtures, and those beside the repository."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
OWN = TESTS / "fixtures"
SHARED = TESTS.parent.parent / "shared" / "samples"
stored = pytest.mark.skipif(
    not SHARED.is_dir() and os.environ.get("CI") != "true", reason="the stored samples of other tools are not here"
)
# What says what the files are, and the stores of older versions.
_NO_SAMPLE = {"README.md", "INDEX.tsv"}


@dataclass(frozen=True)
class Indexed:
    """One line of the index of the stored samples."""

    file: str
    tool: str
    right_values: str


def index() -> tuple[Indexed, ...]:
    """What the index says of each stored sample; nothing where they are not here."""
    if not SHARED.is_dir():
        return ()
    with (SHARED / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(Indexed(row[0], row[1], row[7]) for row in rows[1:])


def own_samples() -> tuple[Path, ...]:
    """Our own samples: the files in the folders of tests/fixtures."""
    return tuple(sorted(path for path in OWN.glob("*/*") if path.is_file() and path.name not in _NO_SAMPLE))


def all_samples() -> tuple[Path, ...]:
    """Our own and the stored samples."""
    theirs = SHARED.glob("*/*") if SHARED.is_dir() else ()
    return (*own_samples(), *sorted(path for path in theirs if path.is_file()))
