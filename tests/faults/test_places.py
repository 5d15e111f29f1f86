"""Places that cannot be measured: refused in one sentence, and left exactly as they were."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from tests.bed.faults_program import Cli
from tests.bed.loops import MIB, LoopImage, loop_device, run

READ = ("--sequential", "--block", "64KiB", "--time", "50ms", "--runs", "1")


def fingerprint(path: str) -> str:
    """All bytes of a device or file, read around the page cache where that holds another state."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


@pytest.mark.root
def test_a_read_only_volume(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(64 * MIB)
    Path(volume, "clip.mov").write_bytes(os.urandom(8 * MIB))
    run("mount", "-o", "remount,ro", volume)
    cli.measure(volume).failed(11, volume, "read-only", "--read-only FILE")
    assert sorted(os.listdir(volume)) == ["clip.mov", "lost+found"]
    reading = cli.run("measure", "--read-only", f"{volume}/clip.mov", *READ)
    reading.measured()
    assert cli.stored_runs() == 1


@pytest.mark.root
def test_a_folder_in_which_nobody_may_write(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(64 * MIB)
    folder = f"{volume}/sealed"
    os.mkdir(folder)
    run("chattr", "+i", folder)
    try:
        cli.measure(folder).failed(11, folder, "may not write", "folder of")
    finally:
        run("chattr", "-i", folder)
    assert os.listdir(folder) == []


@pytest.mark.root
@pytest.mark.parametrize("options", [(), ("--read-only",)], ids=["measure", "read only"])
def test_a_raw_device_and_a_link_to_it_stay_untouched(cli: Cli, tmp_path: Path, options: tuple[str, ...]) -> None:
    with loop_device(str(tmp_path / "image"), 16 * MIB) as device:
        Path(device).write_bytes(os.urandom(16 * MIB))
        before = fingerprint(device)
        link = tmp_path / "drive"
        link.symlink_to(device)
        for path in (device, str(link)):
            refused = cli.run("measure", *options, path, *READ)
            refused.failed(11, device, "raw device", "give a folder on a mounted volume")
            cli.run("clean", path).failed(11, "raw device")
        assert fingerprint(device) == before
    assert cli.stored() == ()


def test_a_file_where_a_folder_is_needed_stays_untouched(cli: Cli, tmp_path: Path) -> None:
    clip = tmp_path / "clip.mov"
    clip.write_bytes(os.urandom(MIB))
    link = tmp_path / "link.mov"
    link.symlink_to(clip)
    before = (fingerprint(str(clip)), clip.stat().st_mtime_ns)
    for path in (clip, link):
        cli.measure(str(path)).failed(10, str(clip), "is a file", "name its folder", "--read-only")
    assert (fingerprint(str(clip)), clip.stat().st_mtime_ns) == before
    assert sorted(os.listdir(tmp_path)) == ["clip.mov", "home", "link.mov"]


def test_reading_leaves_the_file_as_it_was(cli: Cli, tmp_path: Path) -> None:
    clip = tmp_path / "clip.mov"
    clip.write_bytes(os.urandom(4 * MIB))
    clip.chmod(0o400)
    before = (fingerprint(str(clip)), clip.stat().st_mtime_ns, clip.stat().st_ino)
    cli.run("measure", "--read-only", str(clip), *READ).measured()
    assert (fingerprint(str(clip)), clip.stat().st_mtime_ns, clip.stat().st_ino) == before
    assert sorted(os.listdir(tmp_path)) == ["clip.mov", "home"]


@pytest.mark.parametrize("kind", ["missing", "pipe", "socket", "circle", "nul device"])
def test_what_is_no_folder(cli: Cli, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "place"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(str(path))
    elif kind == "circle":
        path.symlink_to(path)
    named = "/dev/null" if kind == "nul device" else str(path)
    for command in (("measure", named, *READ), ("measure", "--read-only", named, *READ), ("info", named)):
        says = cli.run(*command).failed(11, ";")
        assert named in says


@pytest.mark.root
def test_a_store_that_cannot_be_written_is_told_before_anything_is_written(cli: Cli, loop_image: LoopImage) -> None:
    volume, full = loop_image(64 * MIB), loop_image(64 * MIB)
    run("mount", "-o", "remount,ro", full)
    refused = cli.measure(volume, GRAYCARD_STORE=f"{full}/results.db")
    refused.failed(40, f"{full}/results.db", "--store")
    assert sorted(os.listdir(volume)) == ["lost+found"]
