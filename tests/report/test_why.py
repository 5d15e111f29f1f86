"""The page of a diagnosis: the answer first, every finding with its numbers, nothing wider than asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.report.lines import page_lines
from graycard.report.why import diagnosis_page
from graycard.why import judge
from tests.why.causes import CAUSES, healthy


def shown(page: tuple, width: int = 100) -> str:  # type: ignore[type-arg]
    """The page as text."""
    return "\n".join("".join(span.text for span in line) for line in page_lines(page, width))


@pytest.mark.parametrize("name", CAUSES)
def test_every_finding_is_shown_with_its_numbers(name: str) -> None:
    diagnosis = judge(CAUSES[name][0]())
    text = " ".join(shown(diagnosis_page(diagnosis), 10_000).split())
    assert diagnosis.says in text
    for finding in diagnosis.findings:
        for words in (finding.claim, *finding.because, finding.cost, finding.advice, finding.source):
            assert " ".join(words.split()) in text
    for width in (60, 100):
        assert all(len(line) <= width for line in shown(diagnosis_page(diagnosis), width).splitlines())


def test_the_answer_stands_first_and_the_waterfall_next() -> None:
    lines = shown(diagnosis_page(judge(CAUSES["5 ms"][0]()))).splitlines()
    assert lines[0] == "cp to the share: protocol"
    assert "round trip of 5.00 ms" in lines[1]
    bars = {line.split("  ")[0]: line.count("█") for line in lines if "█" in line}
    assert bars["the share, blocks of 1 MiB"] < bars["raw network"] < bars["this computer's disk (read)"]


def test_what_was_not_measured_is_said_and_drawn_as_nothing() -> None:
    text = shown(diagnosis_page(judge(CAUSES["unseen server"][0]())))
    assert "raw network" in text
    assert "not measured" in text
    assert "What is not known" in text
    assert " 0 MB/s" not in text


def test_foreign_text_cannot_break_the_page() -> None:
    diagnosis = replace(judge(healthy()["cp"]), tool="cp\n\x1b[31m")
    assert "\x1b" not in shown(diagnosis_page(diagnosis))


@pytest.mark.parametrize("name", CAUSES)
def test_the_waterfall_has_a_line_a_layer_at_80_columns(name: str) -> None:
    diagnosis = judge(CAUSES[name][0]())
    lines = shown(diagnosis_page(diagnosis), 80).splitlines()
    for step in diagnosis.steps:
        (line,) = [each for each in lines if each.startswith(f"{step.label}  ")]
        assert ("█" in line) is (step.rate is not None)
