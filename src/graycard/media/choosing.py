"""From several results the one of each direction that the verdicts rest on, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from graycard.media.suitable import preference, unsuitable
from graycard.media.sustained import Basis, basis_of
from graycard.model import Operation, Result


@dataclass(frozen=True, slots=True)
class Refused:
    """A result that says nothing about streaming; `reason` ends a sentence that begins with the task's label."""

    operation: Operation
    task_label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A basis for each direction that has one, reading first; and what was refused of the newest measurement."""

    bases: tuple[Basis, ...]
    refused: tuple[Refused, ...]

    def of(self, operation: Operation) -> Basis | None:
        """The basis of a direction, or None."""
        return next((basis for basis in self.bases if basis.operation is operation), None)


def choose(newest_first: Iterable[Sequence[Result]], operations: Iterable[Operation]) -> Chosen:
    """The basis of each direction: of the newest measurement that has a suitable result, the preferred one.

    `newest_first` are the results measurement by measurement; no more of them are read than are needed. A result that
    decides goes before one that does not, in its own measurement alone: an older figure never hides a newer one.
    """
    wanted = list(operations)
    found: dict[Operation, Basis] = {}
    refused: list[Refused] | None = None
    for results in newest_first:
        mine = [result for result in results if result.task.operation in wanted]
        if refused is None:
            refused = [Refused(each.task.operation, each.task.label, why) for each in mine if (why := unsuitable(each))]
        for operation in wanted:
            suitable = [each for each in mine if each.task.operation is operation and unsuitable(each) is None]
            if operation not in found and suitable:
                found[operation] = _preferred(suitable)
        if len(found) == len(wanted):
            break
    return Chosen(tuple(found[each] for each in wanted if each in found), tuple(refused or ()))


def by_measurement(results: Iterable[Result]) -> tuple[tuple[Result, ...], ...]:
    """The results in measurements, the newest first."""
    ordered = sorted(results, key=lambda each: each.measurement_id)
    groups = [tuple(group) for _, group in groupby(ordered, key=lambda each: each.measurement_id)]
    return tuple(sorted(groups, key=lambda group: max(each.created_at for each in group), reverse=True))


def _preferred(results: Sequence[Result]) -> Basis:
    ordered = sorted(results, key=preference)
    bases = [basis_of(result) for result in ordered]
    return next((basis for basis in bases if basis.undecided is None), bases[0])
