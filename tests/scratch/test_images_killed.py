"""What kill -9 leaves mounted is unmounted, detached and removed, or taken over by the next process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from scratch.image_runs import EXPERIMENT, MIB, child, said
from scratch.runs import tree

from graycard.host import volume_maker
from graycard.host.linux.block import backing_file
from graycard.host.linux.loops import Device
from graycard.host.linux.mounts import read_mounts
from graycard.model.image import Image
from graycard.scratch import ImageFolder, State, clean, leftovers

pytestmark = pytest.mark.root


def mounts_below(folder: str) -> list[str]:
    return [mount.point for mount in read_mounts() if mount.point.startswith(folder + "/")]


def loops_below(folder: str) -> list[str]:
    devices = (Device(name, f"/sys/block/{name}") for name in os.listdir("/sys/block") if name.startswith("loop"))
    return [each.name for each in devices if (backing_file(each) or "").startswith(folder + "/")]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[str]:
    """A folder of an awkward name; freed at the end whatever happens."""
    folder = tmp_path / "Größe 日本 \n x"
    folder.mkdir()
    yield str(folder)
    for point in reversed(mounts_below(str(folder))):
        subprocess.run(["umount", "-l", point], check=True)
    for name in loops_below(str(folder)):
        subprocess.run(["losetup", "--detach", f"/dev/{name}"], check=True)


def killed(folder: str, kind: str) -> str:
    """The folder of images that a killed process has left, with one of them mounted."""
    with child(folder, kind) as process:
        said(process)
        while not mounts_below(folder):
            assert process.poll() is None
            time.sleep(0.01)
        (found,) = leftovers(folder)
        while not any(os.path.exists(os.path.join(point, "clip")) for point in mounts_below(folder)):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert mounts_below(folder)
    assert loops_below(folder)
    return found.path


@pytest.mark.parametrize("kind", ["ext4", "exFAT", "NTFS"])
def test_clean_unmounts_detaches_and_removes(place: str, kind: str) -> None:
    Path(place, "clip.mov").write_bytes(b"precious")
    path = killed(place, kind)
    (kept,) = clean(place).kept
    assert (kept.state, kept.experiment_id) == (State.DEAD, EXPERIMENT)
    assert mounts_below(place), "a measurement that cleans up leaves the volumes of an experiment alone"
    done = clean(place, volume_maker())
    assert (done.removed, done.kept) == ((path,), ())
    assert done.removed_bytes > 16 * MIB
    assert (mounts_below(place), loops_below(place)) == ([], [])
    assert tree(place) == {"clip.mov": b"precious"}


@pytest.mark.parametrize("kind", ["ext4", "exFAT"])
def test_the_next_process_goes_on_with_the_same_images(place: str, kind: str) -> None:
    path = killed(place, kind)
    with ImageFolder(place, volume_maker(), EXPERIMENT) as images:
        assert (images.path, images.adopted) == (path, True)
        assert (mounts_below(place), loops_below(place)) == ([], [])
        with images.mounted(kind, Image(kind, 16 * MIB)) as point:
            assert Path(point, "clip").exists(), "the volume is the same"
        images.finish()
    assert os.listdir(place) == []


def test_kill_at_any_moment(place: str) -> None:
    """Making, formatting, attaching, mounting, writing, unmounting: whatever was under way, clean leaves nothing."""
    for attempt in range(6):
        with child(place, "ext4", "exFAT", rounds=100_000) as process:
            said(process)
            time.sleep(0.09 * attempt)
            process.kill()
            process.wait()
        settle(place)
        assert clean(place, volume_maker()).kept == ()
        assert (mounts_below(place), loops_below(place), os.listdir(place)) == ([], [], [])


def settle(folder: str) -> None:
    """A program that the killed process had started ends by itself: mkfs, losetup, mount; then nothing changes."""
    while any(works_in(folder, each) for each in psutil.process_iter(["cmdline"])):
        time.sleep(0.02)
    before: object = None
    while (now := (mounts_below(folder), loops_below(folder), tree(folder).keys())) != before:
        before = now
        time.sleep(0.3)


def works_in(folder: str, process: psutil.Process) -> bool:
    """Whether it was started for a path in the folder; the server of a mounted FUSE volume stays and is not meant."""
    words = process.info["cmdline"] or [""]
    return "fuse" not in words[0] and any(folder in word for word in words)


def test_the_command_cleans(place: str) -> None:
    killed(place, "ext4")
    code = "import sys; from graycard.cli.entry import run; sys.argv = ['graycard', 'clean', sys.argv[1]]; run()"
    done = subprocess.run([sys.executable, "-c", code, place], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Removed 1 test folder of earlier runs, 16.8 MB." in done.stderr
    assert (mounts_below(place), loops_below(place), os.listdir(place)) == ([], [], [])
