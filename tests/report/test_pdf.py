"""A report on paper: its words, its pages, its metadata, and that no text becomes markup."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.errors import Problem
from graycard.model import Report
from graycard.report.charts import charts_of
from graycard.report.page import Field, Note, Row, Table, Tone
from graycard.report.pdf import PdfRenderer
from graycard.report.pdf.fonts import BUILT_IN, SANS, Face, chosen_family
from graycard.report.pdf.renderer import newest, panels, paper
from graycard.report.pdf.sheet import LONG_WORD_LENGTH, ROWS_COUNT, Drawing, sheet, soft
from graycard.report.printable import printable
from graycard.report.story import Section
from tests.report.papers import (
    COLUMNS,
    DRAWINGS,
    MADE_AT,
    SVG,
    needs_poppler,
    page_count,
    pdf,
    story,
    typefaces,
    words_of,
)
from tests.report.shows import one_drive, over_time, two_formats

MARKUP = '#import "@preview/x:1.0.0" #read("/etc/passwd") *b* _i_ $x^2$ `c` \\ @ref <label> [[ ]] {{ }} // /* ~ -- "'
HOSTILE = printable(MARKUP + "\x1b[2J\x00\u202e\udcff\n")


@needs_poppler
def test_all_that_the_story_tells_is_there() -> None:
    words = words_of(pdf(story("Told")))
    for told in (
        "exFATandext4",
        "Told",
        "caveat",
        "2104MB/s",
        "±2%",
        "steady",
        "3.40ms",
        "Setup",
        "drawnwords",
        "Thechart",
        "1/2",
    ):
        assert told.replace("Setup", "Set-up") in words, told
    assert words.count("Told") == 15
    assert words.count("SEQ1MQD8read") == 3
    assert "8123098123" in words


def test_equal_stories_are_equal_files() -> None:
    assert pdf(story()) == pdf(story())
    assert pdf(story()) != pdf(story("other"))


@needs_poppler
def test_the_file_tells_its_title_and_the_date_of_its_figures() -> None:
    command = ["pdfinfo", "-isodates", "-"]
    told = subprocess.run(
        command, input=pdf(story(title="A (b) \\ ü")), capture_output=True, check=True
    ).stdout.decode()
    facts = dict(line.split(":", 1) for line in told.splitlines())
    assert facts["Title"].strip() == "A (b) \\ ü"
    assert facts["CreationDate"].strip().startswith("2026-11-30T13:40:07")
    assert facts["Page size"].strip().endswith("(A4)")
    assert facts["Tagged"].strip() == "yes"


@needs_poppler
@pytest.mark.parametrize("system", [True, False], ids=["system's fonts", "typst's own"])
def test_markup_in_a_text_is_shown_as_it_is(system: bool) -> None:
    words = words_of(pdf(story(HOSTILE, title=HOSTILE), system=system))
    assert words.count("".join(HOSTILE.split())) >= 14


def test_a_text_that_looks_like_data_stays_a_text() -> None:
    for text in ('"}],"sections":[]', "</script>", "\\u0022", "%PDF-1.7", "(a) Tj ET", "none", "auto"):
        assert page_count(pdf(story(text))) == 2


@needs_poppler
def test_right_to_left_text_does_not_turn_its_neighbours_round() -> None:
    words = words_of(pdf(story(printable("/mnt/שלום disk"))))
    assert "2104MB/s" in words
    assert "SEQ1MQD8read" in words
    assert "שלום" in words or "םולש" in words  # extractors differ in the order that they give


@needs_poppler
def test_a_word_of_ten_thousand_letters_is_broken_and_loses_none() -> None:
    word = "x" * 10_000
    data = pdf(dataclasses.replace(story(), lead=(Note(word),)))
    assert words_of(data).count("x") >= len(word)
    assert page_count(data) >= 3


def test_where_a_long_word_may_break() -> None:
    assert soft("rw,relatime and more") == "rw,relatime and more"
    assert soft("see rw,relatime,user_id=0") == ["see ", "rw,", "relatime,", "user_", "id=", "0"]
    assert soft("y" * (LONG_WORD_LENGTH + 2)) == ["y" * LONG_WORD_LENGTH, "yy"]


@given(st.text(st.characters(), max_size=300))
def test_breaking_a_text_changes_nothing_of_it(text: str) -> None:
    pieces = soft(text)
    assert (pieces if isinstance(pieces, str) else "".join(pieces)) == text


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(), max_size=80))
def test_any_text_can_be_set(text: str) -> None:
    assert pdf(story(printable(text), title=printable(text))).startswith(b"%PDF-")


def test_a_thousand_rows_go_over_many_pages() -> None:
    assert 15 <= page_count(pdf(story(rows=1000))) <= 40


def test_a_long_table_comes_in_parts_of_the_same_columns() -> None:
    found = [part for part in sheet(story(rows=ROWS_COUNT + 1), ())["sections"][0]["parts"] if part["kind"] == "table"]
    assert [len(part["rows"]) for part in found] == [ROWS_COUNT, 1]
    assert found[0]["columns"] == found[1]["columns"]


def test_a_pdf_is_tagged_unless_a_table_is_very_long() -> None:
    assert b"/StructTreeRoot" in pdf(story(rows=ROWS_COUNT))
    assert b"/StructTreeRoot" not in pdf(story(rows=ROWS_COUNT + 1))


def test_neighbours_of_one_kind_are_one_block_and_a_chart_that_is_not_drawn_is_none() -> None:
    parts = (Field("a", "1"), Field("b", "2"), Note("n"), Note("m", Tone.QUIET))
    told = dataclasses.replace(story(), sections=(Section("k", "T", "", parts),))
    found = sheet(told, ())["sections"][0]["parts"]
    assert [part["kind"] for part in found] == ["fields", "notes"]
    assert [row[0] for row in found[0]["rows"]] == ["a", "b"]
    kinds = [part["kind"] for section in sheet(story(), DRAWINGS)["sections"] for part in section["parts"]]
    assert kinds.count("picture") == 1


def test_a_sentence_that_leads_to_what_follows_stays_with_it() -> None:
    parts = (Note("n"), Note("What differs:"), Field("a", "1"), Note("last:"))
    told = dataclasses.replace(story(), sections=(Section("k", "T", "", parts),))
    found = sheet(told, ())["sections"][0]["parts"]
    assert [(part["kind"], part.get("leads")) for part in found] == [
        ("notes", False),
        ("notes", True),
        ("fields", None),
        ("notes", True),
    ]
    assert page_count(pdf(told)) == 1


@needs_poppler
def test_a_column_of_charts_goes_over_pages_and_leaves_nothing_out() -> None:
    tall = dataclasses.replace(DRAWINGS[0], panels=DRAWINGS[0].panels * 6)
    data = paper(story(), (tall,), MADE_AT, typefaces())
    assert words_of(data).count("drawnwords") == 12
    assert page_count(data) == 3


def test_panels_keep_one_scale() -> None:
    narrow = SVG.replace(b'width="720"', b'width="360"', 1)
    assert Drawing("n", "t", "s", (SVG, narrow)).shares() == (1.0, 0.5)
    assert Drawing("n", "t", "s", (b"<svg viewBox='0 0 1 1'/>",)).shares() == (1.0,)


def test_the_panels_of_a_chart_are_drawn_one_by_one() -> None:
    report = two_formats()
    ratios = next(chart for chart in charts_of(report) if chart.name == "ratios")
    drawn = panels(ratios, "DejaVu Sans")
    assert len(drawn) == len(ratios.specification["vconcat"]) == 2
    assert b"btrfs against ext4" in drawn[1]
    assert b"btrfs against ext4" not in drawn[0]


@needs_poppler
def test_where_a_table_is_too_wide_its_second_columns_go_below() -> None:
    wide = Row(("SEQ1M QD8 read of a file", "2104 MB/s", "± 2 %", *("3.40 ms and more words" for _ in COLUMNS[3:])))
    columns = (*COLUMNS[:3], *(dataclasses.replace(each, title=f"{each.title} of every run") for each in COLUMNS[3:]))
    for count, labelled in ((1, False), (3, True)):
        table = Table((*columns[:3], *columns[3:] * count), (Row((*wide.cells[:3], *wide.cells[3:] * count)),))
        told = dataclasses.replace(story(), sections=(Section("k", "T", "", (table,)),))
        assert ("latencyp993.40ms" in words_of(pdf(told))) is labelled


def test_a_column_without_a_title_and_a_text_takes_no_place() -> None:
    table = sheet(story(), ())["sections"][2]["parts"][0]
    assert [column["title"] for column in table["columns"]] == ["Factor", "words"]


def test_the_first_sans_with_two_weights_is_chosen() -> None:
    def faces(*families: str) -> list[Face]:
        return [Face(family, "normal", weight) for family in families for weight in (400, 700)]

    assert chosen_family(faces("DejaVu Sans", "Noto Sans")) == "Noto Sans"
    assert chosen_family(faces("Comic Neue")) == BUILT_IN
    assert chosen_family([Face("Inter", "normal", 400), Face("Inter", "italic", 700), *faces("Arial")]) == "Arial"
    assert len(set(SANS)) == len(SANS)


def test_typst_has_the_serif_that_is_fallen_back_to() -> None:
    assert typefaces(system=False).family == BUILT_IN
    assert BUILT_IN in typefaces(system=False).fonts.families()


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(Problem, match=r"pip install 'graycard\[report\]'"):
        PdfRenderer().render(Report("", ()))


@needs_poppler
def test_a_report_of_nothing_is_a_page_without_a_date() -> None:
    data = PdfRenderer().render(Report("Nothing yet", ()))
    assert page_count(data) == 1
    assert "1970" not in words_of(data)


@needs_poppler
def test_a_report_is_dated_by_its_newest_figure() -> None:
    history = over_time()
    assert newest(history) == max(entry.created_at for era in history.histories[0].eras for entry in era.entries)
    assert "graycard2027-08-30" in words_of(PdfRenderer().render(history))


@needs_poppler
def test_options_of_a_command_are_not_torn() -> None:
    command = "graycard measure /mnt/ssd " + "--read-only x " * 30
    data = pdf(dataclasses.replace(story(), colophon=(Field("repeat", command), Field("with", "graycard 0.1.0"))))
    shown = subprocess.run(["pdftotext", "-raw", "-", "-"], input=data, capture_output=True, check=True).stdout.decode()
    assert shown.count("--read-only") == 30


@needs_poppler
def test_real_reports_tell_their_figures_on_paper() -> None:
    words = words_of(PdfRenderer().render(one_drive()))
    assert "SEQ1MQD8write" in words
    assert "Only31%ofthebytescamefromthedevice" in words
    assert "81,82,83,84" in words
    compared = words_of(PdfRenderer().render(two_formats()))
    assert "exFAT,btrfsandext4ononedrive" in compared
    assert "slower" in compared


def test_pictures_have_words_for_those_who_do_not_see_them() -> None:
    assert DRAWINGS[0].says.encode() in pdf(story())
