"""How each file system is made and mounted on Linux: mkfs program, its options, kernel driver or FUSE program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graycard.host.image_rules import FAT32, MIB, Limits
from graycard.model.image import Image

SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class Format:
    """`always` keeps mkfs quiet, lets it take a file, and forbids it to punch holes by discarding.

    `sizes` gives its options for an allocation unit, or None, on a device with such sectors. `valued` and `bare` are
    the options that a user may add, with and without a value. `fuse` is a FUSE program and its package, used where the
    kernel has no driver. `mount_options` come before the user's: no file system discards unless the user asks for it,
    since each discard punches a hole into the image, which was written whole.
    """

    limits: Limits
    program: str
    package: str
    always: tuple[str, ...]
    sizes: Callable[[int | None, int], tuple[str, ...]]
    kernel_type: str
    fuse: tuple[str, str] | None = None
    valued: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    mount_options: tuple[str, ...] = ()

    def words(self, image: Image, place: str, sector_bytes: int = SECTOR_BYTES) -> tuple[str, ...]:
        """The command that formats the file `place`."""
        sizes = self.sizes(image.allocation_unit_bytes, sector_bytes)
        return (self.program, *self.always, *sizes, *image.format_options, place)


def _ext4(unit: int | None, sector: int) -> tuple[str, ...]:
    """On a small volume mkfs would choose blocks below a sector of 4096 bytes."""
    least = sector if sector > SECTOR_BYTES else None
    return ("-b", str(unit or least)) if unit or least else ()


def _xfs(unit: int | None, sector: int) -> tuple[str, ...]:
    return ("-s", f"size={sector}", *(("-b", f"size={unit}") if unit else ()))


def _fat(unit: int | None, sector: int) -> tuple[str, ...]:
    return ("-S", str(sector), *(("-s", str(unit // sector)) if unit else ()))


def _ntfs(unit: int | None, sector: int) -> tuple[str, ...]:
    return ("-s", str(sector), *(("-c", str(unit)) if unit else ()))


FORMATS: dict[str, Format] = {
    "ext4": Format(
        # A journal needs 1024 blocks; 16 MiB leave room for a file. Units: mke2fs(8).
        Limits(16 * MIB, 1024, 64 << 10),
        "mkfs.ext4",
        "e2fsprogs",
        # Without these the kernel goes on writing the tables in the background while the volume is measured.
        ("-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"),
        _ext4,
        "ext4",
        valued=("-C", "-G", "-g", "-I", "-i", "-J", "-L", "-m", "-N", "-O", "-T", "-U"),
    ),
    "XFS": Format(
        Limits(300 * MIB, 512, 64 << 10),  # mkfs.xfs since 5.19: "Filesystem must be larger than 300MB."
        "mkfs.xfs",
        "xfsprogs",
        ("-q", "-f", "-K"),
        _xfs,
        "xfs",
        valued=("-d", "-i", "-L", "-l", "-m", "-n"),
    ),
    "btrfs": Format(
        Limits(109 * MIB, 4096, 64 << 10),  # mkfs.btrfs: "minimum size for each btrfs device is 114294784"
        "mkfs.btrfs",
        "btrfs-progs",
        ("-q", "-f", "-K"),
        lambda unit, _: ("-s", str(unit)) if unit else (),
        "btrfs",
        valued=(
            *("-d", "--data", "-m", "--metadata", "-n", "--nodesize", "-O", "--features", "-R", "--runtime-features"),
            *("--csum", "--checksum", "-L", "--label"),
        ),
        bare=("-M", "--mixed"),
        mount_options=("nodiscard",),  # since Linux 6.2 it discards by itself
    ),
    "exFAT": Format(
        Limits(8 * MIB, 512, 32 << 20),  # clusters: Microsoft's exFAT specification, 3.1.15
        "mkfs.exfat",
        "exfatprogs",
        (),
        lambda unit, _: ("-c", str(unit)) if unit else (),
        "exfat",
        fuse=("mount.exfat-fuse", "exfat-fuse"),
        valued=("-b", "--boundary-align", "-L"),
        bare=("--pack-bitmap",),
    ),
    "FAT32": Format(
        # No FUSE: fusefat 0.1a was tried, and damages files whose blocks are first written in random order
        # (sizes grow, chains are cut short, fsck.vfat loses the rest); it also tells no size of the volume.
        FAT32,
        "mkfs.vfat",
        "dosfstools",
        ("-F", "32"),
        _fat,
        "vfat",
        valued=("-f", "-i", "-n", "-R"),
        bare=("-a",),
    ),
    "NTFS": Format(
        Limits(8 * MIB, 512, 2 << 20),  # mkntfs(8): "-c … the cluster size … 256 to 2097152"
        "mkfs.ntfs",
        "ntfs-3g",
        # Quick, since else all is filled with zeros; the geometry only matters for booting Windows.
        ("-q", "-F", "-f", "-p", "0", "-H", "255", "-S", "63"),
        _ntfs,
        "ntfs3",
        fuse=("ntfs-3g", "ntfs-3g"),
        valued=("-L", "-z"),
        bare=("-C", "-I"),
    ),
}
