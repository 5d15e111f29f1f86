"""The formats against the sourced table, row by row; and that the data file is the one that is built of it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from fractions import Fraction

import pytest

from graycard.media import Confidence, Kind, format_named, formats, known_formats, matching, parse_rate, rate_text
from graycard.media.formulas import (
    ARRIRAW_HEADER_RATIO,
    BRAW_MOST_RATIO,
    FORMULAS,
    arriraw,
    braw,
    dnxhr,
    dnxhr_larger,
    packed,
    r210,
    redcode,
    v210,
)
from graycard.media.table import by_key, by_slug
from tests.media.table import Row, rows, stored
from tools.make_formats import DECISIVE, built, left_out, slug_of, text_of
from tools.make_formats import PLACE as BUILT


def pixels(row: Row) -> tuple[int, int]:
    return int(row["width"]), int(row["height"])


def kept() -> list[Row]:
    return [row for row in rows() if left_out(row) is None]


@stored
def test_the_data_file_is_the_one_that_is_built_from_the_table() -> None:
    document, omitted = built(list(rows()))
    assert BUILT.read_text(encoding="utf-8") == text_of(document)
    count = sum(len(group["rows"]) for group in document["groups"])
    assert count + sum(omitted.values()) == len(rows())
    assert count > 1700
    assert BUILT.stat().st_size < 150_000


@stored
def test_every_row_is_a_format_whose_frame_is_never_smaller_than_the_sources_say() -> None:
    exact, larger = 0, Counter[str]()
    for row in kept():
        found = by_slug()[slug_of(row)]
        same = [each for each in found if (each.width, each.height) == pixels(row)]
        if row["fps_num"]:
            rate = Fraction(int(row["fps_num"]), int(row["fps_den"]))
            same = [each for each in same if each.rate == rate]
            assert len(same) == 1, row
        assert same
        table = int(row["bytes_per_frame"])
        assert all(each.frame_bytes >= table for each in same), row
        if same[0].frame_bytes == table:
            exact += 1
        else:
            larger[row["family"]] += 1
            assert same[0].frame_bytes <= table * 1.04, row
    # The height that FFmpeg rounds up, ARRI's header, and two sources of one rate of Blackmagic RAW.
    assert set(larger) == {"DNxHR", "ARRIRAW", "Blackmagic RAW"}
    assert exact > 1400


@stored
def test_what_a_row_asks_for_agrees_with_its_megabits() -> None:
    """Decimal megabits, within the rounding of the table: half a megabit where whole ones are printed."""
    checked = 0
    for row in kept():
        if not row["mbit_per_s"] or row["family"] in {"DNxHR", "ARRIRAW"}:
            continue
        rate = Fraction(int(row["fps_num"]), int(row["fps_den"]))
        mbit = int(row["bytes_per_frame"]) * 8 * rate / 10**6
        assert abs(float(mbit) - float(row["mbit_per_s"])) < 0.51, row
        checked += 1
    assert checked > 600


@stored
def test_uncertain_rows_and_those_without_a_source_decide_nothing() -> None:
    uncertain = 0
    for row in kept():
        sources = set(row["memory_fields"].split())
        if row["confidence"] == "low" or sources & DECISIVE or row["kind"] in {"estimate", "measured_sample"}:
            uncertain += 1
            mine = [each for each in by_slug()[slug_of(row)] if (each.width, each.height) == pixels(row)]
            assert not any(each.decides for each in mine if each.frame_bytes == int(row["bytes_per_frame"])), row
    assert uncertain > 80
    for each in formats():
        if each.confidence is Confidence.LOW or each.kind in {Kind.SAMPLE, Kind.ESTIMATE}:
            assert not each.decides


@stored
def test_formulas_give_every_row_that_has_them_to_the_byte() -> None:
    tested = Counter[str]()
    for row in kept():
        slug = slug_of(row)
        if row["family"] in {"Uncompressed", "Image sequence"}:
            assert FORMULAS[slug].frame_bytes(*pixels(row)) == int(row["bytes_per_frame"]), row
            tested[slug] += 1
        if row["family"] == "DNxHR":
            weight = {"444": 57344, "HQX": 28672, "HQ": 28672, "SQ": 18944, "LB": 5888}[row["variant"]]
            assert dnxhr(*pixels(row), weight=weight) == int(row["bytes_per_frame"]), row
            tested[slug] += 1
    assert set(tested) == {slug for slug in FORMULAS if not slug.startswith(("arriraw", "braw", "redcode"))}
    assert sum(tested.values()) == 24 * 20 + 640


@stored
def test_vendors_test_targets_are_the_same_frames_in_binary_megabytes() -> None:
    """Apple's and Blackmagic's tables print MiB/s as MB/s: the check column holds what they print."""
    for row in rows():
        if row["kind"] != "vendor_test_target":
            continue
        w, h = pixels(row)
        ours = {"8": packed(w, h, bits_per_pixel=16), "10": v210(w, h)}[row["bits"]]
        ours = packed(w, h, bits_per_pixel=32) if "RGB" in row["variant"] else ours
        assert ours == int(row["bytes_per_frame"]), row
        printed = float(row["check"].split("_")[1].removesuffix("MiB"))
        mib_per_s = ours * int(row["fps_num"]) / int(row["fps_den"]) / 2**20
        # DeckLink's 720p60 leaves out the padding of its rows (141 for 142.4).
        assert mib_per_s == pytest.approx(printed, abs=1.5), row


@stored
def test_rules_of_thumb_bracket_the_makers_figures() -> None:
    for row in kept():
        w, h = pixels(row)
        table = int(row["bytes_per_frame"])
        if row["family"] == "Blackmagic RAW" and ":" in row["variant"]:
            most = braw(w, h, ratio=int(row["variant"].split(":")[0]))
            assert most / BRAW_MOST_RATIO <= table * 1.001 <= most * 1.001, row
        if row["family"] == "REDCODE RAW" and row["kind"] == "ratio":
            assert redcode(w, h, ratio=int(row["variant"][4])) == pytest.approx(table, rel=0.002)
        if row["family"] == "ARRIRAW" and row["kind"] in {"formula", "uncompressed_exact"}:
            assert packed(w, h, bits_per_pixel=12) == pytest.approx(table, abs=1)
            assert arriraw(w, h) == pytest.approx(table * (1 + ARRIRAW_HEADER_RATIO), abs=2)


@pytest.mark.parametrize(
    ("found", "is_so"),
    [
        # AJA's pitches and what FFmpeg and OpenEXR write, worked out by hand.
        (v210(1920, 1080), 5_529_600),
        (v210(1280, 720), 2_488_320),
        (r210(1920, 1080), 8_294_400),
        (FORMULAS["2vuy"].frame_bytes(1920, 1080), 4_147_200),
        (FORMULAS["dpx-10"].frame_bytes(2048, 1556), 2048 + 2048 * 1556 * 4),
        (FORMULAS["dpx-8"].frame_bytes(1001, 2), 2048 + 751 * 4 * 2),
        (FORMULAS["exr-half-rgb"].frame_bytes(10, 2), 342 + 16 + 2 * (8 + 60)),
        # Avid's table, and FFmpeg's file of the same format.
        (dnxhr(1920, 1080, weight=28672), 909_312),
        (dnxhr_larger(1920, 1080, weight=28672), 917_504),
        (dnxhr_larger(3840, 2160, weight=28672), dnxhr(3840, 2160, weight=28672)),
        (dnxhr(64, 64, weight=5888), 8192),
    ],
)
def test_formulas_by_hand(found: int, is_so: int) -> None:
    assert found == is_so


def test_known_targets_of_prores() -> None:
    """Apple's table at UHD: 707, 737, 884, 1475, 1768 Mb/s."""
    rates = {"23.976": 707, "25": 737, "29.97": 884, "50": 1475, "59.94": 1768}
    found = {rate: format_named(f"prores-422-hq/uhd/{rate}").bits_per_s / 1e6 for rate in rates}
    assert found == pytest.approx(rates, abs=0.01)


