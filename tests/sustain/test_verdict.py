"""A cause is named only with its evidence; what is missing is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graycard.facts import fact
from graycard.model import Check, Fact, Point, Run, Samples, Series, Verdict
from graycard.sustain.curve import curve
from graycard.sustain.recovery import Recovered, recovery, time_of_ns
from graycard.sustain.verdict import Evidence, Judged, Kind, judge
from tests.stats.series import samples

MB, S = 1_000_000, 10**9
CLIFF = samples([4 * MB] * 3000 + [MB] * 3000)
FLAT = samples([4 * MB] * 6000)
FALL_NS = 30 * S


def heat(*celsius: float) -> tuple[Series, ...]:
    """Readings every 5 s."""
    points = tuple(Point(index * 5 * S, value) for index, value in enumerate(celsius))
    return (Series("temperature_celsius", "celsius", "hwmon", points),)


def judged(
    run: Samples,
    *facts: Fact,
    monitor: tuple[Series, ...] = (),
    after: tuple[Fact, ...] = (),
    read: float | None = None,
    checks: tuple[Check, ...] = (),
    is_buffered: bool = False,
) -> Judged:
    made = Run(0, 0, datetime(2026, 1, 1, tzinfo=UTC), run, (), after, monitor)
    return judge(curve(run, 1), Evidence(facts, made, checks, is_buffered, read))


USB = (fact("bus", "usb", "sysfs"), fact("link_bits_per_s", 10_000_000_000, "sysfs"))
CEILING = fact("link_ceiling_bytes_per_s", 1212e6, "sysfs")
COOL, HOT = (40.0,) * 12, (40.0, 50.0, 60.0, 69.0, 70.0, 71.0, 71.0, 71.0, 70.0, 70.0, 70.0, 70.0)
LIMIT = fact("temperature_limit_celsius", 70.0, "hwmon")


def test_a_cool_drive_that_falls_has_a_full_cache() -> None:
    found = judged(CLIFF, *USB, LIMIT, monitor=heat(*COOL))
    assert found.kind is Kind.CACHE_FULL
    assert found.says.startswith("Cache full after 12.0 GB (")
    assert "400 MB/s before, 100 MB/s" in found.says
    assert found.because == ("It was not heat: the drive had 40 °C then, below its limit of 70 °C.",)


def test_fast_reading_shows_a_full_cache_where_no_temperature_is_told() -> None:
    found = judged(CLIFF, *USB, read=420e6)
    assert found.kind is Kind.CACHE_FULL
    assert "Reading went on at 420 MB/s" in found.because[0]
    assert "heat is not ruled out" in found.because[1]


def test_without_temperature_and_without_reading_no_cause_is_named() -> None:
    found = judged(CLIFF, *USB)
    assert found.kind is Kind.FALLS
    assert "What makes it fall is not shown" in found.says
    assert "heat is not ruled out" in found.because[0]
    assert "nothing was read back" in found.because[1].lower()


def test_reading_that_is_slow_too_shows_no_cache() -> None:
    found = judged(CLIFF, *USB, read=100e6)
    assert found.kind is Kind.FALLS
    assert any("slower than the burst" in says for says in found.because)


def test_heat_is_named_where_the_drive_reaches_its_limit_at_the_fall() -> None:
    found = judged(CLIFF, *USB, LIMIT, monitor=heat(*HOT), read=420e6)
    assert found.kind is Kind.HEAT
    assert found.because == ("The drive had 71 °C then, and warns from 70 °C on.",)


def test_heat_is_named_where_the_drive_says_that_it_throttles() -> None:
    found = judged(CLIFF, *USB, after=(fact("throttled", True, "smartctl"),))
    assert found.kind is Kind.HEAT


def test_heat_after_the_fall_is_no_cause_of_it() -> None:
    late = (*(40.0,) * 10, 71.0, 71.0)
    assert judged(CLIFF, *USB, LIMIT, monitor=heat(*late)).kind is Kind.CACHE_FULL


def test_a_hot_drive_that_does_not_tell_its_limit_proves_nothing() -> None:
    found = judged(CLIFF, *USB, monitor=heat(*(75.0,) * 12))
    assert found.kind is Kind.FALLS
    assert "does not tell its limit" in found.because[0]


@pytest.mark.parametrize(
    ("facts", "more", "says"),
    [
        ((fact("bus", "virtio", "sysfs"),), {}, "the host of this virtual machine"),
        ((fact("bus", "loop", "sysfs"),), {}, "below the image file"),
        (USB, {"is_buffered": True}, "the system's memory"),
        (
            USB,
            {"checks": (Check("alone_on_device", 0, 9, "bytes", 0, Verdict.CAVEAT, "Others wrote 9 GB."),)},
            "Others wrote 9 GB",
        ),
        (
            USB,
            {"checks": (Check("instrument_not_limit", 3, 1, "ratio", 0, Verdict.FAIL, "The computer was too slow."),)},
            "The computer was too slow",
        ),
    ],
)
def test_where_something_else_may_have_slowed_it_no_cause_is_named(
    facts: tuple[Fact, ...], more: dict[str, Any], says: str
) -> None:
    found = judged(CLIFF, *facts, LIMIT, monitor=heat(*COOL), read=420e6, **more)
    assert found.kind is Kind.FALLS
    assert says.lower() in found.because[0].lower()


def test_a_flat_rate_at_the_links_ceiling_is_the_link() -> None:
    sata = fact("link_ceiling_bytes_per_s", 450e6, "sysfs")
    found = judged(FLAT, sata)
    assert found.kind is Kind.LINK
    assert "carries 450 MB/s at most, and this is 89 % of it" in found.because[0]


def test_usb_2_is_known_by_its_own_rate() -> None:
    usb2 = (fact("link_bits_per_s", 480_000_000, "sysfs"), fact("link_ceiling_bytes_per_s", 53.248e6, "sysfs"))
    slow = samples([350_000] * 3000, ops=10)
    assert judged(slow, *usb2).kind is Kind.LINK
    assert judged(samples([250_000] * 3000, ops=10), *usb2).kind is Kind.STEADY


def test_a_flat_rate_below_it_is_steady() -> None:
    found = judged(FLAT, *USB, CEILING)
    assert (found.kind, found.says) == (Kind.STEADY, "Steady: 400 MB/s over all 24.0 GB, no cliff.")
    assert "not the link, which carries 1212 MB/s" in found.because[0]
    assert "speed is not known" in judged(FLAT).because[0]


def test_swings_stalls_rises_and_ramps_are_named_as_what_they_are() -> None:
    swinging = samples(([4 * MB] * 100 + [MB] * 100) * 15)
    found = judged(swinging)
    assert found.kind is Kind.UNDULATING
    assert "every 2.00 s" in found.says
    assert judged(samples(([4 * MB] * 280 + [0] * 40) * 10)).kind is Kind.STALLING
    assert judged(samples([MB] * 2000 + [4 * MB] * 2000)).kind is Kind.RISES
    ramp = samples([4 * MB - 1000 * index // 2 for index in range(4000)])
    found = judged(ramp, fact("rotational", True, "sysfs"), fact("bus", "sata", "sysfs"))
    assert found.kind is Kind.DECLINES
    assert "inner tracks" in found.because[0]


def test_a_short_run_says_that_it_is_too_short() -> None:
    found = judged(samples([4 * MB] * 500))
    assert (found.kind, found.says[:6]) == (Kind.UNKNOWN, "5.00 s")


def test_the_first_burst_is_timed_over_as_many_bytes() -> None:
    assert time_of_ns(CLIFF, 6000 * MB) == pytest.approx(15 * S)
    assert time_of_ns(CLIFF, 6002 * MB) == pytest.approx(15 * S + 5_000_000)


@pytest.mark.parametrize(
    ("rates", "verdict", "says"),
    [
        ([4 * MB] * 1500, Recovered.YES, "as fast as at first again"),
        ([MB] * 6000, Recovered.NO, "as slow as before the rest"),
        ([4 * MB] * 750 + [MB] * 3000, Recovered.PARTLY, "as if 3.00 GB (50 %) of it"),
    ],
)
def test_the_second_burst_beside_the_first(rates: list[int], verdict: Recovered, says: str) -> None:
    again = samples(rates)
    found = recovery(CLIFF, 100e6, again, 60 * S)
    assert found.verdict is verdict
    assert says in found.says
    assert found.says.startswith("After 60.0 s of rest")
    assert found.first_rate.value == pytest.approx(400e6)
    flushed = replace(again, elapsed_ns=again.elapsed_ns + S, flush_ns=S)
    assert recovery(CLIFF, 100e6, flushed, 0).rate.value == found.rate.value
