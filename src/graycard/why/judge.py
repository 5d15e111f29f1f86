"""The answer, in the order of docs/diagnosis.md: disturbed or not, ceilings, slices of time, causes, confirmation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graycard.model.diagnosis import (
    Diagnosis,
    Evidence,
    Finding,
    Layer,
    Seen,
    Severity,
    Step,
    Waiting,
)
from graycard.protocols import Rule
from graycard.units import format_rate, percent
from graycard.why.confirm import confirmed
from graycard.why.figures import copy_rate, figure
from graycard.why.rules import RULES
from graycard.why.rules.rule import AGENT
from graycard.why.slices import slices_of
from graycard.why.swing import swing_of
from graycard.why.waterfall import largest_loss, lowest, steps_of

# Even a mount by a program reaches this share of the lowest ceiling (58 of 106 MB/s on a wire of 940 Mbit/s).
HEALTHY_RATIO = 0.5
_RANK = {Severity.VOID: 0, Severity.LIMIT: 1, Severity.NOTICE: 2}


def judge(evidence: Evidence, rules: Sequence[Rule] = RULES) -> Diagnosis:
    """The diagnosis of one copy. Never raises for what is missing; what it cannot know it says."""
    seen = look_at(evidence)
    steps = steps_of(seen)
    hits = [finding for rule in rules if (finding := rule(seen)) is not None]
    kept = [found for finding in hits if (found := confirmed(finding, evidence.outcomes)) is not None]
    refuted = [finding for finding in hits if all(finding.rule != found.rule for found in kept)]
    if not kept and is_far_below(seen, steps):
        # One trial weighs less than a copy that is plainly slow: what explains it stays, as likely.
        kept = refuted
    findings = _ranked(_standing(kept, rules))
    layer = findings[0].layer if findings else _unexplained(steps)
    return Diagnosis(
        tool=evidence.tool,
        action=evidence.action,
        layer=layer,
        says=_says(seen, layer, findings, steps),
        findings=findings,
        slices=seen.slices,
        swing=seen.swing,
        steps=steps,
        unknowns=tuple(_unknowns(seen, rules, [each.rule for each in refuted], is_void=layer is Layer.NOT_JUDGED)),
    )


def look_at(evidence: Evidence) -> Seen:
    """The timeline of the copy in question, its slices and its swing."""
    timeline = next((each for each in evidence.timelines if each.tool == evidence.tool), None)
    if timeline is None or timeline.step_ns <= 0 or not timeline.step_count:
        return Seen(evidence, None, None, None)
    slices = slices_of(evidence, timeline)
    return Seen(evidence, timeline, slices, swing_of(evidence, timeline, slices))


def _standing(findings: list[Finding], rules: Sequence[Rule]) -> list[Finding]:
    """Without those that another one says better; nothing but the reason where there can be no verdict."""
    void = [finding for finding in findings if finding.severity is Severity.VOID]
    if void:
        return void
    names = {finding.rule for finding in findings}
    yielding = {rule.name for rule in rules if names & set(rule.yields_to)}
    return [finding for finding in findings if finding.rule not in yielding]


def _ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Limits before notices, the most costly first; equals stay in the order of the rules."""
    return tuple(sorted(findings, key=lambda each: (_RANK[each.severity], -(each.cost_ratio or 0.0))))


def _unexplained(steps: tuple[Step, ...]) -> Layer:
    """Where no rule hits: the layer that still loses plainly, or none."""
    loss = largest_loss(steps)
    return loss.layer if loss else Layer.NONE


def _says(seen: Seen, layer: Layer, findings: tuple[Finding, ...], steps: tuple[Step, ...]) -> str:
    if findings and findings[0].severity is Severity.VOID:
        return f"No verdict: {findings[0].claim}"
    if findings and findings[0].severity is Severity.NOTICE:
        return f"Nothing holds this copy back. To know: {findings[0].claim}"
    if findings:
        return findings[0].claim
    if layer is not Layer.NONE:
        loss = largest_loss(steps)
        lost = percent(loss.lost_ratio or 0.0) if loss else ""
        return f"The time is lost at the {layer.value} ({lost} of what is left before it); no rule tells by what."
    return _healthy(seen, steps)


def is_far_below(seen: Seen, steps: tuple[Step, ...]) -> bool:
    """Whether the copy is so slow beside its lowest ceiling that nobody would call it healthy."""
    ceiling, rate = lowest(steps), copy_rate(seen)
    least = figure(ceiling.rate) if ceiling else None
    return least is not None and rate is not None and rate < HEALTHY_RATIO * least


def _healthy(seen: Seen, steps: tuple[Step, ...]) -> str:
    ceiling, rate = lowest(steps), copy_rate(seen)
    least = figure(ceiling.rate) if ceiling else None
    if ceiling is None or least is None or rate is None:
        return f"Nothing that was measured holds this copy back{_most(seen)}; see what is not known."
    if is_far_below(seen, steps):
        return (
            f"The copy has {format_rate(rate)}, where {ceiling.label} would allow {format_rate(least)}: something takes"
            " the rest, and no rule tells what."
        )
    return (
        f"Nothing is slower than it should be: the copy has {format_rate(rate)}, the lowest ceiling is "
        f"{ceiling.label} with {format_rate(least)}."
    )


def _most(seen: Seen) -> str:
    """What most of the time was spent on, where that is known."""
    slices = seen.slices
    if slices is None or not slices.kinds:
        return ""
    kind = max(Waiting, key=slices.ratio)
    return "" if kind is Waiting.UNKNOWN else f" ({percent(slices.ratio(kind))} of its time: {kind.value})"


def _unknowns(seen: Seen, rules: Sequence[Rule], refuted: list[str], *, is_void: bool) -> Iterator[str]:
    for name in refuted:
        yield f"It looked like {name}, but the change that would confirm it did not do so."
    if is_void:
        return
    missing: dict[str, list[str]] = {}
    for rule in rules:
        for words in rule.missing(seen):
            missing.setdefault(words, []).append(rule.name)
    agent = {words: names for words, names in missing.items() if words.endswith(AGENT)}
    if agent:
        what = "; ".join(words.removesuffix(AGENT) for words in agent)
        yield f"Only the agent at the server could tell: {what}. So nothing is said of: {_all(agent.values())}."
    for words, names in missing.items():
        if words not in agent:
            yield f"Not known: {words}. So nothing is said of: {', '.join(names)}."
    if seen.slices and seen.slices.kinds and seen.slices.ratio(Waiting.UNKNOWN) > 0:
        ratio = seen.slices.ratio(Waiting.UNKNOWN)
        yield f"Not known: what {percent(ratio)} of the copy's time was spent on."


def _all(names: Iterable[list[str]]) -> str:
    return ", ".join(dict.fromkeys(name for each in names for name in each))