def test_keys_are_unique_and_read_back() -> None:
    assert len(by_key()) == len(formats())
    for each in formats()[::97]:
        assert format_named(each.key) is each
        assert each.source
        assert each.frame_bytes > 0


def test_the_known_formats_all_decide_or_are_of_one_file_a_frame() -> None:
    known = known_formats()
    assert 18 <= len(known) <= 26
    assert all(each.decides for each in known)
    assert [each.bytes_per_s for each in known] == sorted(each.bytes_per_s for each in known)


def test_rates_are_exact() -> None:
    assert parse_rate("23.98") == parse_rate("24000/1001") == parse_rate(" 23.976p ") == Fraction(24000, 1001)
    assert parse_rate("59.94fps") == Fraction(60000, 1001)
    assert parse_rate("12.5") == Fraction(25, 2)
    for each in {each.rate for each in formats()} | {Fraction(100, 3), Fraction(25, 2), Fraction(1, 3)}:
        assert parse_rate(rate_text(each)) == each
    for wrong in ("", "0", "-1", "x", "25/0", "1001", "1e3", "24001/1001", "25/7"):
        with pytest.raises(ValueError, match="is not a frame rate"):
            parse_rate(wrong)


def test_words_find_formats() -> None:
    assert len(matching(["prores", "uhd", "25"])) == 6
    assert len(matching(["ProRes UHD 25p"])) == 6
    assert {each.width for each in matching(["dnxhr", "4k"])} == {3840, 4096}
    assert {each.key.split("/")[0] for each in matching(["hq", "dnxhr"])} == {"dnxhr-hq"}
    assert matching([]) == formats()
    assert matching(["nonsense"]) == ()
    assert not any(each.family == "CinemaDNG" for each in matching(["cinemadng", "25"]) if each.rate != 25)


def test_the_table_is_read_only_when_it_is_asked_for() -> None:
    """Importing the room reads no file: commands that need no format must not wait for it."""
    check = (
        "import graycard.media, graycard.media.table as t; assert t.formats.cache_info().currsize == 0; "
        "assert t._data.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_the_data_file_is_installed() -> None:
    project = tomllib.loads((BUILT.parents[4] / "pyproject.toml").read_text(encoding="utf-8"))
    installed = project["tool"]["setuptools"]["package-data"]["graycard.media"]
    assert [path.name for pattern in installed for path in BUILT.parents[1].glob(pattern)] == [BUILT.name]
