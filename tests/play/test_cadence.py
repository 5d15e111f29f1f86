"""The frame clock: exact at every frame, and its inverse."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from graycard.play.cadence import Cadence, frames_in, queue_frames

RATES = st.sampled_from([Fraction(24000, 1001), Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(120)])
FRAMES = st.integers(0, 10_000_000)


def test_two_hours_of_ntsc_end_to_the_nanosecond() -> None:
    clock = Cadence(Fraction(30000, 1001), 7, 30)
    assert clock.due_ns(0) == 7
    assert clock.due_ns(30000) == 7 + 1001 * 10**9
    assert clock.due_ns(1) == 7 + 33_366_666
    # Rounded periods added up would be 20 µs off by then.
    assert clock.due_ns(30000) - 7 != 30000 * 33_366_667


@given(RATES, FRAMES, st.integers(0, 10**15), st.integers(1, 300))
def test_due_times_and_their_inverse_agree(rate: Fraction, frame: int, first_ns: int, queue: int) -> None:
    clock = Cadence(rate, first_ns, queue, first_ns - 1)
    due_ns = clock.due_ns(frame)
    assert 0 <= first_ns + frame / rate * 10**9 - due_ns < 1
    assert clock.due_count(due_ns) == frame + 1
    assert clock.due_count(due_ns - 1) == frame
    assert clock.open_ns(frame + queue) == due_ns
    assert clock.open_ns(min(frame, queue - 1)) == first_ns - 1


def test_whole_frames() -> None:
    assert frames_in(Fraction(25), 60 * 10**9) == 1500
    assert frames_in(Fraction(24000, 1001), 10**9) == 23
    assert frames_in(Fraction(2), 1) == 1
    assert queue_frames(Fraction(25), 10**9) == 25
    assert queue_frames(Fraction(24000, 1001), 10**9) == 24
    assert queue_frames(Fraction(2), 1) == 1
