"""The report of a diagnosis: the same story in every form, charts with words, and text from outside kept harmless."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.codec import decode
from graycard.model import Estimate, Report
from graycard.model.diagnosis import Case, Change, Outcome, Waiting
from graycard.report.charts import charts_of, svg
from graycard.report.charts.course import course_chart
from graycard.report.charts.waterfall import waterfall_chart
from graycard.report.forms import FORMS
from graycard.report.story import Picture, Story, story_of
from tests.report.pages import Node, parsed, skeleton
from tests.report.papers import needs_poppler, words_of
from tests.why.cases import a_case
from tests.why.causes import CAUSES, healthy

HOSTILE = '</style><script>alert(1)</script>#set page(width: 1cm)\x1b[31m\u202e"<b>|*_`'
RENDERERS = {each.name: each for each in FORMS}


def report_of(case: Case) -> Report:
    return Report("", (), diagnosis=case)


def texts(story: Story) -> str:
    """All words of the story."""
    return json.dumps(_plain(story), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.value if isinstance(value, Enum) else value


def everything() -> dict[str, Case]:
    causes = {name: a_case(cause=name) for name in CAUSES}
    return causes | {f"healthy: {name}": a_case(evidence=found) for name, found in healthy().items()}


CASES = everything()


@pytest.mark.parametrize("name", CASES)
def test_each_diagnosis_has_a_story_with_all_that_it_found(name: str) -> None:
    case = CASES[name]
    story = story_of(report_of(case))
    assert story.headline == case.diagnosis.says
    assert len(story.method) == 3
    told = texts(story)
    for finding in case.diagnosis.findings:
        for words in (finding.claim, *finding.because, finding.cost, finding.advice, finding.certainty.value):
            assert json.dumps(words, ensure_ascii=False)[1:-1] in told
    for words in (*case.diagnosis.unknowns, case.repeat, "0.1.0", str(case.seed), case.id):
        assert json.dumps(words, ensure_ascii=False)[1:-1] in told
    keys = [section.key for section in story.sections]
    assert len(keys) == len(set(keys))
    places = {part.chart_name for section in story.sections for part in section.parts if isinstance(part, Picture)}
    assert {chart.name for chart in charts_of(report_of(case))} <= places


def test_what_it_costs_and_what_to_do_first_stand_below_the_headline() -> None:
    case = a_case(cause="slow disk")
    finding = case.diagnosis.findings[0]
    story = story_of(report_of(case))
    assert [(note.mark, note.text) for note in story.lead[:2]] == [
        ("costs", finding.cost),
        ("do first", finding.advice),
    ]
    assert story.figures[0].value == "server disk"
    assert story.title == "cp to /mnt/nas"


def drawn(case: Case) -> dict[str, Any]:
    chart = waterfall_chart(case.diagnosis)
    assert chart is not None
    return chart.specification


def rows(case: Case) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = drawn(case)["data"]["values"]
    return found


def test_the_waterfall_has_a_bar_and_an_interval_for_each_layer() -> None:
    case = a_case(cause="slow disk")
    found = rows(case)
    assert [row["rate"] for row in found] == pytest.approx([900, 104.8, 31.3, 33.2, 33.2])
    assert found[2]["low"] == pytest.approx(31.3 * 0.95)
    assert [row["kind"] for row in found] == [0, 0, 1, 0, 0], "the limit has its own colour"
    assert found[2]["told"].startswith("the limit: 31.3 MB/s, loses"), "and its own words"
    assert found[2]["before"] == pytest.approx(104.8)
    assert [row["row"] for row in found] == drawn(case)["encoding"]["y"]["scale"]["domain"], "in order of the layers"


def test_a_layer_that_was_not_measured_has_no_bar() -> None:
    found = rows(a_case(cause="unseen server"))
    absent = [row for row in found if row["rate"] is None]
    assert absent
    assert all((row["told"], row["low"], row["before"]) == ("not measured", None, None) for row in absent)


def lanes(case: Case) -> dict[str, list[dict[str, float]]]:
    """Each lane's stretches by its name, as they are drawn."""
    chart = course_chart(case)
    assert chart is not None
    layers = chart.specification["layer"]
    texts = [each for each in layers if each.get("data", {}).get("values", [{}])[0].get("text") in set(Waiting)]
    places = [layers.index(each) for each in texts]
    return {layers[place]["data"]["values"][0]["text"]: layers[place + 3]["data"]["values"] for place in places}


