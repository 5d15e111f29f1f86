"""The stored outputs of other tools beside the repository, and what INDEX.tsv says is right about each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graycard.facts import TERMS
from graycard.model import Fact, FactValue

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"


def sample(name: str) -> bytes:
    """One stored output; without the samples the test is skipped, but never where CI=true."""
    if not SAMPLES.is_dir() and os.environ.get("CI") != "true":
        pytest.skip("the stored samples are not beside the repository")
    return (SAMPLES / name).read_bytes()


def right_values(name: str) -> dict[str, str | int | bool]:
    """The last column of INDEX.tsv for a sample of the form "Key=value; Key=value"."""
    rows = (line.split("\t") for line in sample("INDEX.tsv").decode("utf-8").splitlines())
    column = next(row[-1] for row in rows if row[0] == name)
    return {key: _typed(value) for key, _, value in (pair.partition("=") for pair in column.split("; "))}


def _typed(value: str) -> str | int | bool:
    if value in {"true", "false"}:
        return value == "true"
    return int(value) if value.isdigit() else value


def by_name(facts: tuple[Fact, ...]) -> dict[str, FactValue]:
    """The facts as a mapping, after a look at each: known name, right unit, a source, given once."""
    for each in facts:
        assert each.unit == TERMS[each.name].unit
        assert each.source
    names = [each.name for each in facts]
    assert len(names) == len(set(names)), "a fact was given twice"
    return {each.name: each.value for each in facts}


class Answers:
    """A Runner that answers from a table: the longest beginning of the command that it knows; else nothing."""

    def __init__(self, table: dict[str, bytes]) -> None:
        self.table = table
        self.asked: list[str] = []

    def __call__(self, arguments: tuple[str, ...]) -> bytes:
        command = " ".join(arguments)
        self.asked.append(command)
        known = [key for key in self.table if command.startswith(key)]
        return self.table[max(known, key=len)] if known else b""
