"""How the results of a report stand together: measurements, set-ups and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from graycard.facts import value
from graycard.model import Result
from graycard.report.printable import printable, short_name

# So many measurements are shown with charts and in detail; the others in one table.
DETAILED_COUNT = 6


@dataclass(frozen=True, slots=True)
class Group:
    """The results of one measurement of one place; `arm` is what to call their set-up, printable and short."""

    arm: str
    results: tuple[Result, ...]


def groups(results: Sequence[Result]) -> tuple[Group, ...]:
    """Results that were measured together, in the order given."""
    found = [tuple(own) for _, own in groupby(results, key=lambda each: (each.measurement_id, each.target.path))]
    names = [_name(own[0]) for own in found]
    # Measurements of one place are told apart by their time.
    return tuple(
        Group(name if names.count(name) == 1 else f"{name}, {own[0].created_at:%Y-%m-%d %H:%M}", own)
        for name, own in zip(names, found, strict=True)
    )


def _name(result: Result) -> str:
    """The configuration of an experiment, else the path; shortened where it is long."""
    return short_name(result.trial.configuration if result.trial else result.target.path)


def volume_words(result: Result) -> str:
    """File system, device and bus in one line, as far as they are known: "ext4 on Samsung 990, nvme"."""
    names = ("file_system", "mount_source", "device_model", "bus")
    file_system, source, model, bus = (value(result.facts, name) for name in names)
    device = model or source
    where = f"{file_system} on {device}" if file_system and device else file_system or device
    return printable(", ".join(str(part) for part in (where, bus) if part))
