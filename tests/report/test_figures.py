"""Figures as people read them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.model import Estimate, FactValue
from graycard.report.figures import change_interval, plus_minus, quantity, rate_interval
from tests.report.examples import estimate


def test_the_ends_of_a_narrow_interval_are_told_apart() -> None:
    assert rate_interval(estimate(512e6, 511.8e6, 512.3e6, "bytes/s")) == "(511.8 to 512.3)"
    assert rate_interval(estimate(512e6, 497e6, 528e6, "bytes/s")) == "(497 to 528)"
    assert rate_interval(estimate(512e6, None, None, "bytes/s")) == ""


def test_a_rate_never_stands_alone() -> None:
    assert plus_minus(estimate(512e6, 497e6, 528e6, "bytes/s")) == "± 3 %"
    assert plus_minus(estimate(512e6, None, None, "bytes/s", n_count=1)) == "single run"
    assert plus_minus(estimate(512e6, None, None, "bytes/s", n_count=4)) == "no interval"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (None, "bytes", "—"),
        (True, "bool", "yes"),
        (False, "bool", "no"),
        ("ext4", None, "ext4"),
        (480_000_000, "bits/s", "480 Mbit/s"),
        (10_000_000_000, "bits/s", "10.0 Gbit/s"),
        (985_000_000.0, "bytes/s", "985 MB/s"),
        (512, "bytes", "512 B"),
        (4096, "bytes", "4 KiB"),
        (1 << 20, "bytes", "1 MiB"),
        (500_107_862_016, "bytes", "500 GB"),
        ((1 << 63) - 1, "bytes", "9.22 EB"),
        (0.934, "ratio", "93 %"),
        (41, "celsius", "41 °C"),
        (25.0, "ns", "25 ns"),
        (8, "count", "8"),
        (0.51, "count", "0.510"),
        (2_200_000.0, "ops/s", "2200000 ops/s"),
    ],
)
def test_quantity(value: FactValue, unit: str | None, shown: str) -> None:
    assert quantity(value, unit) == shown


def test_the_range_of_two_runs_is_not_shown_as_an_interval() -> None:
    ratio = Estimate(1.33, 1.26, 1.41, "ratio", 2, None, "range of the runs")
    assert change_interval(ratio) == "(no interval)"
    assert change_interval(replace(ratio, level_ratio=0.95)) == "(+26 to +41 %)"
