"""A change confirms or refutes; the waterfall adds up; the words name the numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.model import Estimate
from graycard.model.diagnosis import Certainty, Change, Layer, Outcome, Severity
from graycard.why import RULES, judge, look_at
from graycard.why.judge import is_far_below
from graycard.why.rules.latency import window_bytes
from graycard.why.rules.rule import PlainRule
from tests.why.causes import CAUSES, healthy
from tests.why.scenes import rate


def outcome(change: Change, low: float, high: float) -> Outcome:
    """A tried change."""
    return Outcome(change, Estimate((low + high) / 2, low, high, "ratio", 3, 0.95, "made up"), "Tried it.")


def test_a_change_that_does_what_was_foretold_confirms() -> None:
    slow = CAUSES["slow disk"][0]()
    assert judge(slow).findings[0].certainty is Certainty.LIKELY
    tried = judge(replace(slow, outcomes=(outcome(Change.MEMORY_FOLDER, 2.6, 3.0),))).findings[0]
    assert tried.rule == "server disk"
    assert tried.certainty is Certainty.CONFIRMED
    assert tried.because[-1] == "Tried it."


def test_a_change_that_proves_nothing_leaves_it_likely() -> None:
    slow = CAUSES["slow disk"][0]()
    for tried in (outcome(Change.MEMORY_FOLDER, 0.9, 1.6), outcome(Change.LARGER_BLOCK, 1.0, 1.0)):
        assert judge(replace(slow, outcomes=(tried,))).findings[0].certainty is Certainty.LIKELY


def test_a_change_that_does_the_opposite_refutes_and_that_is_said() -> None:
    slow = CAUSES["slow disk"][0]()
    diagnosis = judge(replace(slow, outcomes=(outcome(Change.MEMORY_FOLDER, 0.95, 1.05),)))
    assert all(finding.rule != "server disk" for finding in diagnosis.findings)
    assert any("looked like server disk" in words for words in diagnosis.unknowns)


def test_a_disk_faster_than_its_short_test_is_not_called_memory_that_is_as_fast() -> None:
    """Measured over NFS: 32 MB/s, the disk's short test 24, a folder in the server's memory four times as fast."""
    slow = CAUSES["slow disk"][0]()
    slow = replace(
        slow, ceilings=replace(slow.ceilings, server_flushed=rate(23.9)), far=CAUSES["memory hides"][0]().far
    )
    assert judge(slow).findings[0].rule == "server memory"
    tried = judge(replace(slow, outcomes=(outcome(Change.MEMORY_FOLDER, 3.3, 4.8),)))
    assert (tried.findings[0].rule, tried.findings[0].certainty) == ("server disk", Certainty.CONFIRMED)


def test_a_processor_seen_at_its_limit_says_it_better_than_a_disk_that_may_be_slow() -> None:
    """Measured: the agent in the same limit wrote 84 MB/s, the copy had 54, the disk busy 3 %."""
    limited = CAUSES["CPU limit"][0]()
    limited = replace(limited, ceilings=replace(limited.ceilings, server_flushed=rate(84)))
    assert [finding.rule for finding in judge(limited).findings] == ["one core"]


def test_stalls_that_short_runs_of_raw_tcp_happen_to_meet_are_no_slow_link() -> None:
    """Measured: of three runs of 1.5 s two met a stall (69 and 77 MB/s), one did not (113)."""
    stalling = CAUSES["network stalls"][0]()
    raw = replace(rate(76.8), low=69e6, high=113e6)
    stalling = replace(stalling, ceilings=replace(stalling.ceilings, network=raw, network_streams=rate(73.6)))
    assert judge(stalling).findings[0].rule == "network stalls"
    steady = replace(stalling, ceilings=replace(stalling.ceilings, network=rate(76.8)))
    assert judge(steady).findings[0].rule == "link speed"


@pytest.mark.parametrize("name", CAUSES)
def test_no_single_trial_makes_a_plainly_slow_copy_healthy(name: str) -> None:
    """A change that did not help weighs less than a copy far below its lowest ceiling."""
    evidence = CAUSES[name][0]()
    untried = judge(evidence)
    changes = [experiment.change for finding in untried.findings for experiment in finding.experiments]
    tried = judge(replace(evidence, outcomes=tuple(outcome(change, 0.5, 0.6) for change in changes)))
    seen = look_at(evidence)
    if is_far_below(seen, untried.steps) and untried.layer is not Layer.NOT_JUDGED:
        assert tried.layer is not Layer.NONE
        assert not tried.says.startswith("Nothing is slower")


def test_every_limit_but_the_own_disk_and_the_interrupts_can_be_confirmed() -> None:
    bare = {
        finding.rule
        for make, _, _ in CAUSES.values()
        for finding in judge(make()).findings
        if finding.severity is Severity.LIMIT and not finding.experiments
    }
    assert bare == {"source disk", "interrupts", "unseen server"}


def test_rules_yield_in_one_direction_and_to_rules_that_exist() -> None:
    by_name = {rule.name: set(rule.yields_to) for rule in RULES}
    assert len(by_name) == len(RULES)
    assert set().union(*by_name.values()) <= set(by_name)
    order: list[str] = []
    while len(order) < len(by_name):
        free = [name for name, others in by_name.items() if name not in order and others <= set(order)]
        assert free, "rules yield to each other in a circle"
        order.extend(free)


def test_the_waterfall_tells_what_each_layer_loses() -> None:
    steps = {step.layer: step for step in judge(CAUSES["5 ms"][0]()).steps}
    assert list(steps) == [Layer.SOURCE, Layer.NETWORK, Layer.SERVER_DISK, Layer.PROTOCOL, Layer.TOOL]
    assert steps[Layer.SOURCE].lost_ratio is None
    assert round(steps[Layer.NETWORK].lost_ratio or 0, 2) == round(1 - 112 * 0.95 / 900, 2)
    assert steps[Layer.SERVER_DISK].lost_ratio == 0
    assert round(steps[Layer.PROTOCOL].lost_ratio or 0, 2) == round(1 - 40 / (112 * 0.95), 2)


def test_the_cost_is_against_the_next_ceiling() -> None:
    first = judge(CAUSES["slow disk"][0]()).findings[0]
    assert round(first.cost_ratio or 0, 2) == round(1 - 33.2 / (104.8 * 0.95), 2)
    assert "33.2 MB/s" in first.cost
    assert "99.6 MB/s" in first.cost


def test_a_loss_that_no_rule_explains_is_told_as_such() -> None:
    fine = healthy()["cp"]
    slow = replace(fine.ceilings, mount=rate(40), tools=(replace(fine.ceilings.tools[0], rate=rate(39)),))
    diagnosis = judge(replace(fine, ceilings=slow, timelines=()))
    assert diagnosis.layer is Layer.PROTOCOL
    assert diagnosis.findings == ()
    assert "no rule tells by what" in diagnosis.says


def test_the_window_follows_from_rate_and_round_trip() -> None:
    window, raw, trip_ns = 600e3, 109e6, 20e6
    per_window_s = trip_ns / 1e9 + window / raw
    assert abs(window_bytes(window / per_window_s, raw, trip_ns) - window) < 1


def test_a_finding_counts_retransmits_only_with_a_round_trip() -> None:
    lossy = CAUSES["loss with delay"][0]()
    short = replace(lossy.ceilings, idle_round_trip=Estimate(2e5, None, None, "ns", 9, None, "made up"))
    assert all(finding.rule != "packet loss" for finding in judge(replace(lossy, ceilings=short)).findings)


def test_the_page_names_every_rule_with_its_layer_and_source() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\S.*?) \| (.*) \|$", page, re.MULTILINE))
    for rule in RULES:
        assert isinstance(rule, PlainRule)
        cells = rows[rule.name].split(" | ")
        assert (cells[0], cells[-1]) == (rule.layer.value, rule.source)
        assert cells[-2] == ", ".join(rule.yields_to)
