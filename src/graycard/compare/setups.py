"""The facts of a group's set-up, as they stand for all of its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.facts import fact
from graycard.model import Fact, Result

# Read after each run: they tell more about the run than the reading before the first.
_AFTER_RUN = ("temperature_celsius", "throttled")


def setup_of(results: Sequence[Result]) -> tuple[Fact, ...]:
    """The facts of the newest result, the last readings of its temperature, and the program that measured."""
    newest = max(results, key=lambda result: result.created_at)
    return (*newest.facts, *_readings(newest), fact("measured_by", _program(newest), "result"))


def _readings(result: Result) -> Iterator[Fact]:
    for run in result.runs:
        yield from (each for each in run.after if each.name in _AFTER_RUN)


def _program(result: Result) -> str:
    """Graycard's own version is a fact of its own."""
    origin = result.origin
    version = None if origin.tool == "graycard" else origin.tool_version
    return " ".join(part for part in (origin.tool, version, origin.engine) if part)
