"""Why a copy is slow, as a page: the answer, what each layer leaves, where the time went, causes, what is not known."""

from __future__ import annotations

import math
from collections.abc import Iterator

from graycard.model.diagnosis import (
    Certainty,
    Diagnosis,
    Finding,
    Layer,
    MonitorCost,
    Severity,
    Slices,
    Step,
    Swing,
    Waiting,
)
from graycard.readable import ABSENT
from graycard.report.figures import rate, rate_interval
from graycard.report.page import Block, Column, Field, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import format_duration, format_rate, percent

ENDED_EARLY = "It ended early: this is what was known until then."
_BAR_WIDTH = 12
_STEPS = (
    Column("Layer"),
    Column("Alone", right=True),
    Column("", joined=True),
    Column("Loses", right=True),
    Column(""),
)
_SLICES = (Column("Time spent on"), Column("Time", right=True), Column("Share", right=True), Column(""))
_TONES = {Severity.VOID: Tone.FAILED, Severity.LIMIT: Tone.STRONG, Severity.NOTICE: Tone.CAVEAT}


def layer_words(layer: str) -> str:
    """A layer by the text of its value, as it stands in lists and headings."""
    return {Layer.NONE.value: "no layer stands out", Layer.NOT_JUDGED.value: "no verdict"}.get(layer, layer)


def diagnosis_page(diagnosis: Diagnosis) -> Page:
    """The whole diagnosis; nothing is left out but what was not measured at all."""
    return tuple(_blocks(diagnosis))


def _blocks(diagnosis: Diagnosis) -> Iterator[Block]:
    way = "to" if diagnosis.action.value == "send" else "from"
    named = "" if diagnosis.layer in (Layer.NONE, Layer.NOT_JUDGED) else f": {diagnosis.layer.value}"
    yield Heading(f"{printable(diagnosis.tool)} {way} the share{named}")
    yield Note(printable(diagnosis.says), Tone.PLAIN if diagnosis.layer is Layer.NONE else Tone.STRONG)
    yield from _steps(diagnosis.steps)
    yield from slices_table(diagnosis.slices)
    yield from swing_fields(diagnosis.swing)
    for number, finding in enumerate(diagnosis.findings, 1):
        yield from _finding(number, finding, is_told=finding.claim in diagnosis.says)
    if diagnosis.unknowns:
        yield Heading("What is not known")
        for words in diagnosis.unknowns:
            yield Note(printable(words), Tone.QUIET)


def _steps(steps: tuple[Step, ...]) -> Iterator[Block]:
    """A bar a layer; a layer that alone is 100 times faster than the slowest still fits, on a scale of roots."""
    most = max((step.rate.value for step in steps if step.rate and step.rate.value > 0), default=0.0)
    if not math.isfinite(most) or most <= 0:
        return
    yield Table(_STEPS, tuple(_step(step, most) for step in steps))


def _step(step: Step, most: float) -> Row:
    if step.rate is None:
        return Row((printable(step.label), ABSENT, "", "", "not measured"), Tone.QUIET)
    lost = percent(step.lost_ratio) if step.lost_ratio else ""
    return Row((printable(step.label), rate(step.rate), rate_interval(step.rate), lost, _bar(step.rate.value / most)))


def _bar(ratio: float) -> str:
    """Blocks; the square root keeps slow layers visible beside fast ones, and anything at all gets one."""
    return "█" * max(1, round(_BAR_WIDTH * math.sqrt(min(1.0, ratio)))) if ratio > 0 else ""


def slices_table(slices: Slices | None) -> Iterator[Table]:
    """What the time was spent on; nothing where that is not known."""
    if slices is None or not slices.kinds or slices.step_ns <= 0:
        return
    yield Table(_SLICES, tuple(_slice(slices, kind) for kind in Waiting if slices.ratio(kind)))


def _slice(slices: Slices, kind: Waiting) -> Row:
    ratio = slices.ratio(kind)
    return Row((kind.value, format_duration(slices.spent_ns(kind)), percent(ratio), _bar(ratio**2)))


def swing_fields(swing: Swing | None) -> Iterator[Field]:
    """Between what it swings, and what was idle meanwhile."""
    if swing is None:
        return
    every = f", every {format_duration(swing.period_ns)}" if swing.period_ns else ", not evenly"
    yield Field(
        "swings", f"between {format_rate(swing.low_bytes_per_s)} and {format_rate(swing.high_bytes_per_s)}{every}"
    )
    yield Field("", printable(swing.says))


def _finding(number: int, finding: Finding, *, is_told: bool) -> Iterator[Block]:
    yield Heading(f"{number}. {printable(finding.rule)} ({finding.layer.value}): {finding.certainty.value}")
    yield from finding_notes(finding, is_told=is_told)


def finding_notes(finding: Finding, *, is_told: bool) -> Iterator[Note]:
    """The claim unless it is told already, the numbers that show it, its cost, advice, proof and source."""
    if not is_told:
        yield Note(printable(finding.claim), _TONES[finding.severity])
    for words in finding.because:
        yield Note(printable(words), mark="because")
    yield Note(printable(finding.cost), mark="cost")
    yield Note(printable(finding.advice), mark="advice")
    if finding.certainty is not Certainty.CONFIRMED:
        for experiment in finding.experiments:
            yield Note(f"confirmed if {experiment.says}", Tone.QUIET, "to prove")
    yield Note(printable(finding.source), Tone.QUIET, "source")


def cost_words(cost: MonitorCost) -> str:
    """Processor time that looking took; nothing where that is not known."""
    known = ((cost.near_ratio, "here"), (cost.far_ratio, "at the server"))
    parts = [f"{percent(ratio)} of a core {where}" for ratio, where in known if ratio is not None]
    return " and ".join(parts)
