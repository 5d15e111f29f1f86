"""Images on volumes that are full, in memory, copy on write, or have large sectors."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from bed.loops import LoopImage, run, unmount

from graycard.errors import PlanProblem, RunProblem, TargetProblem
from graycard.host import volume_maker
from graycard.host.linux.loops import loops_over
from graycard.model.image import Image
from tests.host.image_places import IMAGES, MIB, facts_of, free, made

pytestmark = pytest.mark.root


def test_a_full_disk_leaves_nothing(loop_image: LoopImage) -> None:
    host_volume = loop_image(24 * MIB)
    path = os.path.join(host_volume, "a.img")
    with pytest.raises(RunProblem, match=r"the volume is full \(ENOSPC\) while writing .*a\.img; free some space"):
        volume_maker().make(IMAGES["ext4"], path)
    assert not os.path.exists(path)


def test_a_folder_in_memory_is_refused_where_direct_io_is_impossible(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    subprocess.run(["mount", "-t", "ramfs", "ramfs", memory], check=True)
    path, point = str(memory / "a.img"), str(memory / "point")
    os.mkdir(point)
    try:
        volume_maker().make(IMAGES["ext4"], path)
        with pytest.raises(TargetProblem, match="allows no direct I/O, so an image there would measure memory"):
            volume_maker().mount(IMAGES["ext4"], path, point)
        assert loops_over(path) == ()
    finally:
        free(path, point)
        subprocess.run(["umount", memory], check=True)


@pytest.fixture
def drive_with_large_sectors(tmp_path: Path) -> Iterator[str]:
    """ext4 on a device with sectors of 4096 bytes, as many drives have."""
    file, folder = tmp_path / "drive", tmp_path / "volume"
    folder.mkdir()
    with file.open("xb") as image:
        image.truncate(160 * MIB)
    with ExitStack() as stack:
        device = run("losetup", "--sector-size", "4096", "--direct-io=on", "--find", "--show", str(file))
        stack.callback(run, "losetup", "--detach", device)
        run("mkfs.ext4", "-q", device)
        run("mount", device, str(folder))
        stack.callback(unmount, str(folder))
        yield str(folder)


@pytest.mark.parametrize("image", [Image("ext4", 32 * MIB), Image("exFAT", 32 * MIB), Image("NTFS", 32 * MIB, 8192)])
def test_a_drive_with_large_sectors(drive_with_large_sectors: str, image: Image) -> None:
    place = os.path.join(drive_with_large_sectors, "a.img"), os.path.join(drive_with_large_sectors, "point")
    os.mkdir(place[1])
    with made(place, image) as point:
        Path(point, "clip").write_bytes(b"data")
        assert facts_of(point)["loop_direct_io"] is True
    small = replace(image, allocation_unit_bytes=1024)
    with pytest.raises(PlanProblem, match="below the sectors of the drive, which have 4096 bytes; choose 4096 or more"):
        volume_maker().make(small, place[0])
    assert not os.path.exists(place[0])


def test_a_host_that_copies_on_write_keeps_the_image_in_its_place(loop_image: LoopImage) -> None:
    folder = loop_image(128 * MIB, "mkfs.btrfs")
    path = os.path.join(folder, "a.img")
    volume_maker().make(IMAGES["ext4"], path)
    attributes = subprocess.run(["lsattr", path], check=True, capture_output=True, text=True).stdout
    assert "C" in attributes.split()[0]
