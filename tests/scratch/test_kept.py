"""What is not proven to be graycard's own is never touched."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bed.loops import LoopImage
from scratch.runs import NOBODY, SOME_ID, edit_marker, killed, tree

from graycard.scratch import Scratch, clean, leftovers
from graycard.scratch.names import MARKER, folder_name
from graycard.scratch.owner import Owner, encode, this_owner


def dead_owner(**changes: Any) -> Owner:
    """This process as an owner that has ended: no process began before the boot."""
    return replace(this_owner(SOME_ID), started_s=-1000.0, **changes)


def look_alike(target: str, name: str = folder_name(SOME_ID), marker: bytes | None = None) -> Path:
    folder = Path(target, name)
    folder.mkdir()
    (folder / "read.graycard").write_bytes(b"precious")
    if marker is not None:
        (folder / MARKER).write_bytes(marker)
    return folder


KEPT: list[tuple[dict[str, Any], str]] = [
    ({"machine": ["00ff"]}, "made on another computer"),
    ({"machine": []}, "made on another computer"),
    ({"user": 12345}, "belongs to another user (number 12345)"),
    ({"folder_user": 12345}, "belongs to another user"),
    ({"id": SOME_ID}, "no valid marker"),
    ({"schema": "graycard-owner/2"}, "no valid marker"),
    ({"pid": "1"}, "no valid marker"),
]


@pytest.mark.parametrize(("changes", "says"), KEPT)
def test_what_is_not_proven_ours_is_kept(target: str, registry: str, changes: dict[str, Any], says: str) -> None:
    path = killed(target, registry)
    edit_marker(path, **changes)
    before = tree(target)
    done = clean(target)
    assert done.removed == ()
    assert says in str(done.kept[0].why_kept)
    assert tree(target) == before


@pytest.mark.parametrize("marker", [None, b"", b"{}", b"null", b"\xff\x00", b"[" * 100_000, b" " * 70_000])
def test_a_folder_with_our_name_but_no_valid_marker_is_kept(target: str, marker: bytes | None) -> None:
    look_alike(target, marker=marker)
    before = tree(target)
    (kept,) = clean(target).kept
    assert kept.state is None
    assert "no valid marker" in str(kept.why_kept)
    assert tree(target) == before


@pytest.mark.parametrize(
    "name", [".graycard-notes", ".graycard-", ".graycard-0123456789ABCDEF", "graycard", ".graycard"]
)
def test_other_names_are_not_even_looked_at(target: str, name: str) -> None:
    look_alike(target, name, encode(dead_owner()))
    before = tree(target)
    assert leftovers(target) == ()
    assert clean(target).removed == ()
    assert tree(target) == before


@pytest.mark.parametrize(
    "name", ["clip.mov", "READ.graycard", ".hidden.graycard", "read.graycard.bak", "read\n.graycard"]
)
def test_a_folder_that_also_holds_something_else_is_left_whole(target: str, name: str) -> None:
    folder = look_alike(target, marker=encode(dead_owner()))
    (folder / name).write_bytes(b"precious")
    before = tree(target)
    (kept,) = clean(target).kept
    assert "holds files that graycard did not make" in str(kept.why_kept)
    assert tree(target) == before
    (folder / name).unlink()
    assert clean(target).removed == (str(folder),)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("name", ["write.graycard", MARKER])
def test_our_names_on_other_things_are_kept(target: str, tmp_path: Path, kind: str, name: str) -> None:
    precious = tmp_path / "precious"
    marker = encode(dead_owner())
    precious.write_bytes(marker)
    folder = look_alike(target, marker=None if name == MARKER else marker)
    path = folder / name
    {"folder": path.mkdir, "link": lambda: path.symlink_to(precious), "pipe": lambda: os.mkfifo(path)}[kind]()
    before = tree(target)
    (kept,) = clean(target).kept
    assert kept.why_kept is not None
    assert tree(target) == before
    assert precious.read_bytes() == marker


def test_a_link_or_file_with_our_folder_name_is_kept(target: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real = look_alike(str(elsewhere), marker=encode(dead_owner()))
    Path(target, folder_name(SOME_ID)).symlink_to(real)
    Path(target, folder_name("f" * 16)).write_bytes(b"precious")
    done = clean(target)
    assert done.removed == ()
    assert all("is no folder" in str(each.why_kept) for each in done.kept)
    assert len(done.kept) == 2
    assert (real / "read.graycard").read_bytes() == b"precious"


@pytest.mark.root
def test_what_another_user_made_is_told_even_to_root(target: str) -> None:
    folder = look_alike(target, marker=encode(dead_owner(user=NOBODY, folder_user=NOBODY)))
    os.chown(folder, NOBODY, NOBODY)
    assert "belongs to another user (number 65534)" in str(clean(target).kept[0].why_kept)


@pytest.mark.root
def test_a_volume_that_gives_all_files_another_owner(loop_image: LoopImage, registry: str) -> None:
    volume = loop_image(16 << 20, "mkfs.exfat", "uid=1234,umask=000")
    path = killed(volume, registry)
    assert os.stat(path).st_uid == 1234
    assert clean(volume).removed == (path,)
    with Scratch(volume, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
    assert os.listdir(volume) == []


@pytest.mark.root
def test_removal_that_the_volume_refuses_is_told(mount_at: Callable[..., str], registry: str) -> None:
    volume = mount_at("tmpfs", "volume", kind="tmpfs")
    path = killed(volume, registry)
    subprocess.run(["mount", "-o", "remount,ro", volume], check=True)
    done = clean(volume)
    assert done.removed == ()
    assert f"{path} cannot be read or removed (Read-only file system)" in str(done.kept[0].why_kept)


def test_several_cleaners_at_once(target: str, registry: str) -> None:
    paths = sorted(killed(target, registry) for _ in range(3))
    together = threading.Barrier(4)

    def cleaner(_: int) -> tuple[str, ...]:
        together.wait()
        done = clean(target)
        assert done.kept == ()
        return done.removed

    with ThreadPoolExecutor(4) as pool:
        removed = [path for each in pool.map(cleaner, range(4)) for path in each]
    assert sorted(set(removed)) == paths
    assert os.listdir(target) == []
