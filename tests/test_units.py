"""Figures as people write and read them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.units import (
    format_duration,
    format_rate,
    format_size,
    parse_duration,
    parse_ratio,
    parse_size,
    percent,
    significant,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("4KiB", 4096),
        ("4k", 4096),
        ("4kB", 4000),
        ("1MiB", 1 << 20),
        ("1.5GiB", 3 << 29),
        ("2 GB", 2 * 10**9),
        ("512B", 512),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "duration_ns"), [("5", 5 * 10**9), ("500ms", 5 * 10**8), ("2min", 12 * 10**10), ("1.5h", 54 * 10**11)]
)
def test_durations(text: str, duration_ns: int) -> None:
    assert parse_duration(text) == duration_ns


@pytest.mark.parametrize(("text", "ratio"), [("5%", 0.05), ("0.05", 0.05), (" 2.5 % ", 0.025)])
def test_ratios(text: str, ratio: float) -> None:
    assert parse_ratio(text) == pytest.approx(ratio, abs=1e-15)


@pytest.mark.parametrize("parse", [parse_size, parse_duration, parse_ratio])
@given(text=st.text(max_size=12))
def test_what_is_no_quantity_is_told_in_one_sentence(parse: Callable[[str], float], text: str) -> None:
    assert "write for example" in (refusal(parse, text) or "write for example")


def refusal(parse: Callable[[str], float], text: str) -> str | None:
    """What is said of a text that is no quantity; None for one that is."""
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return None


def test_a_bad_quantity_is_refused() -> None:
    for parse, text in ((parse_size, "4 KiBB"), (parse_size, "4ib"), (parse_duration, "5 weeks"), (parse_ratio, "x%")):
        assert refusal(parse, text) is not None
    assert refusal(parse_ratio, "-1") is not None


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.01234, "0.0123"), (1.234, "1.23"), (123.4, "123"), (12345.6, "12346"), (99.96, "100.0")],
)
def test_significant_digits(value: float, shown: str) -> None:
    assert significant(value) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (0.0, "0 %"),
        (0.0004, "<0.1 %"),
        (0.004, "0.4 %"),
        (0.03, "3 %"),
        (0.0341, "3.4 %"),
        (0.0999, "10 %"),
        (0.234, "23 %"),
    ],
)
def test_percent(ratio: float, shown: str) -> None:
    assert percent(ratio) == shown


def test_written_figures() -> None:
    assert format_rate(123_456_789) == "123 MB/s"
    assert format_rate(123_456_789, binary=True) == "118 MiB/s"
    assert format_size(1_073_741_824) == "1.07 GB"
    assert [format_duration(ns) for ns in (999, 12_300, 1_200_000, 3_400_000_000, 125 * 10**9)] == [
        "999 ns",
        "12.3 µs",
        "1.20 ms",
        "3.40 s",
        "2 min 5 s",
    ]
