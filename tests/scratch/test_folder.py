"""The run's own folder: removed whatever happens, and nothing else with it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from scratch.runs import SOME_ID, entering, failing, killed, measured, tree

from graycard.errors import Interrupted, TargetProblem
from graycard.scratch import Scratch, State, clean, leftovers, others_running, place
from graycard.scratch.names import MARKER, folder_name, id_of
from graycard.scratch.owner import decode
from graycard.scratch.place import OpenFolder


def test_makes_a_private_folder_with_a_marker_and_removes_it(target: str, registry: str) -> None:
    with Scratch(target, registry) as scratch:
        assert os.path.dirname(scratch.path) == target
        assert id_of(os.path.basename(scratch.path)) == scratch.id
        assert stat.S_IMODE(os.stat(scratch.path).st_mode) == 0o700
        owner = decode(Path(scratch.path, MARKER).read_bytes(), scratch.id)
        assert owner is not None
        assert (owner.pid, owner.user, owner.folder_user) == (os.getpid(), os.geteuid(), os.geteuid())
        Path(scratch.file_path("read")).write_bytes(b"data")
        scratch.file_path("never-made")
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


def test_two_runs_have_folders_of_their_own(target: str, registry: str) -> None:
    with Scratch(target, registry) as one, Scratch(target, registry) as two:
        assert one.path != two.path


@pytest.mark.parametrize("word", ["", "../read", "Read", "a/b", "owner.json", "-x", "x" * 41])
def test_only_plain_words_name_test_files(target: str, registry: str, word: str) -> None:
    with Scratch(target, registry) as scratch, pytest.raises(ValueError, match="no plain word"):
        scratch.file_path(word)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("stopped"), SystemExit(3), OSError(5, "x")])
def test_removes_all_when_the_run_fails(target: str, registry: str, error: BaseException) -> None:
    def fail(_: Scratch) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        measured(target, registry, fail)
    assert caught.value is error
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


NAMES = [
    b"plain",
    "Größe 日本".encode(),
    b"with blank",
    b"a:b",
    b"line\nbreak",
    b"bad\xff\xfebytes",
    b"-rf",
    b"$(x)`'\"",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_path(target: str, registry: str, name: bytes) -> None:
    folder = os.path.join(target, os.fsdecode(name))
    os.mkdir(folder)
    left = killed(folder, registry)
    with Scratch(folder, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
        assert others_running(folder, scratch.id, registry) == 0
    assert clean(folder).removed == (left,)
    assert os.listdir(folder) == []


def test_problems_print_any_path_on_one_line(target: str, registry: str) -> None:
    with pytest.raises(TargetProblem) as caught, Scratch(os.path.join(target, "a\n\udcff"), registry):
        pass
    assert str(caught.value) == f"{target}/a\\n\\xff is not there or no folder; check the path."


def test_works_when_the_current_folder_has_vanished(
    target: str, registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FileNotFoundError):
        os.getcwd()
    with Scratch(target, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
    assert clean(target).kept == ()
    assert os.listdir(target) == []


def test_a_swapped_link_redirects_nothing(target: str, registry: str, tmp_path: Path) -> None:
    victim, moved = tmp_path / "victim", tmp_path / "moved"
    victim.mkdir()
    for name in ("read.graycard", MARKER):
        (victim / name).write_bytes(b"precious")

    def swap(scratch: Scratch) -> None:
        os.rename(scratch.path, moved)
        os.symlink(victim, scratch.path)

    assert failing(target, registry, swap).errno == errno.ENOTDIR
    assert tree(str(victim)) == {"read.graycard": b"precious", MARKER: b"precious"}
    assert tree(str(moved)) == {}, "what the run made is removed where it lies now"


def add_notes(scratch: Scratch) -> None:
    Path(scratch.path, "notes").write_text("mine")


def test_a_foreign_file_in_the_folder_is_left_and_told(target: str, registry: str) -> None:
    problem = failing(target, registry, add_notes)
    assert "holds files that graycard did not make: notes" in str(problem)
    assert f"run “graycard clean {target}”" in str(problem)
    (name,) = os.listdir(target)
    assert sorted(os.listdir(os.path.join(target, name))) == ["notes", MARKER]


def test_failed_removal_is_a_note_on_the_error_under_way(target: str, registry: str) -> None:
    def stop(scratch: Scratch) -> None:
        add_notes(scratch)
        raise Interrupted("stopped")

    with pytest.raises(Interrupted) as caught:
        measured(target, registry, stop)
    (note,) = caught.value.__notes__
    assert "could not be removed" in note


@pytest.mark.parametrize("call", ["remove_file", "remove_folder", "names", "close"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt(), Interrupted("SIGTERM")])
@pytest.mark.parametrize("after", [False, True])
def test_a_stop_during_the_removal_still_removes_all(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch, call: str, stop: BaseException, after: bool
) -> None:
    real: Callable[..., Any] = getattr(OpenFolder, call)
    stops = [stop]

    def interrupted(*arguments: Any) -> Any:
        if after:
            real(*arguments)
        if stops:
            raise stops.pop()
        return real(*arguments)

    with pytest.raises(type(stop)):
        measured(target, registry, lambda _: monkeypatch.setattr(OpenFolder, call, interrupted))
    assert stops == []
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


@pytest.mark.parametrize("call", ["make_folder", "child", "create", "info"])
@pytest.mark.parametrize("after", [False, True])
def test_a_stop_while_the_folder_is_made_leaves_nothing(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch, call: str, after: bool
) -> None:
    real: Callable[..., Any] = getattr(OpenFolder, call)

    def interrupted(*arguments: Any) -> Any:
        if after:
            real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OpenFolder, call, interrupted)
        with pytest.raises(KeyboardInterrupt), Scratch(target, registry):
            pass
    assert os.listdir(target) == []


def test_open_descriptors_are_given_back(target: str, registry: str) -> None:
    before = psutil.Process().num_fds()
    for _ in range(5):
        with Scratch(target, registry):
            pass
        leftovers(target)
        others_running(target, None, registry)
    assert psutil.Process().num_fds() == before


def test_without_lookups_by_descriptor(
    target: str, registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where names are looked up by whole paths."""
    monkeypatch.setattr(place, "BY_DESCRIPTOR", False)
    path = killed(target, registry)
    Path(target, folder_name(SOME_ID)).symlink_to(path)
    assert [each.state for each in leftovers(target)] in ([State.DEAD, None], [None, State.DEAD])
    measured(target, registry, lambda _: None)
    done = clean(target)
    assert done.removed == (path,)
    assert "is no folder" in str(done.kept[0].why_kept)
    assert os.listdir(target) == [folder_name(SOME_ID)]
    assert "is not there or no folder" in str(entering(path, registry))
