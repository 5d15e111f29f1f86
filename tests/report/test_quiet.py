"""On a healthy drive little stands below the table: what is no trouble takes a line, not a list."""

from __future__ import annotations

import dataclasses

import pytest

from graycard.checks import CheckEvidence, run_checks
from graycard.model import Operation, Report, Result
from graycard.report.renderers import TextRenderer
from graycard.summary import summarise
from tests.checks.clean import applied, clean, known
from tests.report.examples import GOOD


def measured(evidence: CheckEvidence) -> Result:
    found = summarise(evidence.task, evidence.runs, run_checks(evidence))
    return dataclasses.replace(GOOD, task=evidence.task, runs=evidence.runs, summary=found)


def below_the_table(width: int, **facts: str | None) -> list[str]:
    results = tuple(measured(applied(clean(operation), known(**facts))) for operation in Operation)
    text = TextRenderer(width_count=width).render(Report("", results)).decode()
    return text.rsplit("\n\n", 1)[1].splitlines()


def test_a_healthy_drive_takes_two_lines() -> None:
    assert below_the_table(120) == [
        "note     all tasks: 3 of 3 runs were normal; a fault that hits up to 63 % of runs could have been missed.",
        "Checks: 40 passed.",
    ]


@pytest.mark.parametrize(("width", "most"), [(120, 5), (80, 7)])
def test_a_virtual_machine_takes_a_few_more(width: int, most: int) -> None:
    shown = below_the_table(width, virtual_machine="kvm", link_ceiling_bytes_per_s=None, link_bits_per_s=None)
    assert len(shown) == most
    assert shown[0].startswith("caveat   all tasks: This is a virtual machine (kvm)")
    assert shown[-2:] == ["Not known: the speed of the link.", "Checks: 36 passed, 2 with a caveat, 2 unknown."]
