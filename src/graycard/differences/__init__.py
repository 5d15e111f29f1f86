"""What differs between two set-ups in the six factors and the medium, the largest suspect first. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.differences.suspects import SUSPECTS
from graycard.facts import TERMS, value
from graycard.model import Difference, Fact

__all__ = ["differences", "known_on_one_side"]


def differences(base: Iterable[Fact], other: Iterable[Fact]) -> tuple[Difference, ...]:
    """The facts that differ, in the order of SUSPECTS; what is not known on both sides is no difference.

    Each `says` is one line with both values, base against other. Foreign text in it is not made printable here.
    """
    bases, others = tuple(base), tuple(other)
    found: dict[str, Difference] = {}
    for suspect in SUSPECTS:
        if suspect.name in found:
            continue
        says = suspect.compares(suspect.name, bases, others)
        if says is not None:
            found[suspect.name] = _difference(suspect.name, bases, others, says)
    return tuple(found.values())


def known_on_one_side(base: Iterable[Fact], other: Iterable[Fact]) -> tuple[str, ...]:
    """Names of the suspects that are known of one set-up alone, largest first: nobody can say whether they differ."""
    bases, others = tuple(base), tuple(other)
    names = dict.fromkeys(suspect.name for suspect in SUSPECTS)
    return tuple(name for name in names if (value(bases, name) is None) != (value(others, name) is None))


def _difference(name: str, bases: tuple[Fact, ...], others: tuple[Fact, ...], says: str) -> Difference:
    term = TERMS[name]
    return Difference(term.factor, name, term.unit, value(bases, name), value(others, name), says)
