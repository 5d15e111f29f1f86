"""The web page: whole, self-contained, accessible, and no text from outside can change what it is made of."""

from __future__ import annotations

import dataclasses
import functools
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.errors import Problem
from graycard.model import Check, Difference, History, Report, Trial, Verdict
from graycard.report.charts import charts_of, svg
from graycard.report.charts.theme import DARK
from graycard.report.html import HtmlRenderer, page, tied
from graycard.report.printable import printable, shorten
from graycard.report.story import story_of
from tests.report import shows
from tests.report.pages import Node, parsed, skeleton
from tests.report.papers import story
from tests.report.svgs import REPORTS, root_of

HOSTILE = (
    "</title></style></svg><script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x' &lt;b&gt; <!-- ]]> "
    "{{7*7}} {% raw %} \x00\x07\x1b[2J\u202egpj\u2066\u2028\udcff\ufffe עברית %s \\u003c ;}body{display:none}"
)
LONG = "W" * 5000


@functools.cache
def rendered(name: str) -> Node:
    return parsed(HtmlRenderer().render(REPORTS[name]()))


@pytest.mark.parametrize("name", REPORTS)
def test_the_page_loads_and_runs_nothing(name: str) -> None:
    root = rendered(name)
    tags = {each.tag for each in root.walk()}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a", "foreignobject"}
    for node in root.walk():
        assert not {key for key in node.attributes if key.startswith("on") or key in {"src", "href", "xlink:href"}}
        assert "style" not in node.attributes or node.tag in {"g", "path", "text"}
    policies = [each for each in root.all("meta") if each.attributes.get("http-equiv") == "Content-Security-Policy"]
    assert [each.attributes["content"] for each in policies] == [
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    ]
    assert "url(" not in root.all("style")[0].text
    assert "@import" not in root.all("style")[0].text


