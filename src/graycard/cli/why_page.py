"""What `graycard why` and `graycard watch` show: the diagnosis, and what looking cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graycard.diagnosis.material import Material
from graycard.diagnosis.watching import Sight
from graycard.model import SCHEMA
from graycard.model.diagnosis import Diagnosis, Evidence
from graycard.report.page import Block, Note, Page, Tone
from graycard.report.printable import printable
from graycard.report.why import diagnosis_page
from graycard.units import percent
from graycard.why import judge


@dataclass(frozen=True, slots=True)
class MonitorCost:
    """Processor time that looking took, as a share of one core at each end; None where it is not known."""

    near_ratio: float | None
    far_ratio: float | None


@dataclass(frozen=True, slots=True)
class WhyDocument:
    """What `why --json` and `watch --json` print. `evidence` is all that was measured, `says` what could not be.

    `is_whole` is false where it ended early.
    """

    schema: str = SCHEMA
    diagnosis: Diagnosis | None = None
    evidence: Evidence | None = None
    cost: MonitorCost | None = None
    is_whole: bool = True
    says: tuple[str, ...] = ()


def document_of(material: Material, *, is_whole: bool) -> WhyDocument:
    """What is known now."""
    evidence = material.evidence()
    cost = MonitorCost(material.cost.near_ratio, material.cost.far_ratio)
    return WhyDocument(
        diagnosis=judge(evidence), evidence=evidence, cost=cost, is_whole=is_whole, says=tuple(material.says)
    )


def document_of_sight(sight: Sight) -> WhyDocument:
    """What was seen of another program's copy."""
    evidence = sight.evidence()
    cost = MonitorCost(sight.cost.near_ratio, sight.cost.far_ratio)
    return WhyDocument(diagnosis=judge(evidence), evidence=evidence, cost=cost)


def why_page(document: WhyDocument) -> Page:
    """The diagnosis, what failed, and what looking cost."""
    return tuple(_blocks(document))


def _blocks(document: WhyDocument) -> Iterator[Block]:
    if not document.is_whole:
        yield Note("It ended early: this is what was known until then.", Tone.CAVEAT)
    if document.diagnosis is not None:
        yield from diagnosis_page(document.diagnosis)
    yield from (Note(printable(sentence), Tone.CAVEAT) for sentence in document.says)
    if document.cost is not None:
        yield from _cost(document.cost)


def _cost(cost: MonitorCost) -> Iterator[Block]:
    known = ((cost.near_ratio, "here"), (cost.far_ratio, "at the server"))
    parts = [f"{percent(ratio)} of a core {where}" for ratio, where in known if ratio is not None]
    if parts:
        yield Note(f"Looking took {' and '.join(parts)}.", Tone.QUIET)
