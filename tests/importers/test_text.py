"""Text from files, clipboards and forums becomes the same lines and numbers."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.errors import ImportProblem
from graycard.importers.text import LARGEST, Line, decimal_mark, lines, number, stream_lines, whole_number

PLAIN = "[Read]\n  SEQ    1MiB (Q=  8, T= 1):   531.458 MB/s\n\nComment: Größe 測定結果 µs\n"
EXPECTED = (
    Line(1, "[Read]"),
    Line(2, "  SEQ    1MiB (Q=  8, T= 1):   531.458 MB/s"),
    Line(3, ""),
    Line(4, "Comment: Größe 測定結果 µs"),
)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (PLAIN.encode(), "utf-8"),
        (PLAIN.encode("utf-8-sig"), "utf-8"),
        (PLAIN.encode("utf-16"), "utf-16-le"),
        ("\ufeff".encode("utf-16-be") + PLAIN.encode("utf-16-be"), "utf-16-be"),
        (PLAIN.encode("utf-16-le"), "utf-16-le"),
        (PLAIN.encode("utf-16-be"), "utf-16-be"),
        (PLAIN.replace("\n", "\r\n").encode(), "utf-8"),
        (PLAIN.replace("\n", " \t\n").encode(), "utf-8"),
        ("".join(f"> {line}\n" for line in PLAIN.splitlines()).encode(), "utf-8"),
        ("".join(f">> {line}\n" for line in PLAIN.splitlines()).encode(), "utf-8"),
        ("".join(f"    {line}\n" for line in PLAIN.splitlines()).encode(), "utf-8"),
        (PLAIN.replace(" ", "\u00a0").encode(), "utf-8"),
        (PLAIN.replace("531", "\x1b[1;31m531").replace("MB/s", "MB/s\x1b[0m").encode(), "utf-8"),
    ],
    ids=[
        "utf-8",
        "utf-8 with a mark",
        "utf-16-le with a mark",
        "utf-16-be with a mark",
        "utf-16-le",
        "utf-16-be",
        "CRLF",
        "blanks at the ends",
        "quoted",
        "quoted twice",
        "indented",
        "no-break spaces",
        "coloured",
    ],
)
def test_every_way_of_writing_gives_the_same_lines(data: bytes, encoding: str) -> None:
    text = lines(data)
    assert (tuple(text), text.encoding) == (EXPECTED, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Comment: 測定結果", "cp932"),
        ("Kommentar: Gerät, Größe, µs, 30 °C", "latin-1"),
        ("Commentaire : débit élevé", "latin-1"),
    ],
)
def test_older_encodings_are_told_apart(text: str, encoding: str) -> None:
    found = lines(text.encode(encoding))
    assert (found.whole, found.encoding) == (text, encoding)


def test_a_character_cut_off_at_the_end_changes_nothing_before_it() -> None:
    whole = "Größe 測定結果".encode()
    assert lines(whole[:-1]).whole == "Größe 測定結"
    assert lines("測定結果".encode("cp932")[:-1]).whole == "測定結"


def test_a_few_damaged_bytes_are_no_other_encoding() -> None:
    damaged = "測定結果 Größe ".encode() + b"\xff" + b" 12 MB/s"
    assert lines(damaged).whole == "測定結果 Größe \ufffd 12 MB/s"


def test_a_progress_that_was_drawn_over_has_lines_of_one_number() -> None:
    data = b"begin\n10 MB/s\r20 MB/s\r\n\nend\r"
    assert tuple(lines(data)) == (Line(1, "begin"), Line(2, "10 MB/s"), Line(2, "20 MB/s"), Line(3, ""), Line(4, "end"))


def test_the_margin_is_that_of_all_lines() -> None:
    assert [line.text for line in lines(b"    a\n\n      b\n    c")] == ["a", "", "  b", "c"]
    assert [line.text for line in lines(b"a\n    b")] == ["a", "    b"]


@given(st.binary(max_size=300))
def test_any_bytes_give_lines(data: bytes) -> None:
    found = tuple(lines(data))
    assert [line.number for line in found] == sorted(line.number for line in found)
    assert all("\n" not in line.text and line.text == line.text.rstrip() for line in found)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234.5", 1234.5),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1 234,5", 1234.5),
        ("1'234.5", 1234.5),
        ("17,38", 17.38),
        ("531,458", 531.458),
        ("131,072,000", 131072000.0),
        ("131.072.000", 131072000.0),
        (".5", 0.5),
        ("12.", 12.0),
        ("-3.5", -3.5),
        ("1.5e+06", 1.5e6),
        ("  42 ", 42.0),
        ("0.000", 0.0),
    ],
)
def test_numbers_are_read_in_every_way_of_writing_them(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "nan", "-nan%", "inf", "-inf", "1e999", "1.2.3", "1,23,456", "1..2", ",", "-", "12 MB", "0x10", "1e",
     "9" * 5000, "9" * 30, "१२", "½"],
)  # fmt: skip
def test_what_is_no_number_is_none(text: str) -> None:
    assert number(text) is None


def test_the_mark_of_the_tool_decides_where_the_figure_cannot() -> None:
    assert (number("1,024"), number("1,024", "."), number("1.024", ",")) == (1.024, 1024.0, 1024.0)
    assert (number("1,5", "."), number("1.5", ",")) == (None, None)
    assert decimal_mark(["1,234", "17,38"]) == ","
    assert decimal_mark(["1,234", "1,234.5"]) == "."
    assert decimal_mark(["1.234,5"]) == ","
    assert decimal_mark(["1,234"]) == decimal_mark([]) == "."


def test_whole_numbers_have_thousands_of_any_kind() -> None:
    assert [whole_number(text) for text in ("131,072,000", "1.024", "1 024", "7")] == [131072000, 1024, 1024, 7]
    assert [whole_number(text) for text in ("1.5", "", "-1", "9" * 50, "1,02")] == [None] * 5


@given(st.floats(-LARGEST, LARGEST))
def test_what_is_printed_is_read_back(value: float) -> None:
    assert number(f"{value:.3f}") == pytest.approx(value, abs=0.0006, rel=1e-12)


def test_streamed_lines_are_of_bounded_length() -> None:
    assert list(stream_lines(io.BytesIO(b"a \r\nb"), "fio")) == [Line(1, "a"), Line(2, "b")]
    with pytest.raises(ImportProblem, match="line 2 is too long to be fio's"):
        list(stream_lines(io.BytesIO(b"a\n" + bytes(1 << 20)), "fio"))
