"""What users write for a format, and what they are told where it is none."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.errors import PlanProblem
from graycard.media import format_named


@pytest.mark.parametrize(
    ("text", "key", "frame_bytes"),
    [
        ("prores-422-hq/uhd/25", "prores-422-hq/uhd/25", 3_685_000),
        ("  ProRes 422 HQ, UHD @ 25p ", "prores-422-hq/uhd/25", 3_685_000),
        ("uhd 25 prores422hq", "prores-422-hq/uhd/25", 3_685_000),
        ("PRORES HQ 3840x2160 25fps", "prores-422-hq/uhd/25", 3_685_000),
        # The table has 23.976 and not 24: the largest frame of its rates, which are rounded to whole Mb/s.
        ("prores-422-hq/uhd/24", "prores-422-hq/uhd/24", 3_687_500),
        ("v210 1080p 24000/1001", "v210/hd/23.976", 5_529_600),
        ("v210/1000 x 500/100", "v210/1000x500/100", 21 * 128 * 500),
        ("dnxhr-hqx 3840×1600 48", "dnxhr-hqx/3840x1600/48", 2_699_264),
        ("dnxhd 36 hd 25", "dnxhd-36/hd/25", 188_416),
        ("xavc-l 50 1080 25", "xavc-l-50/hd/25", 250_000),
        ("braw 5:1 uhd 25", "braw-5:1/uhd/25", 2_544_529),
        # By hand: pixels × samples × bits ÷ 8.
        ("3840x2160/25/10bit-422", "custom-10bit-422/uhd/25", 3840 * 2160 * 20 // 8),
        ("custom 1920x1080 24000/1001 12-bit rgb", "custom-12bit-rgb/hd/23.976", 1920 * 1080 * 36 // 8),
        ("1920x1080 30 8bit 4:2:0", "custom-8bit-420/hd/30", 1920 * 1080 * 12 // 8),
        ("16-bit-rgba/8k/60", "custom-16bit-rgba/8k/60", 7680 * 4320 * 8),
        ("12bit bayer 4608x2592 24", "custom-12bit-bayer/4608x2592/24", 4608 * 2592 * 12 // 8),
        ("5x3/24/10bit-420", "custom-10bit-420/5x3/24", 29),
        ("8MB/25", "custom-8000000b/25", 8_000_000),
        ("8MiB 23.976", "custom-8388608b/23.976", 8 << 20),
        ("1.5mb/50", "custom-1500000b/50", 1_500_000),
    ],
)
def test_names(text: str, key: str, frame_bytes: int) -> None:
    found = format_named(text)
    assert found.key == key
    assert found.frame_bytes == frame_bytes
    assert found.decides
    assert format_named(found.key) == found


def test_a_rate_is_exact_and_its_bits_follow() -> None:
    found = format_named("v210/hd/29.97")
    assert found.rate == Fraction(30000, 1001)
    assert found.bits_per_s == float(Fraction(5_529_600 * 8 * 30000, 1001))
    assert found.bits_per_s == 8 * found.bytes_per_s


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "“nonsense” is no format of the table"),
        ("prores-422-hx/uhd/25", "did you mean prores-422-hq"),
        ("prores uhd 25", "means 6 formats; write one of prores-422-proxy, prores-422-lt"),
        ("prores-422-hq 4k 25", "“4k” is said of uhd (3840x2160) and of 4k-dci (4096x2160)"),
        ("prores-422-hq/uhd", "lacks a frame rate; write for example prores-422-hq/uhd/25"),
        ("prores-422-hq/25", "lacks a frame size; write for example prores-422-hq/uhd/25"),
        ("prores-422-hq", "lacks a frame size and a frame rate"),
        ("prores-422-hq/1234x567/25", "the table has no prores-422-hq of 1234x567 at 25 fps; it has"),
        ("xavc-i/uhd/48", "the table has no xavc-i of uhd at 48 fps; it has xavc-i/uhd/50"),
        ("10bit-422/25", "needs a frame size; write for example 3840x2160/25/10bit-422"),
        ("10bit-422/uhd", "needs a frame rate"),
        ("8MB", "“8mb” needs a frame rate; write for example 8mb/25"),
        ("0b/25", "a frame of 0 B is none"),
        ("99TB/25", "is none"),
        ("", "“” is no format of the table; write for example"),
        ("uhd 25", "is no format of the table"),
        ("redcode 5:1 8k-dci 24", "did you mean redcode-"),
    ],
)
def test_a_name_that_is_none_is_told_in_one_sentence_with_what_is_near(text: str, says: str) -> None:
    with pytest.raises(PlanProblem, match=re.escape(says)) as told:
        format_named(text)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 300


def test_a_rule_of_thumb_decides_nothing() -> None:
    found = format_named("braw-5:1/5000x3000/24")
    assert not found.decides
    assert found.frame_bytes == pytest.approx(5000 * 3000 * 1.5 / 5, rel=0.13)


PARTS = [
    "prores",
    "422",
    "hq",
    "dnxhr",
    "v210",
    "uhd",
    "hd",
    "25",
    "24000/1001",
    "3/2",
    "10bit-422",
    "8MB",
    "custom",
    "x",
    "1x1",
    "/",
    "5:1",
]
TEXTS = st.text(max_size=40) | st.builds(
    lambda parts, joint: joint.join(parts),
    st.lists(st.sampled_from(PARTS), max_size=5),
    st.sampled_from(" /-"),
)


@given(TEXTS)
def test_any_text_is_a_format_or_a_sentence(text: str) -> None:
    try:
        found = format_named(text)
    except PlanProblem:
        return
    assert found.frame_bytes > 0
    assert format_named(found.key) == found
