"""The bed itself: loop images are what they say, and leave nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bed.loops import LoopImage, device_of, loop_file_system, run

pytestmark = pytest.mark.root
MIB = 1 << 20


@pytest.mark.parametrize(
    ("mkfs", "size", "kind"),
    [
        ("mkfs.ext4", 32 * MIB, "ext4"),
        ("mkfs.xfs", 320 * MIB, "xfs"),
        ("mkfs.btrfs", 128 * MIB, "btrfs"),
        ("mkfs.exfat", 32 * MIB, "fuseblk"),
        ("mkfs.ntfs", 32 * MIB, "fuseblk"),
    ],
)
def test_makes_each_file_system(loop_image: LoopImage, mkfs: str, size: int, kind: str) -> None:
    point = loop_image(size, mkfs)
    assert run("findmnt", "-n", "-o", "FSTYPE", "--mountpoint", point) == kind


def test_leaves_nothing_even_when_the_test_fails(tmp_path: Path) -> None:
    device = ""
    with pytest.raises(ZeroDivisionError), loop_file_system(str(tmp_path / "bed")) as point:
        device = device_of(point)
        held = os.open(point, os.O_RDONLY)
        try:
            _ = 1 / 0
        finally:
            os.close(held)
    assert device not in run("losetup", "--list")
    assert not os.path.exists(tmp_path / "bed" / "image")
    assert not os.path.ismount(tmp_path / "bed" / "volume")
