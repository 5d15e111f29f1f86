"""An empty folder of graycard's name is removed; a run that is just making it makes it again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scratch.runs import SOME_ID, entering, tree

from graycard.host import volume_maker
from graycard.scratch import ImageFolder, Scratch, clean, leftovers
from graycard.scratch.names import MARKER, folder_name
from graycard.scratch.place import OpenFolder


def test_an_empty_folder_is_removed_but_not_by_looking(target: str) -> None:
    folder = Path(target, folder_name(SOME_ID))
    folder.mkdir()
    (found,) = leftovers(target)
    assert (found.path, found.state, found.size_bytes, found.why_kept) == (str(folder), None, 0, None)
    done = clean(target)
    assert (done.removed, done.removed_bytes, done.kept) == ((str(folder),), 0, ())
    assert os.listdir(target) == []


def test_a_run_that_begins_just_after_the_look_is_left_alone(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder was empty when it was looked at; now a marker and a file are in it."""
    with Scratch(target, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
        with monkeypatch.context() as patch:
            names = OpenFolder.names
            patch.setattr(OpenFolder, "names", lambda self: names(self) if self.path == target else [])
            (kept,) = clean(target).kept
        assert "is in use: a run has just begun in it" in str(kept.why_kept)
        assert sorted(tree(scratch.path)) == [MARKER, "read.graycard"]


def cleaned_away(monkeypatch: pytest.MonkeyPatch, call: str, target: str, times: int) -> list[str]:
    """The next `times` calls of a folder's function find that a cleaner has just been there; what it removed."""
    real: Callable[..., Any] = getattr(OpenFolder, call)
    removed: list[str] = []

    def late(*arguments: Any) -> Any:
        if len(removed) < times:
            removed.extend(clean_with_the_real(real))
        return real(*arguments)

    def clean_with_the_real(real: Callable[..., Any]) -> tuple[str, ...]:
        with monkeypatch.context() as patch:
            patch.setattr(OpenFolder, call, real)
            return clean(target).removed

    monkeypatch.setattr(OpenFolder, call, late)
    return removed


@pytest.mark.parametrize("call", ["child", "info", "create"])
def test_a_folder_that_is_cleaned_away_before_it_has_a_marker_is_made_again(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    removed = cleaned_away(monkeypatch, call, target, 2)
    with Scratch(target, registry) as scratch:
        assert removed == [scratch.path] * 2
        assert list(tree(scratch.path)) == [MARKER]
    assert os.listdir(target) == []


def test_a_folder_of_images_too(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    removed = cleaned_away(monkeypatch, "create", target, 2)
    with ImageFolder(target, volume_maker(), "experiment") as folder:
        assert len(set(removed)) == 2
        assert list(tree(folder.path)) == [MARKER]
        folder.finish()
    assert os.listdir(target) == []


def test_one_that_is_cleaned_away_again_and_again_is_told(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleaned_away(monkeypatch, "create", target, 100)
    assert "is not there" in str(entering(target, registry))
    assert os.listdir(target) == []


def test_a_run_whose_empty_folder_is_cleaned_away_while_it_removes_it_ends_well(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Scratch(target, registry):
        real = OpenFolder.remove_file

        def cleaned_at_once(folder: OpenFolder, name: str) -> None:
            real(folder, name)
            monkeypatch.undo()
            assert len(clean(target).removed) == 1

        monkeypatch.setattr(OpenFolder, "remove_file", cleaned_at_once)
    assert os.listdir(target) == []
