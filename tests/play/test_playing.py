"""Playing with the real core in a folder of the test's own, on a machine whose facts are known."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import pytest

from graycard.cli.app import SystemClock
from graycard.engines.native_frames import Memory, Move, NativeFrames
from graycard.errors import Interrupted, PlanProblem, RunProblem, TargetProblem
from graycard.facts import fact
from graycard.model import Cache, Operation, Result, Target, TargetKind
from graycard.play import Event, Kind, Played, Playing, allowed, play
from graycard.play.budget import cost
from tests.cli.fakes import FACTS, FakeHost, with_facts

MS = 1_000_000
FRAME = 10_000
VIDEO = Kind("test/50", Fraction(50), FRAME, count=2)
RECORDED = replace(VIDEO, operation=Operation.WRITE, count=1)


@dataclass
class Kept:
    """A keeper that holds all that was saved."""

    results: list[Result] = field(default_factory=list)

    def save(self, result: Result) -> None:
        self.results.append(result)


def playing(folder: Path, *kinds: Kind, **changes: object) -> Playing:
    base = Playing(
        Target(str(folder), TargetKind.FOLDER), kinds or (VIDEO,), play_ns=300 * MS, short_ns=200 * MS,
        ahead_ns=100 * MS, prebuffer_ns=100 * MS, clip_ns=100 * MS, seed=1,
    )  # fmt: skip
    return replace(base, **changes)


def played(asked: Playing, kept: Kept | None = None, io: NativeFrames | None = None, **more: object) -> Played:
    given = {"host": FakeHost(), "on_event": unheard} | more
    return play(asked, io=io or NativeFrames(), keeper=kept or Kept(), clock=SystemClock(), **given)


def unheard(_: Event) -> None:
    return None


def test_each_stream_reads_its_own_clip_and_nothing_is_left(tmp_path: Path) -> None:
    seen: set[str] = set()

    def on_event(event: Event) -> None:
        if event.phase == "run":
            seen.update(name for folder in tmp_path.iterdir() for name in os.listdir(folder))

    kept = Kept()
    done = played(playing(tmp_path), kept, on_event=on_event)
    assert len([name for name in seen if name.startswith("stream-")]) == 2
    assert list(tmp_path.iterdir()) == []
    (result,) = kept.results
    assert done.results == (result,)
    assert result.task.label == "2 streams of test/50 play"
    assert (result.task.worker_count, result.task.block_bytes) == (2, 12288)
    (run,) = result.runs
    assert run.samples.ops_count + (run.samples.dropped_count or 0) - (run.samples.late_count or 0) == 30
    assert [series.name for series in run.monitor] == ["frame_reserve_count"]
    assert [report.frame_count for report in done.streams] == [15, 15]
    assert result.summary is not None
    assert {"bytes_conserved", "frame_clock_on_time"} <= {check.name for check in result.summary.checks}


def test_mixed_formats_sound_and_recording_make_a_result_each(tmp_path: Path) -> None:
    done = played(playing(tmp_path, VIDEO, RECORDED, with_audio=True))
    labels = [result.task.label for result in done.results]
    assert labels == ["2 streams of test/50 play", "test/50 record", "2 streams of audio-48k/24bit/8ch play"]
    assert len({result.measurement_id for result in done.results}) == 1
    assert done.results[1].runs[0].samples.flush_ns is not None
    assert list(tmp_path.iterdir()) == []


def test_one_file_a_frame_is_opened_each_time(tmp_path: Path) -> None:
    names: set[str] = set()

    class Opening(FakeHost):
        def open_file(self, path: str, *, write: bool, direct: bool) -> int:
            names.add(os.path.basename(path))
            return super().open_file(path, write=write, direct=direct)

    kinds = (replace(VIDEO, file_per_frame=True), replace(RECORDED, file_per_frame=True))
    played(playing(tmp_path, *kinds), host=Opening())
    # Clips of five frames: two played streams and a recorded one.
    assert len(names) == 15
    assert list(tmp_path.iterdir()) == []


def test_a_shared_file_is_written_once(tmp_path: Path) -> None:
    asked = playing(tmp_path, shared=True)
    assert cost(asked, 1).layout_bytes == 5 * 12288
    files: set[str] = set()

    def on_event(event: Event) -> None:
        if event.phase == "run":
            files.update(name for folder in tmp_path.iterdir() for name in os.listdir(folder))

    played(asked, on_event=on_event)
    assert len([name for name in files if name.endswith(".graycard")]) == 1


def test_what_is_read_was_written_and_differs_from_frame_to_frame(tmp_path: Path) -> None:
    blocks: list[bytes] = []

    class Looking(NativeFrames):
        def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
            move = super().read(fd, memory, offset, moment_ns)
            blocks.append(bytes(memory))
            return move

    played(playing(tmp_path, replace(VIDEO, count=1)), io=Looking())
    assert len(set(blocks)) == 5  # a clip of five frames, around and around
    assert all(len(set(block)) > 200 for block in blocks)


def test_a_frame_clock_spread_over_a_frame(tmp_path: Path) -> None:
    moments: list[int] = []

    class Noting(NativeFrames):
        def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
            moments.append(moment_ns)
            return super().read(fd, memory, offset, moment_ns)

    played(playing(tmp_path, spread=True), io=Noting())
    starts = sorted(moments)
    assert starts[1] - starts[0] in {0, 10 * MS}
    assert {moment % (20 * MS) - starts[0] % (20 * MS) for moment in moments} <= {0, 10 * MS, -10 * MS}


@pytest.mark.parametrize(("operation", "phase"), [("read", "measure"), ("write", "layout")])
def test_an_error_of_the_device_is_told_and_everything_removed(tmp_path: Path, operation: str, phase: str) -> None:
    class Failing(NativeFrames):
        def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
            return Move(-errno.EIO, 1, 2) if operation == "read" else super().read(fd, memory, offset, moment_ns)

        def write(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
            return Move(-errno.ENOSPC, 1, 2) if operation == "write" else super().write(fd, memory, offset, moment_ns)

    with pytest.raises(RunProblem) as caught:
        played(playing(tmp_path), io=Failing())
    assert (caught.value.errno, caught.value.phase) == (errno.EIO if operation == "read" else errno.ENOSPC, phase)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_ends_early_is_an_error_and_no_frame(tmp_path: Path) -> None:
    class Short(NativeFrames):
        def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
            return Move(4096, 1, 2) if len(memory) == 12288 else Move(0, 1, 2)

    with pytest.raises(RunProblem, match="the file ended early while reading"):
        played(playing(tmp_path), io=Short())


def stop_in(phase: str) -> Callable[[Event], None]:
    def on_event(event: Event) -> None:
        if event.phase == phase:
            raise KeyboardInterrupt

    return on_event


@pytest.mark.parametrize("phase", ["prepare", "layout"])
def test_a_stop_before_the_first_frame_leaves_nothing(tmp_path: Path, phase: str) -> None:
    kept = Kept()
    with pytest.raises(Interrupted, match="nothing is left on the volume"):
        played(playing(tmp_path), kept, on_event=stop_in(phase))
    assert (kept.results, list(tmp_path.iterdir())) == ([], [])


def stop_after_frames() -> Callable[[Event], None]:
    """Stops when the run has been told of for the fourth time: 0.3 s or more after its start."""
    count = 0

    def on_event(event: Event) -> None:
        nonlocal count
        count += event.phase == "run"
        if count == 4:
            raise KeyboardInterrupt

    return on_event


def test_a_stop_in_the_middle_keeps_what_was_played(tmp_path: Path) -> None:
    kept = Kept()
    with pytest.raises(Interrupted, match="of playing, which is kept"):
        played(playing(tmp_path, play_ns=60_000 * MS), kept, on_event=stop_after_frames())
    (result,) = kept.results
    assert result.runs[0].samples.ops_count > 0
    assert result.summary is not None
    assert any("before its time" in caveat for caveat in result.summary.caveats)
    assert list(tmp_path.iterdir()) == []


def test_a_continuous_run_ends_with_its_verdict_when_it_is_stopped(tmp_path: Path) -> None:
    done = played(playing(tmp_path, continuous=True), on_event=stop_after_frames())
    assert len(done.results) == 1
    assert done.says
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_file_is_not_touched(tmp_path: Path) -> None:
    class Taken(FakeHost):
        def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
            Path(path).write_text("mine")
            return super().create_file(path, direct=direct, nocow=nocow)

    with pytest.raises(RunProblem, match=r"another program made .*; it was not touched") as caught:
        played(playing(tmp_path), host=Taken())
    (folder,) = tmp_path.iterdir()
    assert [path.read_text() for path in folder.iterdir() if path.name.startswith("stream-")] == ["mine"]
    assert any("could not be removed" in note for note in caught.value.__notes__)


def test_a_system_without_direct_io_plays_through_the_emptied_cache(tmp_path: Path) -> None:
    dropped: list[str] = []

    class Buffered(FakeHost):
        def open_file(self, path: str, *, write: bool, direct: bool) -> int:
            if direct:
                raise TargetProblem("no direct I/O here")
            return super().open_file(path, write=write, direct=direct)

        def drop_cache(self, path: str) -> None:
            dropped.append(path)

    done = played(playing(tmp_path), host=Buffered())
    assert done.results[0].task.cache is Cache.COLD
    assert any("through the emptied page cache" in note for note in done.notes)
    # Before the first frame, and each time that a clip of five frames goes round.
    assert len(dropped) == 2 * 3


def test_a_search_finds_what_the_device_carries(tmp_path: Path) -> None:
    """A device that is wholly busy with three streams: its frames come late from the fourth on, by the stamps alone."""

    class Carrying(NativeFrames):
        """A frame of a run with more than three streams is complete after it was due."""

        def __init__(self) -> None:
            self.open: set[int] = set()

        def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
            self.open.add(fd)
            move = super().read(fd, memory, offset, moment_ns)
            return replace(move, end_ns=move.end_ns + (10**9 if len(self.open) > 3 else 0))

    io = Carrying()
    asked = playing(tmp_path, replace(VIDEO, count=None), auto=True)
    kept = Kept()

    def on_event(event: Event) -> None:
        if event.phase == "layout":
            io.open.clear()

    done = played(asked, kept, io, on_event=on_event)
    assert done.stream_count == 3
    assert {(each.stream_count, each.dropped_count > 0) for each in done.tried} >= {(3, False), (4, True)}
    assert [result.task.worker_count for result in done.results] == [3, 4]
    assert done.says[0].startswith("3 streams of test/50 without a dropped frame")
    assert done.says[1].startswith("With 4 the first frame was dropped by stream")
    assert "Confirmed for 300 ms only" in done.says[2]


def test_a_search_ends_at_the_write_limit(tmp_path: Path) -> None:
    asked = playing(tmp_path, replace(VIDEO, count=None), auto=True, write_limit_bytes=2 * 5 * 12288)
    done = played(asked)
    assert done.stream_count == 2
    assert done.says[0].startswith("At least 2 streams")
    assert "more than the write limit" in done.says[1]


def test_a_search_of_recordings_claims_nothing_that_the_write_limit_left_unconfirmed(tmp_path: Path) -> None:
    """A short run records 123 kB of the 250 kB that are allowed, two at once 246 kB more."""
    asked = playing(tmp_path, replace(RECORDED, count=None), auto=True, write_limit_bytes=250_000)
    done = played(asked)
    assert (done.stream_count, done.results) == (None, ())
    assert [(each.stream_count, each.whole) for each in done.tried] == [(1, False)]
    assert "would write beyond the limit of 250 kB" in done.notes[0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"write_limit_bytes": 1000}, "more than the write limit of 1.00 kB; use a shorter --clip"),
        ({"kinds": (replace(VIDEO, count=200),)}, "200 streams are more than the 128"),
        ({"kinds": (Kind("huge", Fraction(25), 1 << 30, count=5),), "write_limit_bytes": 1 << 50}, "of memory"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_written(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    with pytest.raises(PlanProblem, match=says):
        played(playing(tmp_path, **changes))
    assert list(tmp_path.iterdir()) == []


def test_space_and_reserve_are_respected(tmp_path: Path) -> None:
    facts = (*FACTS, fact("free_bytes", 100_000_100_000, "test"), fact("size_bytes", 2_000_000_000_000, "test"))
    asked = playing(tmp_path, Kind("8k", Fraction(25), 100_000_000, count=10), clip_ns=10 * 10**9)
    with pytest.raises(PlanProblem, match=r"250 GB in .* are kept in reserve; use a shorter --clip"):
        allowed(replace(asked, write_limit_bytes=10**12), facts)


def test_a_fat_volume_takes_no_clip_of_4_gib(tmp_path: Path) -> None:
    host = with_facts(fact("file_size_limit_bytes", (4 << 30) - 1, "test"))
    asked = playing(tmp_path, Kind("8k", Fraction(25), 100_000_000, count=1), clip_ns=10 * 10**9)
    with pytest.raises(PlanProblem, match="larger than any file may be here"):
        allowed(asked, host.known)
