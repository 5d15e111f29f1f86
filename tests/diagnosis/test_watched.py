"""A copy that is watched: whole, or ended with its time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from graycard.diagnosis.watched import _cut_short, copy_for
from graycard.errors import RunProblem
from graycard.model import Samples
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import OnTick, Progress
from graycard.transfer.own import OWN

MB, S = 10**6, 10**9
PLAIN = next(method for method in OWN if method.name == "graycard 1 MiB")


def task(source: Path, destination: Path) -> CopyTask:
    there, here = Place(Scheme.PATH, str(source)), Place(Scheme.PATH, str(destination))
    return CopyTask(there, here, is_folder=False, file_count=1, total_bytes=8 << 20, is_upload=True)


def test_a_whole_copy(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(bytes(8 << 20))
    copied, points = copy_for(PLAIN, task(tmp_path / "source", tmp_path / "copy"), 60 * S, lambda _progress: None)
    assert copied.is_whole
    assert copied.moved_bytes == 8 << 20
    assert points[-1][1] == 8 << 20
    assert points == sorted(points)


class Endless:
    """Moves 10 MB at each look and never ends by itself."""

    name = "endless"

    def refuses(self, task: CopyTask) -> str | None:
        return None

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        begun = time.monotonic_ns()
        for number in range(10**6):
            time.sleep(0.001)
            on_tick(Progress(time.monotonic_ns() - begun, 0, number * 10 * MB, 0))
        raise AssertionError("it was not ended")


def test_a_copy_ends_with_its_time(tmp_path: Path) -> None:
    copied, _points = copy_for(Endless(), task(tmp_path, tmp_path), S // 5, lambda _progress: None)
    assert not copied.is_whole
    assert copied.elapsed_ns >= S // 5
    assert copied.moved_bytes > 0


def test_what_buffers_take_at_the_beginning_is_no_rate() -> None:
    points = [(0, 0.0), (S // 10, 4.0 * MB), (S, 4.0 * MB + 10 * MB), (4 * S, 4.0 * MB + 40 * MB)]
    assert _cut_short(points).rate_bytes_per_s == pytest.approx(10 * MB)


def test_a_copy_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunProblem):
        copy_for(PLAIN, task(tmp_path / "nothing", tmp_path / "copy"), S, lambda _progress: None)
