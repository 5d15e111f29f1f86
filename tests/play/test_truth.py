"""On FUSE devices of known rate and stalls: what comes through, what is dropped, and what the faults leave.

The whole comparison, with whole runs of 60 s, is `python -m tools.accuracy play`.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from graycard.model import Operation
from graycard.play import Kind, Played
from tests.bed.paced_fuse import Service, paced_folder
from tests.bed.playing import (
    SECOND_NS,
    Stalling,
    computed_drops,
    computed_streams,
    drops,
    found_streams,
    is_certain,
    on_a_quiet_machine,
    on_stalling,
    played,
    playing,
)

MS = 1_000_000
VIDEO = Kind("test/25", Fraction(25), 200_704)
# Slow frames: what a busy machine delays by some hundredths of a second changes nothing.
SLOW = Kind("test/10", Fraction(10), 98_304)


def test_the_service_of_the_device_is_what_it_says() -> None:
    service = Service(1000, stall_ns=SECOND_NS, every_ns=4 * SECOND_NS)
    begin = 100 * SECOND_NS
    assert service.served_ns(begin, 1000) == begin + SECOND_NS
    assert service.served_ns(begin, 1000) == begin + 2 * SECOND_NS  # behind the first
    assert service.served_ns(begin + int(2.5 * SECOND_NS), 1000) == begin + int(4.5 * SECOND_NS)  # rests from 3 to 4 s
    assert service.served_ns(begin + int(5.5 * SECOND_NS), 1000) == begin + int(6.5 * SECOND_NS)
    assert service.served_ns(begin + int(7.5 * SECOND_NS), 1000) == begin + 9 * SECOND_NS  # came in a stall


def test_computed_drops_are_those_of_arithmetic_by_hand() -> None:
    """As test_judging: frames 238 to 245 of the first stall."""
    case = Stalling(VIDEO, 12 * MS, 500 * MS, 10 * SECOND_NS, 200 * MS, 11 * SECOND_NS)
    assert computed_drops(case) == 8
    assert is_certain(case)


@pytest.mark.root
def test_the_number_of_streams_found_is_the_computed_one(tmp_path: Path) -> None:
    """At 1.35 times of what one stream needs, one is served with time to spare; the queue of two empties in 0.8 s."""
    rate = 1.35 * SLOW.needed_bytes_per_s
    assert computed_streams(SLOW, rate) == 1

    def attempt() -> Played:
        return found_streams(Path(tempfile.mkdtemp(dir=tmp_path)), SLOW, rate, play_s=2.0, short_s=1.5, ahead_s=0.4)

    assert on_a_quiet_machine(attempt, 30 * MS).stream_count == 1


@pytest.mark.root
def test_injected_stalls_drop_exactly_the_computed_frames(tmp_path: Path) -> None:
    case = Stalling(SLOW, 10 * MS, 700 * MS, 2500 * MS, 300 * MS, 2600 * MS)
    assert is_certain(case, 30 * MS)
    assert computed_drops(case) == 5
    done = on_a_quiet_machine(lambda: on_stalling(Path(tempfile.mkdtemp(dir=tmp_path)), case), 30 * MS)
    assert drops(done) == computed_drops(case)
    assert "nothing came from the device for" in done.says[0]


@pytest.mark.root
def test_a_mixture_on_a_slow_device_names_the_stream_that_broke_first(tmp_path: Path) -> None:
    """Twice of what the device gives: it breaks whatever else the machine does."""
    kinds = (replace(VIDEO, count=2), replace(VIDEO, operation=Operation.WRITE, count=1))
    with paced_folder(tmp_path, VIDEO.needed_bytes_per_s) as point:
        asked = playing(point, kinds[0], play_ns=2 * SECOND_NS, ahead_ns=200 * MS, prebuffer_ns=200 * MS)
        done = played(replace(asked, kinds=kinds))
        assert list(Path(point).iterdir()) == []
    reports = {report.number: report for report in done.streams}
    assert reports[1].dropped_count + reports[2].dropped_count > 10
    assert done.says[0].startswith("Does not come through: 2 streams of test/25 and 1 of test/25 recorded")
    assert "First, stream " in done.says[0]
