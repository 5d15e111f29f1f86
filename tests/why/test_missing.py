"""What is missing is never a cause, nothing ever raises, and what cannot be known is said."""

from __future__ import annotations

import math
import random
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.facts import fact
from graycard.model import Action, Estimate
from graycard.model.diagnosis import (
    Ceilings,
    Certainty,
    Change,
    Diagnosis,
    Evidence,
    Layer,
    Outcome,
    Severity,
    Timeline,
    ToolCeiling,
    Track,
)
from graycard.protocols import Rule
from graycard.why import RULES, judge, look_at
from graycard.why.vocabulary import END_FACTS, PATH_FACTS, STEP_NS, TRACKS
from tests.why.causes import CAUSES, healthy

NUMBERS = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, 0.5, 1.0, 1e6, 1e8, -1.0, math.inf, math.nan]))
ESTIMATES = st.none() | st.builds(
    Estimate, st.floats(), NUMBERS, NUMBERS, st.just("bytes/s"), st.integers(1, 5), st.none(), st.just("made up")
)
CEILINGS = st.builds(
    Ceilings,
    **{field.name: ESTIMATES for field in fields(Ceilings) if field.name not in {"tools", "raw_retransmit_ratio"}},
    raw_retransmit_ratio=NUMBERS,
    tools=st.lists(
        st.builds(
            ToolCeiling, st.sampled_from(["cp", "scp"]), ESTIMATES.filter(bool), ESTIMATES, st.none() | st.integers(0)
        ),
        max_size=3,
    ).map(tuple),
)
TIMELINES = st.builds(
    Timeline,
    st.sampled_from(["cp", "scp"]),
    st.just(STEP_NS),
    st.lists(
        st.builds(
            Track,
            st.sampled_from(sorted(TRACKS)),
            st.just("bytes"),
            st.just("made up"),
            st.lists(NUMBERS, max_size=40).map(tuple),
        ),
        max_size=12,
    ).map(tuple),
)
FACTS = st.lists(
    st.builds(
        fact,
        st.sampled_from([*END_FACTS, *PATH_FACTS]),
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.floats()),
        st.just("made up"),
    ),
    max_size=6,
).map(tuple)
EVIDENCE = st.builds(
    Evidence,
    st.just("cp"),
    st.sampled_from(Action),
    st.none() | st.integers(0, 10**6),
    st.none() | st.integers(0, 10**13),
    CEILINGS,
    st.lists(TIMELINES, max_size=2).map(tuple),
    FACTS,
    FACTS,
    FACTS,
    st.lists(st.builds(Outcome, st.sampled_from(Change), ESTIMATES.filter(bool), st.just("tried")), max_size=2).map(
        tuple
    ),
)


def thinned(evidence: Evidence, ratio: float, chance: random.Random) -> Evidence:
    """The evidence with this share of its figures gone."""
    gone = {field.name: None for field in fields(Ceilings) if field.name != "tools" and chance.random() < ratio}
    lines = tuple(
        replace(line, tracks=tuple(track for track in line.tracks if chance.random() > ratio))
        for line in evidence.timelines
    )
    facts = {
        name: tuple(each for each in getattr(evidence, name) if chance.random() > ratio) for name in ("near", "path")
    }
    return replace(evidence, ceilings=replace(evidence.ceilings, **gone), timelines=lines, **facts)


@settings(max_examples=50, deadline=None)
@given(EVIDENCE)
def test_no_evidence_makes_it_raise(evidence: Evidence) -> None:
    diagnosis = judge(evidence)
    assert diagnosis.says
    assert all(finding.cost_ratio is None or 0 <= finding.cost_ratio <= 1 for finding in diagnosis.findings)
    assert all(finding.because for finding in diagnosis.findings)
    if diagnosis.slices:
        first = next(line for line in evidence.timelines if line.tool == "cp")
        assert len(diagnosis.slices.kinds) == first.step_count


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_nothing_of_nothing(rule: Rule) -> None:
    seen = look_at(Evidence("cp", Action.SEND, None, None))
    assert rule(seen) is None


