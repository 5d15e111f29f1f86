"""The facts of a set-up as a page: warnings first, then the six factors and the medium, each fact with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graycard.facts import TERMS
from graycard.model import Fact
from graycard.readable import fact_title, quantity
from graycard.report.page import Block, Field, Heading, Note, Page, Tone
from graycard.report.printable import printable
from graycard.report.warnings import warnings

# In the order of the question "what changed?"; counters and levels mean something only as differences.
# The network is a part of the connection that only a test of it can tell.
FACTORS = (
    "format",
    "software",
    "connection",
    "network",
    "fullness",
    "system",
    "business",
    "medium",
    "file",
    "instrument",
)
FACTOR_TITLES = {
    "format": "Format",
    "software": "Software",
    "connection": "Connection",
    "network": "Network, as tested",
    "fullness": "How full",
    "system": "Operating system and computer",
    "business": "How busy and how warm",
    "medium": "Medium",
    "file": "File",
    "instrument": "Instrument",
}


def setup_page(shown_path: str, facts: Iterable[Fact]) -> Page:
    """The warnings and the known facts of `shown_path`, factor by factor; what is not known is named once below."""
    known = tuple(facts)
    blocks: list[Block] = [Heading(printable(shown_path))]
    blocks += [Note(printable(said), Tone.CAVEAT, "WARNING") for said in warnings(known)]
    for factor in FACTORS:
        blocks += _factor(factor, known)
    return tuple(blocks)


def _factor(factor: str, facts: Iterable[Fact]) -> Iterator[Block]:
    mine = [fact for fact in facts if fact.name in TERMS and TERMS[fact.name].factor == factor]
    known = list(dict.fromkeys(fact for fact in mine if fact.value is not None))
    unknown = dict.fromkeys(fact.name for fact in mine if fact.name not in {each.name for each in known})
    if not mine:
        return
    yield Heading(FACTOR_TITLES[factor])
    for fact in known:
        shown = printable(quantity(fact.value, fact.unit))
        yield Field(fact_title(fact.name), shown, printable(fact.source))
    if unknown:
        yield Field("not known", ", ".join(fact_title(name) for name in unknown))