@pytest.mark.parametrize("name", REPORTS)
def test_the_page_can_be_read_aloud(name: str) -> None:
    root = rendered(name)
    assert root.all("html")[0].attributes["lang"] == "en"
    assert len(root.all("h1")) == 1
    assert root.all("title")[0].text.strip()
    assert len(root.all("main")) == 1
    ids = [each.attributes["id"] for each in root.walk() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    assert {each.attributes["aria-labelledby"] for each in root.all("section")} <= set(ids)
    for drawing in root.all("svg"):
        assert drawing.attributes["role"] == "img"
        assert len(drawing.attributes["aria-label"] or "") > 20
    for table in root.all("table"):
        columns = [each for each in table.all("th") if each.attributes.get("scope") == "col"]
        assert columns
        for row in table.all("tbody")[0].all("tr"):
            assert len(row.all("th")) == 1
            assert row.all("th")[0].attributes["scope"] == "row"
            assert len(row.all("td")) == len(columns) - 1


@pytest.mark.parametrize("name", REPORTS)
def test_all_of_the_story_is_on_the_page(name: str) -> None:
    told = story_of(REPORTS[name]())
    words = " ".join(rendered(name).text.replace("\u00a0", " ").split())
    for text in (told.headline, *told.method, *(note.text for note in told.lead)):
        assert text in words
    for section in told.sections:
        assert section.title in words
    for field in told.colophon:
        assert field.value in words


def test_each_chart_is_there_for_wide_and_for_narrow_screens() -> None:
    root = rendered("one drive")
    by_class = {name: [e for e in root.walk() if e.attributes.get("class") == name] for name in ("wide", "narrow")}
    assert len(by_class["wide"]) == len(by_class["narrow"]) == len(root.all("figure")) == 6
    style = root.all("style")[0].text
    assert re.search(r"@media \(max-width: 40rem\) \{.*?\.wide \{ display: none \}", style, re.DOTALL)


def test_in_the_dark_every_colour_of_the_charts_has_its_dark_one() -> None:
    style = rendered("one drive").all("style")[0].text
    assert "@media screen and (prefers-color-scheme: dark)" in style
    for light, dark in DARK.items():
        assert f'svg [fill="{light}"] {{ fill: {dark} }}' in style
        assert f'svg [stroke="{light}"] {{ stroke: {dark} }}' in style


def report_with(text: str) -> Report:
    """A whole report in which all that comes from outside is `text`."""
    both = shows.two_formats()
    base, other = both.results[0], both.results[4]
    results = []
    for number, each in enumerate((base, other)):
        trial = Trial(text, text, f"{text}{number}", randomised=True)
        facts = tuple(dataclasses.replace(f, value=text) if isinstance(f.value, str) else f for f in each.facts)
        target = dataclasses.replace(each.target, path=f"{text}{number}")
        summary = each.summary and dataclasses.replace(
            each.summary,
            checks=(Check("from_device", None, None, None, None, Verdict.FAIL, text),),
            caveats=(text,),
        )
        results.append(
            dataclasses.replace(
                each,
                measurement_id=f"{text}{number}",
                trial=trial,
                facts=facts,
                target=target,
                summary=summary,
                trouble=text,
            )
        )
    difference = Difference("format", "file_system", None, text, f"{text}!", text)
    comparisons = tuple(
        dataclasses.replace(
            each, task_label=text, base=text, other=f"{text}2", says=text, caveats=(text,), differences=(difference,)
        )
        for each in both.comparisons[:1]
    )
    (history,) = shows.over_time().histories
    eras = tuple(dataclasses.replace(era, changes=(difference,)) for era in history.eras)
    return Report(text, tuple(results), comparisons, (History(text, text, eras, text),), (text,))


@functools.cache
def hostile_page() -> bytes:
    return HtmlRenderer().render(report_with(HOSTILE))


def test_hostile_text_everywhere_leaves_the_page_as_it_is_made() -> None:
    benign, hostile = HtmlRenderer().render(report_with("words")), hostile_page()
    expected, found = parsed(benign), parsed(hostile)
    assert skeleton(found, drawings=False) == skeleton(expected, drawings=False)
    assert [skeleton(each) for each in found.all("svg")] == [skeleton(each) for each in expected.all("svg")]
    assert found.all("style")[0].text == expected.all("style")[0].text
    assert found.text.replace("\u00a0", " ").count(printable(HOSTILE).replace("\u00a0", " ")) >= 10
    assert found.all("title")[0].text == shorten(printable(HOSTILE), 120)


def test_hostile_text_in_a_drawing_is_text() -> None:
    for chart in charts_of(report_with(HOSTILE[:40])):
        for narrow in (False, True):
            root = root_of(svg(chart, narrow=narrow))
            assert {each.tag.split("}")[1] for each in root.iter()} <= {"svg", "g", "path", "line", "text", "rect"}


def test_control_characters_never_reach_the_page() -> None:
    text = hostile_page().decode()
    assert not [c for c in text if not c.isprintable() and c not in "\n\u00a0\u2068\u2069"]


def test_a_very_long_word_is_shortened_in_drawings_and_breaks_in_the_page() -> None:
    data = HtmlRenderer().render(report_with(LONG))
    root = parsed(data)
    assert "overflow-wrap: anywhere" in root.all("style")[0].text
    drawn = [each.text for each in root.all("text")]
    assert max(map(len, drawn)) < 80
    assert any("…" in each for each in drawn)


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_any_text_leaves_the_page_as_it_is_made(text: str) -> None:
    expected = parsed(page(story("words", title="words"), ()))
    shown = printable(text)
    found = parsed(page(story(f"x{shown}", title=f"x{shown}"), ()))
    assert skeleton(found) == skeleton(expected)
    assert found.all("title")[0].text == f"x{shown}"


def test_a_figure_keeps_its_unit_on_its_line() -> None:
    assert tied("reads 2100 MB/s ± 3 % in 12 min") == "reads 2100\u00a0MB/s\u00a0±\u00a03\u00a0% in 12\u00a0min"
    assert tied("3 minutes, 4 miles, a 5") == "3 minutes, 4 miles, a 5"


def test_equal_reports_are_equal_pages() -> None:
    assert HtmlRenderer().render(shows.over_time()) == HtmlRenderer().render(shows.over_time())


def test_reports_with_next_to_nothing_are_pages() -> None:
    for report in (
        Report("", ()),
        Report("", (dataclasses.replace(shows.one_drive().results[0], runs=(), summary=None),)),
    ):
        assert len(parsed(HtmlRenderer().render(report)).all("h1")) == 1


def test_1000_results_draw_no_more_than_a_few() -> None:
    large = HtmlRenderer().render(shows.many(1000))
    assert large.count(b"<svg") <= 2 * 8
    assert len(parsed(large).all("tr")) > 976
    assert len(large) < 1_500_000


def test_without_its_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(Problem, match=r"pip install 'graycard\[report\]'"):
        HtmlRenderer().render(shows.over_time())


def test_arms_of_one_name_are_told_apart_by_their_time() -> None:
    first = shows.one_drive().results[:1]
    later = tuple(
        dataclasses.replace(each, measurement_id="m2", created_at=each.created_at.replace(day=1)) for each in first
    )
    told = story_of(Report("", (*first, *later)))
    assert [each.title for each in told.sections if each.key in {"measurement-1", "measurement-2"}] == [
        "/mnt/ssd, 2026-11-30 13:40",
        "/mnt/ssd, 2026-11-01 13:40",
    ]
