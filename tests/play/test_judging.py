"""What became of the frames: tables, and properties over any device."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.play.judging import (
    Moves,
    Stamp,
    free_places,
    judge_playback,
    judge_recording,
    latencies_ns,
    lateness_ns,
    least_margin_ns,
    played_reserve,
)
from tests.play.made import MS, cadence, followed

# 25 fps, first frame due at 200 ms, queue of 5: frame k is due at 200 + 40 k ms.
CLOCK = cadence()


def moves(*pairs: tuple[int, int] | None) -> Moves:
    return [None if pair is None else Stamp(pair[0] * MS, pair[1] * MS) for pair in pairs]


@pytest.mark.parametrize(
    ("stamps", "late", "skipped"),
    [
        (moves((0, 10), (10, 20)), (), ()),
        (moves((0, 200), (200, 240)), (), ()),  # complete in the very nanosecond in which it is due: there
        (moves((0, 201), (201, 230)), (0,), ()),
        (moves((0, 300), None, None, (300, 310)), (0,), (1, 2)),
        ([Stamp(0, 200 * MS + 1)], (0,), ()),
        ([], (), ()),
    ],
)
def test_played_frames(stamps: Moves, late: tuple[int, ...], skipped: tuple[int, ...]) -> None:
    judged = judge_playback(CLOCK, stamps)
    assert (judged.late, judged.skipped) == (late, skipped)
    assert judged.dropped == tuple(sorted(late + skipped))


def test_a_stall_of_half_a_second_drops_what_arithmetic_says() -> None:
    """25 fps, 12 ms a frame, nothing served from 9.5 to 10 s. Frame k is asked for at 40 k ms and due at 40 (k + 5).

    Frame 238 is the first in the stall and complete at 10.012: it and all due by then (238 to 245) are dropped; frame
    246 is read to 10.024 and due at 10.040.
    """
    clock = cadence(25, queue=5)

    def service_ns(frame: int, begin_ns: int) -> int:
        in_stall = 9500 * MS <= begin_ns < 10_000 * MS
        return 12 * MS + (10_000 * MS - begin_ns if in_stall else 0)

    judged = judge_playback(clock, followed(clock, 500, service_ns).moves)
    assert judged.late == (238,)
    assert judged.dropped == tuple(range(238, 246))


def test_a_device_that_is_just_fast_enough_drops_nothing_and_a_slower_one_does() -> None:
    clock = cadence(25, queue=5)
    assert not judge_playback(clock, followed(clock, 2000, lambda *_: 40 * MS).moves).dropped
    assert judge_playback(clock, followed(clock, 2000, lambda *_: 41 * MS).moves).dropped


def test_a_recording_drops_what_finds_the_buffer_full() -> None:
    """Buffer of 2: frames 0 and 1 are still in it when 2 is given at 80 ms; frame 3 at 120 ms finds room."""
    clock = cadence(25, queue=2, first_due_ns=0)
    track = followed(clock, 4, lambda *_: 100 * MS, records=True)
    assert track.moves == [Stamp(0, 100 * MS), Stamp(100 * MS, 200 * MS), None, Stamp(200 * MS, 300 * MS)]
    assert judge_recording(track.moves).dropped == (2,)
    assert free_places(clock, track.moves, [0, 50 * MS, 90 * MS, 110 * MS, 130 * MS, 350 * MS]) == [1, 0, 0, 1, 0, 2]


def test_the_reserve_of_a_player() -> None:
    stamps = moves((0, 10), (10, 20), None, (20, 350))
    # Frame 3 is due at 320: complete at 350 it never counts.
    assert played_reserve(CLOCK, stamps, [0, 10 * MS, 199 * MS, 200 * MS, 240 * MS, 400 * MS]) == [0, 1, 2, 1, 0, 0]


def test_margin_latency_and_lateness() -> None:
    stamps = [Stamp(0, 10 * MS), *[Stamp(k * 10 * MS, (k + 1) * 10 * MS) for k in range(1, 5)],
              Stamp(201 * MS, 215 * MS, waited=True), Stamp(260 * MS, 270 * MS)]  # fmt: skip
    assert least_margin_ns(CLOCK, stamps) == 170 * MS
    # The first five fill the queue; the sixth was due to be read at 200 ms, the seventh at 240 ms.
    assert latencies_ns(CLOCK, stamps, recorded=False) == [10 * MS] * 5 + [15 * MS, 30 * MS]
    assert lateness_ns(CLOCK, stamps, recorded=False) == [MS]
    assert least_margin_ns(CLOCK, [None]) is None


SERVICES = st.lists(st.integers(1, 400), min_size=30, max_size=30)
QUEUES = st.integers(1, 30)
RATES = st.sampled_from([Fraction(24000, 1001), Fraction(25), Fraction(60)])


@settings(max_examples=60, deadline=None)
@given(RATES, QUEUES, SERVICES)
def test_a_played_stream_on_any_device(rate: Fraction, queue: int, services: list[int]) -> None:
    clock = cadence(rate, queue)
    track = followed(clock, len(services), lambda frame, _: services[frame] * MS)
    judged = judge_playback(clock, track.moves)
    assert track.dropped_count == len(judged.dropped)
    assert not set(judged.late) & set(judged.skipped)
    done = [(frame, move) for frame, move in enumerate(track.moves) if move]
    for frame, move in done:
        assert clock.open_ns(frame) <= move.begin_ns < clock.due_ns(frame)
    assert all(first.end_ns <= second.begin_ns for (_, first), (_, second) in pairwise(done))
    dues = [clock.due_ns(frame) for frame in range(len(services))]
    assert all(0 <= count <= queue for count in played_reserve(clock, track.moves, dues))


@settings(max_examples=60, deadline=None)
@given(RATES, QUEUES, st.integers(1, 400))
def test_a_larger_buffer_never_drops_more_of_a_recording(rate: Fraction, queue: int, service_ms: int) -> None:
    def dropped(places: int) -> int:
        clock = cadence(rate, places, first_due_ns=0)
        return followed(clock, 60, lambda *_: service_ms * MS, records=True).dropped_count

    assert dropped(queue + 1) <= dropped(queue)


@settings(max_examples=60, deadline=None)
@given(RATES, QUEUES, SERVICES)
def test_a_recorded_stream_on_any_device(rate: Fraction, queue: int, services: list[int]) -> None:
    """Told by the definition: how many frames given before are not yet written when a frame is given."""
    clock = cadence(rate, queue, first_due_ns=0)
    track = followed(clock, len(services), lambda frame, _: services[frame] * MS, records=True)
    for frame, move in enumerate(track.moves):
        given_ns = clock.due_ns(frame)
        held = sum(1 for earlier in track.moves[:frame] if earlier and earlier.end_ns > given_ns)
        assert (move is None) == (held >= queue)
    dues = [clock.due_ns(frame) for frame in range(len(services))]
    assert all(0 <= places <= queue for places in free_places(clock, track.moves, dues))
