"""Facts in few lines: each of the six factors, the network and the medium in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.facts import TERMS
from graycard.model import Fact
from graycard.readable import fact_title, quantity
from graycard.report.page import Field
from graycard.report.printable import printable
from graycard.report.setup import FACTOR_TITLES, FACTORS

# The file and the instrument are looked at by the checks.
_SHOWN = tuple(factor for factor in FACTORS if factor not in {"file", "instrument"})


def factor_fields(facts: Sequence[Fact]) -> Iterator[Field]:
    """What is known, factor by factor; each fact once."""
    for factor in _SHOWN:
        known = {each.name: each for each in facts if each.name in TERMS and TERMS[each.name].factor == factor}
        told = [_told(each) for each in known.values() if each.value is not None]
        if told:
            yield Field(FACTOR_TITLES[factor], "; ".join(told))


def _told(fact: Fact) -> str:
    return printable(f"{fact_title(fact.name)} {quantity(fact.value, fact.unit)}")
