"""A volume that graycard makes for an experiment: a file system in a file."""

from __future__ import annotations

from dataclasses import dataclass

# As their makers write them. Which of them a system can make, its VolumeMaker says.
FILE_SYSTEMS = ("ext4", "XFS", "btrfs", "exFAT", "FAT32", "NTFS", "APFS", "HFS+")


@dataclass(frozen=True, slots=True)
class Image:
    """What to make. `file_system` is one of FILE_SYSTEMS; `size_bytes` the size of the whole file.

    `allocation_unit_bytes` None leaves the block or cluster to the program that formats. `format_options` are words for
    that program ("-O", "^has_journal"), `mount_options` single options of the mount ("noatime", "compress=zstd").
    """

    file_system: str
    size_bytes: int
    allocation_unit_bytes: int | None = None
    format_options: tuple[str, ...] = ()
    mount_options: tuple[str, ...] = ()


def file_system_named(text: str) -> str | None:
    """The entry of FILE_SYSTEMS that a user means by "xfs", "FAT32" or "hfs+"; None if there is none."""
    return next((name for name in FILE_SYSTEMS if name.lower() == text.strip().lower()), None)
