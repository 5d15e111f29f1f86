"""graycard's own copy of a folder: the next files are opened beforehand, and nothing stays open whatever happens."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from graycard.errors import RunProblem
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import EnoughError, Progress
from graycard.transfer import OWN, OwnCopy
from graycard.transfer.own import AHEAD_COUNT, kernel_copies

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="open files are counted in /proc")
FILE_COUNT = 3 * AHEAD_COUNT + 2
METHODS = [*OWN, *kernel_copies()]


@pytest.fixture
def task(tmp_path: Path) -> CopyTask:
    source = tmp_path / "in"
    for number in range(FILE_COUNT):
        path = source / f"{number % 3}" / f"{number:02d}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(1000 * number))
    sizes = [path.stat().st_size for path in source.rglob("*.bin")]
    places = Place(Scheme.PATH, str(source)), Place(Scheme.PATH, str(tmp_path / "out"))
    return CopyTask(*places, is_folder=True, file_count=len(sizes), total_bytes=sum(sizes), is_upload=True)


@pytest.fixture
def every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy tells how far it is after each step."""
    monkeypatch.setattr("graycard.transfer.own.TICK_NS", 1)


def opened(folder: str) -> set[str]:
    """The files of the folder that this process has open."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue
    return {path for path in found if path.startswith(folder)}


@pytest.mark.usefixtures("every_step")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_next_files_are_open_and_no_more(task: CopyTask, method: OwnCopy) -> None:
    seen: list[set[str]] = []
    method.run(task, lambda _progress: seen.append(opened(task.source.path)))
    assert max(map(len, seen)) == AHEAD_COUNT + 1
    assert opened(str(Path(task.source.path).parent)) == set()


@pytest.mark.usefixtures("every_step")
def test_a_stop_in_the_middle_leaves_nothing_open(task: CopyTask) -> None:
    def stop(progress: Progress) -> None:
        if progress.moved_bytes > task.total_bytes // 2:
            raise EnoughError

    with pytest.raises(EnoughError):
        OWN[0].run(task, stop)
    assert opened(str(Path(task.source.path).parent)) == set()


def test_a_file_that_cannot_be_opened_is_named_and_leaves_nothing_open(task: CopyTask) -> None:
    missing = Path(task.source.path) / "1" / "99.bin"
    missing.symlink_to("nowhere")
    with pytest.raises(RunProblem, match=f"while opening {missing}"):
        OWN[0].run(task, lambda _progress: None)
    assert opened(str(Path(task.source.path).parent)) == set()


def test_a_copy_that_cannot_be_made_is_named(task: CopyTask) -> None:
    theirs = Path(task.destination.path) / "2" / "02.bin"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"theirs")
    with pytest.raises(RunProblem, match=f"while opening {theirs}"):
        OWN[0].run(task, lambda _progress: None)
    assert opened(str(Path(task.source.path).parent)) == set()
    assert theirs.read_bytes() == b"theirs"


@pytest.mark.parametrize("says", [None, OSError(22, "Invalid argument")], ids=["unknown", "refused"])
def test_where_nothing_can_be_read_ahead_it_copies_all_the_same(
    task: CopyTask, monkeypatch: pytest.MonkeyPatch, says: OSError | None
) -> None:
    def refuse(*_: int) -> None:
        assert says is not None
        raise says

    monkeypatch.setattr("graycard.transfer.own._advise", refuse if says else None)
    assert OWN[0].run(task, lambda _progress: None).moved_bytes == task.total_bytes
