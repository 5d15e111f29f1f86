"""A copy that is cut off, by whoever or whatever: what was sampled until then is kept, and said to be no whole copy."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from graycard.diagnosis.asked import Asked
from graycard.diagnosis.material import Material
from graycard.diagnosis.near import Scope
from graycard.diagnosis.watched import Going, Watch, watched_copy
from graycard.errors import RunProblem
from graycard.model import Action, Samples
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import OnTick, Progress
from graycard.why import judge
from graycard.why.vocabulary import MOVED

MB, S = 10**6, 10**9
STEP_COUNT = 3
MOST_NS = 600 * S
SHARE = Place(Scheme.PATH, "/share")
GONE = RunProblem("the share is gone", errno=5, offset_bytes=None, phase="measure")


class Broken:
    """Moves something at each look until the timeline has a few steps, then ends as it is told."""

    name = "broken"

    def __init__(self, trouble: BaseException, moved: int = MB) -> None:
        self._trouble, self._moved = trouble, moved

    def refuses(self, task: CopyTask) -> str | None:
        return None

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        begun, number = time.monotonic_ns(), 0
        while time.monotonic_ns() - begun < (STEP_COUNT + 1) * S // 4:
            time.sleep(0.02)
            number += 1
            on_tick(Progress(time.monotonic_ns() - begun, 0, number * self._moved, 0))
        raise self._trouble


def cut_off(tmp_path: Path, trouble: BaseException, moved: int = MB) -> Material:
    """What a study has in hand after that."""
    broken = Broken(trouble, moved)
    task = CopyTask(SHARE, SHARE.below("copy"), is_folder=False, file_count=1, total_bytes=1 << 30, is_upload=True)
    watch = Watch(Scope(os.getpid(), frozenset(), folder=str(tmp_path)), None, "", None)
    material = Material(Asked(SHARE, broken, Action.SEND, str(tmp_path)))
    going = material.going = Going(broken.name, watch)
    with pytest.raises(type(trouble)):
        watched_copy(going, broken, task, MOST_NS, lambda _progress: None)
    material.take_partly()
    return material


@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), GONE], ids=["Ctrl-C", "failure"])
def test_what_was_sampled_is_kept_and_said_to_be_no_whole_copy(tmp_path: Path, trouble: BaseException) -> None:
    material = cut_off(tmp_path, trouble)
    (timeline,) = material.timelines
    assert timeline.step_count >= STEP_COUNT
    assert sum(timeline.known(MOVED)) > 0
    (copied,) = material.copies["broken"]
    assert not copied.is_whole
    assert material.total_bytes == copied.moved_bytes > 0
    assert any(says.startswith("The copy was cut off after") for says in material.says)
    diagnosis = judge(material.evidence())
    assert diagnosis.slices is not None
    assert len(diagnosis.slices.kinds) == timeline.step_count
    material.take_partly()
    assert len(material.timelines) == len(material.says) == 1, "it is taken once"


def test_one_that_had_hardly_begun_is_none(tmp_path: Path) -> None:
    material = cut_off(tmp_path, KeyboardInterrupt(), moved=10)
    assert (material.timelines, material.copies, material.says) == ([], {}, [])


def test_it_can_be_looked_at_while_it_hangs(tmp_path: Path) -> None:
    """Where a call on the share does not come back, nobody ends the copy: what is known is told from outside."""
    watch = Watch(Scope(os.getpid(), frozenset(), folder=str(tmp_path)), None, "", None)
    material = Material(Asked(SHARE, Broken(GONE), Action.SEND, str(tmp_path)))
    with watch.sampling():
        begun = time.monotonic_ns()
        points = [(begun - S, 0.0), (begun - S // 2, 40.0 * MB), (begun, 50.0 * MB)]
        material.going = Going("broken", watch, points)
        material.take_partly()
    assert sum(material.timelines[0].known(MOVED)) == pytest.approx(50 * MB)
    assert material.copies["broken"][0].moved_bytes == 50 * MB
