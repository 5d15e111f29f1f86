"""yes, tight and no, at their borders; what decides nothing; which figure is the one that decides."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.media import Basis, Enough, Fit, basis_of, fit, format_named
from graycard.model import Operation, Result, Verdict
from graycard.model.samples import Samples
from graycard.summary import summarise
from tests.made_results import START, a_run
from tests.media.made import MB, READ, STALLED, SWING, WRITE, of_rate, phase, rate

# 8 MB × 25 = 200 MB/s; with 20 % headroom 240.
ASKS = format_named("8MB/25")


def of(low: float, **more: Any) -> Basis:
    return basis_of(of_rate("r", rate(1.1 * low, low), **more))


def verdict(low: float, streams: int = 1, headroom: float = 0.2) -> Fit:
    return fit(ASKS, of(low), streams_count=streams, headroom_ratio=headroom)


@pytest.mark.parametrize(
    ("low", "streams", "headroom", "is_so"),
    [
        (199.9, 1, 0.2, Enough.NO),
        (200.0, 1, 0.2, Enough.TIGHT),
        (239.9, 1, 0.2, Enough.TIGHT),
        (240.0, 1, 0.2, Enough.YES),
        (200.0, 1, 0.0, Enough.YES),
        (599.9, 3, 0.2, Enough.NO),
        (600.0, 3, 0.2, Enough.TIGHT),
        (720.0, 3, 0.2, Enough.YES),
        (399.0, 1, 1.0, Enough.TIGHT),
        (400.0, 1, 1.0, Enough.YES),
    ],
)
def test_borders(low: float, streams: int, headroom: float, is_so: Enough) -> None:
    assert verdict(low, streams, headroom).verdict is is_so


def test_frames_and_streams_are_of_the_low_end() -> None:
    found = verdict(720.0)
    assert found.frames_per_s == pytest.approx(90.0)
    # 720 ÷ 240, to the stream.
    assert found.most_streams_count == 3
    assert verdict(719.0).most_streams_count == 2
    assert verdict(720.0, headroom=0.0).most_streams_count == 3
    assert verdict(799.9, headroom=0.0).most_streams_count == 3
    assert verdict(199.0).most_streams_count == 0


@given(st.floats(1, 10_000), st.integers(1, 50), st.integers(1, 60), st.floats(0, 2))
def test_the_verdict_agrees_with_the_streams_that_fit(low: float, streams: int, fps: int, headroom: float) -> None:
    wanted = replace(ASKS, rate=Fraction(fps))
    found = fit(wanted, of(low), streams_count=streams, headroom_ratio=headroom)
    assert found.most_streams_count is not None
    if abs(low * MB / (wanted.bytes_per_s * (1 + headroom)) - streams) > 1e-6:
        assert (found.verdict is Enough.YES) == (found.most_streams_count >= streams)
    if found.verdict is Enough.NO:
        assert found.most_streams_count < streams


def test_a_cliff_is_decided_by_its_slowest_part() -> None:
    phases = (phase(0, 0, rate(900, 890)), phase(0, 12_000_000_000, rate(150, 140)))
    found = basis_of(of_rate("r", rate(700, 680), WRITE, phases=phases))
    assert found.sustained_bytes_per_s == 140 * MB
    assert "the slowest part of a run, after 12.0 GB" in found.says
    assert fit(ASKS, found).verdict is Enough.NO


def test_a_part_without_an_interval_counts_as_it_is() -> None:
    phases = (phase(1, 0, rate(900)), phase(1, 5, rate(210)))
    assert basis_of(of_rate("r", rate(700, 680), phases=phases)).sustained_bytes_per_s == 210 * MB


def test_one_even_phase_a_run_changes_nothing() -> None:
    phases = (phase(0, 0, rate(705, 650)), phase(1, 0, rate(695, 600)))
    assert basis_of(of_rate("r", rate(700, 680), phases=phases)).sustained_bytes_per_s == 680 * MB


def test_a_swing_is_decided_by_its_low_level() -> None:
    found = basis_of(of_rate("r", rate(100, 98), undulation=SWING))
    assert found.sustained_bytes_per_s == 40 * MB
    assert "swings" in found.says


def test_stalls_make_a_yes_tight_and_are_told_in_frames() -> None:
    found = fit(ASKS, of(500.0, stalls=STALLED))
    assert found.verdict is Enough.TIGHT
    # 0.8 s at 25 frames a second.
    assert found.says == "its stalls last up to 20 frames"
    assert any("stalled 2 times, for up to 800 ms" in caveat for caveat in of(500.0, stalls=STALLED).caveats)


def test_a_single_run_decides_nothing_but_is_shown() -> None:
    found = fit(ASKS, basis_of(of_rate("r", rate(1000))))
    assert (found.verdict, found.says) == (Enough.UNDECIDED, "a single run has no interval")
    assert found.frames_per_s == 125.0


def test_the_range_of_two_runs_decides_nothing() -> None:
    two = replace(rate(1000, 990), level_ratio=None)
    assert fit(ASKS, basis_of(of_rate("r", two))).verdict is Enough.UNDECIDED


def test_one_long_run_with_an_interval_of_its_own_decides_and_says_so() -> None:
    found = basis_of(of_rate("r", rate(300), phases=(phase(0, 0, rate(300, 290)),)))
    assert found.undecided is None
    assert found.sustained_bytes_per_s == 290 * MB
    assert any("one run" in caveat for caveat in found.caveats)


def test_a_failed_check_decides_nothing_and_shows_no_figure() -> None:
    basis = of(1000.0, verdict=Verdict.FAIL)
    assert basis.sustained_bytes_per_s is None
    found = fit(ASKS, basis)
    assert (found.verdict, found.frames_per_s, found.most_streams_count) == (Enough.UNDECIDED, None, None)
    assert "The reason of the check" in found.says


def test_a_caveat_of_the_measurement_is_passed_on() -> None:
    assert "The reason of the check." in of(1000.0, verdict=Verdict.CAVEAT).caveats


def test_a_format_that_is_not_sure_decides_nothing_either_way() -> None:
    unsure = format_named("cineform-best-yuv/uhd/24")
    for low in (1.0, 1e6):
        assert fit(unsure, of(low)).verdict is Enough.UNDECIDED


@pytest.mark.parametrize("key", ["dpx-10/2k/24", "exr-half-rgb/hd/25", "cinemadng-4k-uhd-12-bit/uhd/24"])
def test_one_file_a_frame_can_be_a_no_and_never_a_yes(key: str) -> None:
    wanted = format_named(key)
    assert fit(wanted, of(1e6)).verdict is Enough.UNDECIDED
    assert fit(wanted, of(1.0)).verdict is Enough.NO


def test_writing_says_how_much_was_written_and_how_it_was_flushed() -> None:
    caveats = basis_of(of_rate("w", rate(500, 490), WRITE)).caveats
    assert any("Each run wrote 1.07 GB" in each and "graycard sustain" in each for each in caveats)
    assert any("flush comes once" in each for each in caveats)
    assert basis_of(of_rate("r", rate(500, 490), READ)).caveats == ()


def test_real_summaries_decide_on_their_low_end() -> None:
    """From runs to the verdict: six runs around 300 MB/s."""

    def run(index: int, rate_mb_per_s: float) -> Samples:
        moved = round(rate_mb_per_s * MB)
        return Samples("native", 10**9, moved >> 20, moved, (), 10**7, None)

    runs = tuple(
        replace(a_run(index, 0), started_at=START, samples=run(index, value))
        for index, value in enumerate((300, 303, 297, 301, 299, 300))
    )
    measured = summarise(READ, runs, ())
    result: Result = replace(of_rate("r", rate(1)), summary=measured, runs=runs)
    basis = basis_of(result)
    assert basis.operation is Operation.READ
    assert basis.sustained_bytes_per_s == measured.rate.low
    assert 290 * MB < (measured.rate.low or 0) < 300 * MB
