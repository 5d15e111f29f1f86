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


def test_leaves_nothing_even_when_a_test_fails_and_holds_a_file(tmp_path: Path) -> None:
    seen: list[str] = []
    held: list[int] = []

    def fail() -> None:
        with loop_file_system(str(tmp_path / "bed")) as point:
            seen.append(device_of(point))
            held.append(os.open(os.path.join(point, "held"), os.O_CREAT | os.O_RDWR))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not os.path.exists(tmp_path / "bed" / "image")
    assert not os.path.ismount(tmp_path / "bed" / "volume")
    os.close(held[0])
    assert seen[0] not in run("losetup", "--list", "--noheadings", "--output", "NAME").split()