def test_the_lanes_below_the_speed_are_the_slices_of_time() -> None:
    case = a_case(cause="batches")
    slices = case.diagnosis.slices
    assert slices is not None
    found = lanes(case)
    assert set(found) == {kind.value for kind in set(slices.kinds)}
    for name, stretches in found.items():
        kinds = [kind.value for kind in slices.kinds]
        step_s = slices.step_ns / 1e9
        spent_s = sum(each["x2"] - each["x"] for each in stretches)
        assert spent_s == pytest.approx(kinds.count(name) * step_s)
        for each in stretches:
            assert set(kinds[round(each["x"] / step_s) : round(each["x2"] / step_s)]) == {name}


def test_no_meaning_hangs_on_colour_alone() -> None:
    chart = course_chart(a_case(cause="network stalls"))
    assert chart is not None
    drawing = svg(chart).decode()
    for name in ("network", "network stalled"):
        assert f">{name}</text>" in drawing
        assert name in chart.says


def test_unknown_time_is_a_gap_and_the_speed_is_that_of_the_timeline() -> None:
    case = a_case(cause="slow disk")
    (timeline,) = case.evidence.timelines
    tracks = tuple(
        replace(track, values=(*track.values[:40], *[None] * 8, *track.values[48:]))
        if track.name == "copy.moved_bytes"
        else track
        for track in timeline.tracks
    )
    holed = replace(case, evidence=replace(case.evidence, timelines=(replace(timeline, tracks=tracks),)))
    chart = course_chart(holed)
    assert chart is not None
    points = chart.specification["data"]["values"]
    assert {each["stretch"] for each in points} == {0, 1}
    assert all(each["mean"] == pytest.approx(33.2) for each in points)
    assert not [each for each in points if 10 < each["x"] < 12]


def test_one_that_ended_early_says_so_in_every_form() -> None:
    case = a_case(cause="5 ms", is_whole=False, says=("The copy was cut off after 3.20 s: it is judged up to there.",))
    for name in ("html", "md", "txt"):
        text = RENDERERS[name].render(report_of(case)).decode()
        assert "It ended early" in text
        assert "cut off after 3.20" in text


def test_what_was_tried_is_told_with_its_pairs() -> None:
    case = a_case()
    tried = Outcome(
        Change.MEMORY_FOLDER, Estimate(2.5, 2.4, 2.6, "ratio", 2, None, "pairs"), "Tried: 80 MB/s, 32 MB/s."
    )
    with_it = replace(case, evidence=replace(case.evidence, outcomes=(tried,)))
    assert "Tried: 80 MB/s, 32 MB/s. That is 2.5 × (2 pairs, 2.4 × to 2.6 ×)." in texts(story_of(report_of(with_it)))


def test_json_is_the_diagnosis_itself_and_equal_ones_give_equal_files() -> None:
    case = a_case()
    assert decode(RENDERERS["json"].render(report_of(case)), Case) == case
    for name in ("html", "md", "pdf"):
        assert RENDERERS[name].render(report_of(case)) == RENDERERS[name].render(report_of(a_case()))


