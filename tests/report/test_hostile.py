"""Text from outside (paths, names, messages) can neither break a table nor become markup nor move the cursor."""

from __future__ import annotations

import dataclasses
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from graycard.model import Report, Verdict
from graycard.report.printable import cell_width, pad, printable, shorten
from graycard.report.renderers import RENDERERS
from tests.report.examples import GOOD, check, summary

HOSTILE = "/mnt/\x1b[2J\x07|`<b>*a*\n\u202egpj\udcff\u2028#" + "\t"
ANY_TEXT = st.text(st.characters(), max_size=200)


def rendered(name: str, path: str, says: str) -> str:
    renderer = next(each for each in RENDERERS if each.name == name)
    assert GOOD.summary is not None
    target = dataclasses.replace(GOOD.target, path=path)
    found = summary(GOOD.summary.rate, check(Verdict.FAIL, says))
    return renderer.render(Report("", (dataclasses.replace(GOOD, target=target, summary=found),))).decode()


def test_control_characters_become_escapes() -> None:
    assert printable("a\nb\x1b[0m") == "a\\nb\\x1b[0m"
    assert printable("bad \udcff byte") == "bad \\xff byte"
    assert printable("\ud800") == "\\ud800"
    assert printable("zero\u200bwidth \u202e override") == "zero\\u200bwidth \\u202e override"


def test_right_to_left_text_is_isolated() -> None:
    assert printable("/mnt/שלום disk") == "\u2068/mnt/שלום disk\u2069"
    assert printable("/mnt/größe ü 日本") == "/mnt/größe ü 日本"


@given(ANY_TEXT)
def test_nothing_printable_moves_the_cursor(text: str) -> None:
    shown = printable(text)
    shown.encode()
    allowed = {"\u2068", "\u2069"}
    assert all(c.isprintable() or c in allowed for c in shown)
    assert all(unicodedata.category(c) not in {"Cc", "Cs", "Zl", "Zp"} for c in shown)


@given(ANY_TEXT, st.integers(min_value=3, max_value=60))
def test_shortened_text_fits_and_keeps_both_ends(text: str, width: int) -> None:
    shown = printable(text)
    short = shorten(shown, width)
    assert cell_width(short) <= width
    assert short == shown or (short[0] == shown[0] and "…" in short)
    assert short.count("\u2068") == short.count("\u2069")


def test_shortening_keeps_the_ends_of_a_path() -> None:
    assert shorten("/a/very/long/path/to/a/drive", 15) == "/a/very…a/drive"


def test_wide_and_combining_characters_are_counted_in_cells() -> None:
    assert cell_width("日本") == 4
    assert cell_width("e\u0301") == 1
    assert pad("日本", 6) == "日本  "
    assert pad("7", 3, right=True) == "  7"


def test_a_hostile_path_stays_on_its_line() -> None:
    text = rendered("text", HOSTILE, "one\ntwo")
    assert len(text.splitlines()) == 9
    assert "\x1b" not in text
    assert "\\x1b[2J" in text.splitlines()[0]
    assert "FAILED   one\\ntwo" in text


def test_markdown_shows_markup_as_text() -> None:
    text = rendered("markdown", HOSTILE, "<img src=x> | [a](b)")
    assert "\\<b\\>\\*a\\*" in text
    assert "**FAILED** \\<img src=x\\> \\| \\[a\\](b)" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {9}


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_renders_everywhere(path: str, says: str) -> None:
    assert len(rendered("text", path, "x").splitlines()) == 9
    assert len(rendered("markdown", path, says).splitlines()) == 10
