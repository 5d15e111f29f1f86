"""Images for tests of real ones, an awkward place for them, and what is asked of a mounted one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from graycard.facts import value
from graycard.host import this_host, volume_maker
from graycard.host.linux.images import LinuxVolumes
from graycard.host.linux.loops import loops_over
from graycard.host.linux.mounts import read_mounts
from graycard.model import FactValue
from graycard.model.image import Image
from graycard.protocols import VolumeMaker

MIB = 1 << 20

IMAGES = {
    "ext4": Image("ext4", 32 * MIB, 1024, ("-m", "0"), ("noatime",)),
    "XFS": Image("XFS", 300 * MIB, None, ("-m", "reflink=0")),
    "btrfs": Image("btrfs", 112 * MIB, 4096, ("--csum=xxhash",), ("compress=zstd:1",)),
    "exFAT": Image("exFAT", 32 * MIB, 32 << 10),
    "NTFS": Image("NTFS", 32 * MIB, 8192),
    "FAT32": Image("FAT32", 40 * MIB, 512),
}


def impatient() -> VolumeMaker:
    return LinuxVolumes(patience_s=0.3)


def free(path: str, point: str) -> None:
    while any(mount.point == point for mount in read_mounts()):
        subprocess.run(["umount", "-l", point], check=True)
    for loop in loops_over(path):
        subprocess.run(["losetup", "--detach", f"/dev/{loop.name}"], check=True)


@contextmanager
def made(place: tuple[str, str], image: Image, maker: VolumeMaker | None = None) -> Iterator[str]:
    """The image made and mounted; gives the mount point."""
    path, point = place
    maker = maker or volume_maker()
    maker.make(image, path)
    maker.mount(image, path, point)
    try:
        yield point
    finally:
        volume_maker().unmount(path, point)
        volume_maker().remove(path)


def facts_of(point: str) -> dict[str, FactValue]:
    host = this_host()
    facts = host.facts(host.resolve(point))
    return {each.name: value(facts, each.name) for each in facts}