def with_text(case: Case, text: str) -> Case:
    """The same with this text wherever one may come from outside: the share, its tool, server, facts, a program."""
    near = tuple(replace(each, value=text) if isinstance(each.value, str) else each for each in case.evidence.near)
    named = (*near, replace(case.evidence.near[0], name="os_name", value=text, source=text))
    timelines = tuple(replace(each, tool=text) for each in case.evidence.timelines)
    tools = tuple(replace(each, name=text) for each in case.evidence.ceilings.tools[:1])
    ceilings = replace(case.evidence.ceilings, tools=tools)
    evidence = replace(case.evidence, tool=text, near=named, path=named, timelines=timelines, ceilings=ceilings)
    findings = tuple(
        replace(each, rule=text, claim=text, because=(text,), cost=text, advice=text, source=text)
        for each in case.diagnosis.findings
    )
    steps = tuple(replace(each, label=text) for each in case.diagnosis.steps)
    diagnosis = replace(
        case.diagnosis,
        tool=text,
        says=text,
        findings=findings,
        steps=steps,
        unknowns=(text,) * len(case.diagnosis.unknowns),
    )
    return replace(
        case,
        place=text,
        server=text,
        repeat=text,
        tool_version=text,
        says=(text,),
        evidence=evidence,
        diagnosis=diagnosis,
    )


def everywhere(node: Node) -> Iterator[Node]:
    yield node
    yield from node.walk()


@pytest.mark.parametrize("text", [HOSTILE, "x" * 5000, "שלום " * 40])
def test_foreign_text_changes_nothing_but_words(text: str) -> None:
    case = a_case(cause="batches")
    plain = parsed(RENDERERS["html"].render(report_of(with_text(case, "plain"))))
    page = RENDERERS["html"].render(report_of(with_text(case, text)))
    assert skeleton(parsed(page), drawings=False) == skeleton(plain, drawings=False)
    assert not [node for node in everywhere(parsed(page)) if node.tag == "script"]
    assert b"\x1b" not in page
    assert "\u202e".encode() not in page
    for name in ("md", "txt"):
        assert b"\x1b" not in RENDERERS[name].render(report_of(with_text(case, text)))
    assert b"<script>" not in RENDERERS["md"].render(report_of(with_text(case, text)))


@needs_poppler
def test_foreign_text_is_no_markup_on_paper() -> None:
    shown = words_of(RENDERERS["pdf"].render(report_of(with_text(a_case(), HOSTILE))))
    assert "#setpage(width:1cm)" in shown


FIGURES = st.one_of(st.none(), st.floats(allow_nan=False), st.just(0.0), st.just(-1.0))


def with_figures(moved: list[float | None], step_ns: int, rate: float | None) -> Case:
    """A file may hold any figures."""
    case = a_case(cause="batches")
    (timeline,) = case.evidence.timelines
    tracks = tuple(replace(track, values=tuple(moved)) for track in timeline.tracks if track.name == "copy.moved_bytes")
    line = replace(timeline, step_ns=step_ns, tracks=tracks)
    odd = None if rate is None else Estimate(rate, -rate, rate, "bytes/s", 0, None, "")
    steps = tuple(replace(step, rate=odd, lost_ratio=rate) for step in case.diagnosis.steps)
    slices = replace(case.diagnosis.slices, step_ns=step_ns) if case.diagnosis.slices else None
    diagnosis = replace(case.diagnosis, steps=steps, slices=slices)
    return replace(case, evidence=replace(case.evidence, timelines=(line,)), diagnosis=diagnosis)


@settings(max_examples=60, deadline=None)
@given(st.lists(FIGURES, max_size=12), st.integers(-1, 10**9), FIGURES)
def test_no_figure_of_a_file_breaks_it(moved: list[float | None], step_ns: int, rate: float | None) -> None:
    """What cannot be drawn is left out: JSON has no infinity, and no axis ends there."""
    report = report_of(with_figures(moved, step_ns, rate))
    assert story_of(report).sections
    for chart in charts_of(report):
        json.dumps([chart.specification, chart.narrow], allow_nan=False)


@pytest.mark.parametrize("figure", [None, -1.0, 0.0, 5e-324, 1e308, float("inf")])
def test_odd_figures_are_drawn_or_left_out(figure: float | None) -> None:
    case = with_figures([1.0, figure, 2.0, 3.0, 4.0, figure], 1, figure)
    for chart in charts_of(report_of(case)):
        assert svg(chart).startswith(b"<svg")
