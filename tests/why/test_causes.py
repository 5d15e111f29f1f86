"""Each measured scene gives its layer and its rule first, and a healthy path gives no cause."""

from __future__ import annotations

import pytest

from graycard.model.diagnosis import Layer, Severity
from graycard.why import RULES, judge
from tests.why.causes import CAUSES, healthy


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_stands_first(name: str) -> None:
    make, layer, rule = CAUSES[name]
    diagnosis = judge(make())
    found = [(finding.rule, finding.cost_ratio) for finding in diagnosis.findings]
    assert found[0][0] == rule, (found, diagnosis.says)
    assert diagnosis.layer is layer
    first = diagnosis.findings[0]
    assert all((first.because, first.advice, first.source, diagnosis.says))


@pytest.mark.parametrize("name", healthy())
def test_no_cause_is_invented(name: str) -> None:
    diagnosis = judge(healthy()[name])
    assert [finding.rule for finding in diagnosis.findings] == []
    assert diagnosis.layer is Layer.NONE


def test_every_rule_has_a_scene() -> None:
    assert {rule.name for rule in RULES} - {rule for _, _, rule in CAUSES.values()} == {"server-side copy"}


def test_a_disturbed_copy_gets_no_verdict() -> None:
    for name in ("steal", "foreign load", "foreign traffic"):
        diagnosis = judge(CAUSES[name][0]())
        assert all(finding.severity is Severity.VOID for finding in diagnosis.findings)
        assert diagnosis.says.startswith("No verdict")
