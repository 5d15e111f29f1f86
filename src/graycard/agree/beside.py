"""Two figures beside each other, and what a reason finds in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graycard.agree.measured import Measured
from graycard.model import Estimate


@dataclass(frozen=True, slots=True)
class Beside:
    """Two figures with their ratio, other over base. `printed_ratio` is that of what the tools printed, or None."""

    base: Measured
    other: Measured
    ratio: Estimate
    printed_ratio: float | None

    def each_way(self) -> tuple[tuple[Measured, Measured, bool], ...]:
        """(one, its partner, whether it is the other): a reason may be found on either side."""
        return (self.other, self.base, True), (self.base, self.other, False)

    def states(self, *names: str) -> bool:
        """Whether both state these fields of the task."""
        return self.base.states(*names) and self.other.states(*names)


@dataclass(frozen=True, slots=True)
class Cause:
    """What a reason found: the ratio (other over base) that it alone would make lies from `low` to `high`.

    `expected` is that ratio where the figures tell it. `certainty` from 0 to 1: 1 where both sides state what differs,
    less where one does not say, or where it is only a guess from the figures. `of_printed` is about the printed ratio.
    """

    name: str
    says: str
    low: float
    high: float
    certainty: float
    expected: float | None = None
    of_printed: bool = False


Finder = Callable[[Beside], Cause | None]

STATED = 1.0
# One side states what would make it differ, the other does not say.
HALF_STATED = 0.5
GUESSED = 0.3


def favours(most: float, *, is_other: bool) -> tuple[float, float]:
    """The range of the ratio where one side is up to `most` times as fast: the other one, or the base."""
    return (1.0, most) if is_other else (1 / most, 1.0)


def fixed(name: str, says: str, expected: float, certainty: float, *, of_printed: bool = False) -> Cause:
    """A cause of known size."""
    return Cause(name, says, expected, expected, certainty, expected, of_printed)
