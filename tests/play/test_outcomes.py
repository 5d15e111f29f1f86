"""From the frames of streams to what is told: the first drop and its cause, the graph, the samples, the sentences."""

from __future__ import annotations

import pytest

from graycard.model import Operation
from graycard.play.causes import Cause, first_drop, longest_pause_ns, say_cause
from graycard.play.following import Track
from graycard.play.graph import dropped_line, graph_of, speed_line
from graycard.play.judging import Stamp
from graycard.play.outcome import stream_report
from graycard.play.samples import histogram, reserves, samples_of
from graycard.play.words import verdict
from tests.play.made import MS, cadence, followed, performance, stream

SECOND = 10**9


def stalling(frame: int, begin_ns: int) -> int:
    """10 ms a frame, but nothing is served from 2 to 2.5 s."""
    return 10 * MS + (2500 * MS - begin_ns if 2000 * MS <= begin_ns < 2500 * MS else 0)


def test_a_stall_is_told_as_one() -> None:
    clock = cadence(25, queue=5)
    steady = stream(clock, followed(clock, 100, lambda *_: 10 * MS), number=0)
    broken = stream(clock, followed(clock, 100, stalling), number=1)
    drop = first_drop(performance([steady, broken]))
    assert drop is not None
    assert (drop.stream_number, drop.frame) == (1, 50)
    # The other stream went on: that this one waited is no stall of the device.
    assert drop.cause is Cause.HELD
    assert "while other streams went on" in say_cause(drop)
    alone = first_drop(performance([broken]))
    assert alone is not None
    assert alone.cause is Cause.STALL
    assert "nothing came from the device" in say_cause(alone)
    assert "stream 2 at second 2.0" in say_cause(alone)


def test_a_device_that_is_too_slow_is_told_as_busy() -> None:
    clock = cadence(25, queue=5)
    slow = stream(clock, followed(clock, 100, lambda *_: 60 * MS))
    drop = first_drop(performance([slow]))
    assert drop is not None
    assert drop.cause is Cause.BUSY
    assert drop.needed_bytes_per_s == pytest.approx(25 * 1_003_520)
    assert drop.delivered_bytes_per_s == pytest.approx(1_003_520 / 0.06, rel=0.1)


def test_a_computer_that_asks_too_late_is_told_as_that() -> None:
    clock = cadence(25, queue=5)
    track = Track()
    for frame in range(5):
        track.add(Stamp(frame * MS, (frame + 1) * MS), dropped=False)
    for _ in range(3):
        track.add(None, dropped=True)
    drop = first_drop(performance([stream(clock, track)], 600 * MS))
    assert drop is not None
    assert drop.cause is Cause.COMPUTER
    assert "says nothing of the device" in say_cause(drop)


def test_no_drop_has_no_cause() -> None:
    clock = cadence()
    assert first_drop(performance([stream(clock, followed(clock, 50, lambda *_: MS))])) is None


def test_the_longest_pause_counts_only_where_something_was_being_moved() -> None:
    clock = cadence()
    track = Track()
    for begin, end in ((0, 10), (10, 20), (300, 320)):
        track.add(Stamp(begin * MS, end * MS), dropped=False)
    assert longest_pause_ns([stream(clock, track)], 0, 400 * MS) == 20 * MS


def test_bytes_and_frames_are_conserved_in_the_samples() -> None:
    clock = cadence(25, queue=5)
    streams = [stream(clock, followed(clock, 200, stalling), number=n) for n in range(2)]
    samples = samples_of(performance(streams), streams)
    moved = sum(1 for each in streams for move in each.track.moves if move)
    assert samples.ops_count == sum(tick.ops_count for tick in samples.ticks) == moved
    assert samples.moved_bytes == sum(tick.moved_bytes for tick in samples.ticks) == moved * 1_003_520
    assert samples.latency is not None
    assert samples.latency.ops_count == moved
    judged = streams[0].judged()
    assert samples.dropped_count == 2 * len(judged.dropped)
    assert samples.late_count == 2 * len(judged.late)
    assert min(count for _, count in reserves(performance(streams), streams)) == 0


def test_a_recording_has_no_late_frames() -> None:
    clock = cadence(25, queue=2, first_due_ns=0)
    recorded = stream(clock, followed(clock, 50, lambda *_: 100 * MS, records=True), operation=Operation.WRITE)
    samples = samples_of(performance([recorded]), [recorded])
    assert samples.late_count is None
    assert samples.dropped_count == recorded.track.dropped_count > 0
    report = stream_report(performance([recorded]), recorded)
    assert (report.late_count, report.least_margin_ns, report.least_reserve_count) == (None, None, 0)


@pytest.mark.parametrize("value", [0, 1, 127, 128, 255, 256, 257, 12_345, 10**9 + 1])
def test_the_middle_of_a_bucket_is_near_its_values(value: int) -> None:
    (bucket,) = histogram([value]).counts
    assert bucket.low_ns <= value
    assert value <= bucket.low_ns * (1 + 2 * histogram([value]).error_ratio)


def test_the_graph_shows_speed_stalls_and_dropped_frames() -> None:
    clock = cadence(25, queue=5)
    broken = stream(clock, followed(clock, 100, stalling))
    graph = graph_of(performance([broken], 4 * SECOND))
    assert graph is not None
    assert len(graph.bytes_per_s) == 20
    assert sum(graph.bytes_per_s) * graph.slot_ns / 1e9 == pytest.approx(
        samples_of(performance([broken]), [broken]).moved_bytes
    )
    assert sum(graph.dropped_counts) == len(broken.judged().dropped)
    line = speed_line(graph.bytes_per_s)
    assert "█" in line
    assert "··" in line
    assert dropped_line(graph.dropped_counts).strip("×").strip(" ") == ""
    assert graph_of(performance([stream(clock, Track())])) is None


def test_signs_of_speed() -> None:
    assert speed_line([0.0, 1.0, 50.0, 100.0]) == "·▁▅█"
    assert speed_line([]) == ""
    assert dropped_line([0, 2, 0, 1, 0]) == " × ×"


def test_the_verdict_in_words() -> None:
    clock = cadence(25, queue=5)
    good = [stream(clock, followed(clock, 250, lambda *_: 10 * MS), number=n) for n in range(2)]
    says = verdict(performance(good))
    assert says.startswith("Comes through: 2 streams of test/25, no frame of 500 dropped in 10.0 s; never fewer than")
    bad = stream(clock, followed(clock, 250, lambda *_: 60 * MS))
    says = verdict(performance([bad]))
    assert says.startswith("Does not come through: 1 stream of test/25, ")
    assert "the device was busy" in says
