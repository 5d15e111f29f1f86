"""The forms of a whole report: what each holds, and that hostile text breaks none."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta

import jsonschema
import pytest

from graycard.codec import ReportDocument, decode
from graycard.facts import fact
from graycard.importers.graycard import GraycardImporter
from graycard.model import (
    Comparison,
    Entry,
    Era,
    History,
    Likeness,
    Report,
    Standing,
    Trial,
)
from graycard.report.forms import FORMS
from graycard.report.markdown import page_markdown
from graycard.report.renderers import page_text
from graycard.report.story_page import story_page
from tests.report.examples import BAD, CREATED_AT, GOOD
from tests.report.papers import story
from tests.report.shows import one_drive
from tools.make_schema import PLACE

COMPARISON = Comparison(
    task_label="SEQ1M QD8 read",
    base="exFAT",
    other="ext4",
    base_ids=("a",),
    other_ids=("b",),
    base_rate=None,
    other_rate=None,
    ratio=None,
    verdict=Likeness.CANNOT_TELL,
    says="Cannot tell yet.",
    threshold_ratio=0.05,
    paired=True,
    randomised=True,
)
ENTRY = Entry("a", "m1", CREATED_AT + timedelta(hours=1), 5e8, None, None, None, Standing.FIRST)
HISTORY = History("SEQ1M QD8 read", "Samsung 990", (Era((ENTRY,)),), "It is the first.")
WHOLE = Report("Title", (GOOD, BAD), (COMPARISON,), (HISTORY,), ("A note.",))


def form(name: str) -> bytes:
    return next(each for each in FORMS if each.name == name).render(WHOLE)


def test_each_extension_is_one_form() -> None:
    assert {each.name for each in FORMS} >= {"html", "pdf", "md", "csv", "json", "txt"}
    assert len({each.name for each in FORMS}) == len(FORMS)


def test_json_holds_the_whole_report_and_comes_back() -> None:
    found = decode(form("json"), ReportDocument)
    assert (found.title, found.results, found.comparisons) == (WHOLE.title, WHOLE.results, WHOLE.comparisons)
    assert (found.histories, found.notes) == (WHOLE.histories, WHOLE.notes)
    assert GraycardImporter().read(form("json")) == WHOLE.results


def test_json_is_in_the_published_schema() -> None:
    schema = json.loads(PLACE.read_text(encoding="utf-8"))
    document = json.loads(form("json"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert schema["$defs"]["ReportDocument"]["required"] == list(document)


def test_markdown_has_headings_tables_and_all_words() -> None:
    text = page_markdown(story_page(story("Told")))
    lines = text.splitlines()
    assert lines[0] == "# exFAT and ext4"
    assert [line for line in lines if line.startswith("## ")] == [
        "## Told",
        "## Set-up",
        "## What differs",
        "## How this was measured",
        "## To repeat it",
    ]
    assert "| SEQ1M QD8 read | 2104 MB/s ± 2 % | 3.40 ms | steady |" in lines
    assert "| seed | 8123098123 |  |" in lines


def test_markup_in_a_heading_stays_text() -> None:
    text = page_markdown(story_page(story("<b>x</b> # [a](b)", title="*T*")))
    assert text.splitlines()[0] == "# \\*T\\*"
    assert "## \\<b\\>x\\</b\\> \\# \\[a\\](b)" in text.splitlines()


def test_text_has_no_line_wider_than_it_may() -> None:
    text = page_text(story_page(story("Told " * 60)))
    assert max(map(len, text.splitlines())) <= 120
    assert "8123098123" in text


def test_a_story_without_a_title_begins_with_its_headline() -> None:
    told = dataclasses.replace(story("Told"), title="")
    assert page_markdown(story_page(told)).startswith("# Told\n")


RAW = '<script>x</script>&amp;"\' =1+1 #import "a" *b* \x1b[2J\x00\u202e שלום \udcff\n' + "w" * 4000


@pytest.mark.parametrize("name", [each.name for each in FORMS])
def test_hostile_names_reach_no_form_as_markup(name: str) -> None:
    """Through the whole chain, charts too: in path, model, configuration, title and notes."""
    results = tuple(
        dataclasses.replace(
            each,
            target=dataclasses.replace(each.target, path=RAW),
            facts=(*each.facts, fact("device_model", RAW, RAW)),
            trial=Trial("e1", RAW, RAW, randomised=True),
        )
        for each in one_drive().results
    )
    comparison = dataclasses.replace(COMPARISON, base=RAW, other=RAW, says=RAW, caveats=(RAW,))
    report = Report(RAW, results, (comparison,), notes=(RAW,))
    data = next(each for each in FORMS if each.name == name).render(report)
    if name != "pdf":
        text = data.decode()
        assert "\x1b" not in text
        assert "\x00" not in text
        assert "\u202e" not in text or name == "json"
    if name == "html":
        assert b"<script" not in data
    if name == "md":
        assert b"<script" not in data.replace(b"\\<", b"")
    if name == "csv":
        assert all(not cell.startswith("=") for line in text.splitlines() for cell in line.split(","))