def test_a_rule_names_what_it_needs() -> None:
    seen = look_at(Evidence("cp", Action.SEND, None, None))
    without_needs = {rule.name for rule in RULES if not rule.missing(seen)}
    assert without_needs == {"steal", "foreign load", "server-side copy"}
    for name, (make, _, first) in CAUSES.items():
        rule = next(rule for rule in RULES if rule.name == first)
        if name not in {"memory hides, read", "CPU limit unseen"}:
            assert rule.missing(look_at(make())) == (), name


@pytest.mark.parametrize("name", healthy())
def test_a_healthy_path_with_gaps_gets_no_cause(name: str) -> None:
    chance = random.Random(7)
    for ratio in (0.1, 0.3, 0.6) * 5:
        diagnosis = judge(thinned(healthy()[name], ratio, chance))
        assert (diagnosis.layer, diagnosis.findings) == (Layer.NONE, ())


# What is lost at the share or the tool is told even where the figure that would tell by what is gone.
ELSEWHERE = {
    "client mount": {Layer.PROTOCOL},
    "loss with delay": {Layer.PROTOCOL},
    "small files, slow tool": {Layer.PROTOCOL},
}


@pytest.mark.parametrize("name", [name for name, (_, layer, _) in CAUSES.items() if layer is not Layer.NOT_JUDGED])
def test_a_cause_with_gaps_is_never_another_one(name: str) -> None:
    make, layer, _ = CAUSES[name]
    chance = random.Random(8)
    for ratio in (0.1, 0.3, 0.6) * 5:
        found = judge(thinned(make(), ratio, chance))
        assert found.layer in {layer, Layer.NONE, Layer.SERVER, *ELSEWHERE.get(name, ())}, found.says
        if found.layer is Layer.SERVER:
            assert found.findings[0].certainty is Certainty.CANNOT_KNOW


def test_without_an_agent_it_says_what_it_cannot_know() -> None:
    diagnosis = judge(CAUSES["unseen server"][0]())
    words = " ".join(diagnosis.unknowns)
    assert diagnosis.findings[0].certainty is Certainty.CANNOT_KNOW
    for part in ("the raw network", "the server's disk alone", "server disk", "one core"):
        assert part in words


def shaken(evidence: Evidence, chance: random.Random) -> Evidence:
    """Each figure off by some 10 %, as single runs on a busy machine are."""

    def off(number: float, most: float = math.inf) -> float:
        return min(most, number * math.exp(chance.gauss(0, 0.1)))

    def estimate(each: Estimate) -> Estimate:
        return replace(each, value=off(each.value), low=None, high=None)

    given_ones = {
        field.name: estimate(value)
        for field in fields(Ceilings)
        if isinstance(value := getattr(evidence.ceilings, field.name), Estimate)
    }
    tools = tuple(replace(tool, rate=estimate(tool.rate)) for tool in evidence.ceilings.tools)

    def track(each: Track) -> Track:
        most = 1.0 if each.unit == "ratio" else math.inf
        return replace(each, values=tuple(None if value is None else off(value, most) for value in each.values))

    lines = tuple(replace(line, tracks=tuple(map(track, line.tracks))) for line in evidence.timelines)
    return replace(evidence, ceilings=replace(evidence.ceilings, tools=tools, **given_ones), timelines=lines)


def found_in(diagnosis: Diagnosis) -> str | None:
    """The first rule."""
    return diagnosis.findings[0].rule if diagnosis.findings else None


def test_noise_of_a_tenth_does_not_change_the_answer() -> None:
    chance = random.Random(3)
    told = [(judge(shaken(make(), chance)), layer, rule) for make, layer, rule in CAUSES.values() for _ in range(5)]
    assert sum(each.layer is layer for each, layer, _ in told) >= 0.95 * len(told)
    assert sum(found_in(each) == rule for each, _, rule in told) >= 0.85 * len(told)
    fine = [judge(shaken(evidence, chance)) for evidence in healthy().values() for _ in range(5)]
    limits = [each for each in fine if any(finding.severity is Severity.LIMIT for finding in each.findings)]
    assert len(limits) <= 0.05 * len(fine)
