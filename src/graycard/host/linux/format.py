"""The probe "format": the file system, how it was made and mounted, and what stands between it and the device."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.linux.block import Device, layers
from graycard.host.linux.format_name import file_system_driver, file_system_name
from graycard.host.linux.identity import identity_of, label_of
from graycard.host.linux.inode_flags import COMPRESSED, ENCRYPTED, NOCOW, get_flags
from graycard.host.linux.mounts import Mount
from graycard.host.linux.place import Place, place_of
from graycard.host.linux.roots import HERE, Roots, read_word
from graycard.host.linux.volumes import statvfs
from graycard.model import Fact, Target, TargetKind

_IN_PLACE = {
    "ext2",
    "ext3",
    "ext4",
    "xfs",
    "vfat",
    "msdos",
    "exfat",
    "ntfs",
    "ntfs3",
    "fuseblk",
    "hfsplus",
    "jfs",
    "udf",
}
_COPY_ON_WRITE = dict.fromkeys(_IN_PLACE, False) | dict.fromkeys(("zfs", "bcachefs", "nilfs2", "apfs"), True)
# Those that cannot compress, and those whose options and flags tell when they do.
_OFF_UNLESS_ASKED = {
    "ext2",
    "ext3",
    "ext4",
    "xfs",
    "FAT",
    "exFAT",
    "HFS+",
    "jfs",
    "UDF",
    "tmpfs",
    "ramfs",
    "btrfs",
    "f2fs",
}
_ENCRYPTING = {"ecryptfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs"}
# The file system's id from statvfs(3) is made from the UUID on ext4 alone; on others from the device's number.
_STABLE_ID = {"ext2", "ext3", "ext4"}


@dataclass(frozen=True, slots=True)
class FormatProbe:
    """Type, options, id, label, allocation unit, partitions, compression, encryption, copy-on-write."""

    roots: Roots = HERE
    name: str = "format"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """The facts of the factor "format"."""
        place = place_of(target, self.roots)
        mount = place.mount
        name = file_system_name(mount, self.roots)
        table = "/proc/self/mountinfo"
        folder = target.path if target.kind is not TargetKind.FILE else os.path.dirname(target.path)
        with _flags_of(folder) as flags:
            return (
                fact("file_system", name, _name_source(mount)),
                fact("file_system_driver", file_system_driver(mount, self.roots), table),
                fact("mount_point", mount.point, table),
                fact("mount_source", mount.source, table),
                fact("mount_options", ",".join(dict.fromkeys((*mount.options, *mount.super_options))), table),
                *self._identity(place),
                _allocation_unit(folder),
                self._partition_scheme(place),
                _compression(mount, name, flags),
                self._encryption(place, flags),
                _copy_on_write(mount, flags),
            )

    def _identity(self, place: Place) -> tuple[Fact, ...]:
        found, source = identity_of(place.devices[0], self.roots) if place.devices else ({}, "no block device")
        uuid, uuid_source = found.get("ID_FS_UUID"), source
        told = statvfs(place.mount.point) if uuid is None and place.mount.file_system in _STABLE_ID else None
        if told is not None:
            uuid, uuid_source = f"{told.f_fsid:016x}", "statvfs f_fsid"
        return (
            fact("file_system_id", uuid, uuid_source),
            fact("volume_name", label_of(found), source),
        )

    def _partition_scheme(self, place: Place) -> Fact:
        """The table of the disk; "none" where the file system takes a whole device."""
        below = [layer for each in place.devices for layer in layers(each, self.roots, through_files=False)]
        for device in below:
            if device.partition:
                found, source = identity_of(device, self.roots)
                return fact("partition_scheme", found.get("ID_PART_ENTRY_SCHEME"), source)
        return fact("partition_scheme", "none" if below else None, "no partition in sysfs" if below else "no device")

    def _encryption(self, place: Place, flags: int | None) -> Fact:
        """dm-crypt below the file system (LUKS), fscrypt of the folder, or an encrypting file system."""
        below = [layer for each in place.devices for layer in layers(each, self.roots)]
        for device in below:
            kind = _dm_crypt(device)
            if kind is not None:
                return fact("encryption", kind, f"{device.folder}/dm/uuid")
        if flags is not None and flags & ENCRYPTED:
            return fact("encryption", "fscrypt", "ioctl FS_IOC_GETFLAGS")
        if place.mount.file_system in _ENCRYPTING:
            return fact("encryption", place.mount.file_system.removeprefix("fuse."), "/proc/self/mountinfo")
        return fact("encryption", "off" if below else None, "no dm-crypt in sysfs, no flag" if below else "no device")


def _dm_crypt(device: Device) -> str | None:
    """dm-crypt names its kind in the UUID: "CRYPT-LUKS2-…"."""
    found = re.match(r"CRYPT-([A-Z0-9]+)", read_word(f"{device.folder}/dm/uuid") or "")
    return f"dm-crypt {found[1]}" if found else None


def _name_source(mount: Mount) -> str:
    return (
        f"boot sector of {mount.source}, mounted as fuseblk"
        if mount.file_system == "fuseblk"
        else "/proc/self/mountinfo"
    )


def _allocation_unit(folder: str) -> Fact:
    told = statvfs(folder)
    return fact("allocation_unit_bytes", (told.f_frsize or None) if told else None, "statvfs f_frsize")


def _compression(mount: Mount, name: str, flags: int | None) -> Fact:
    """Of the mount, as its option says (btrfs: compress, compress-force; f2fs), else of the folder by its flag."""
    for option in ("compress-force", "compress", "compress_algorithm", "compression"):
        value = mount.option(option)
        if value is not None and value not in {"no", "none"}:
            forced = " forced" if option == "compress-force" else ""
            return fact("compression", f"{value or 'on'}{forced}", f"mount option {option}")
    if flags is not None and flags & COMPRESSED:
        return fact("compression", "on for this folder", "ioctl FS_IOC_GETFLAGS")
    return fact("compression", "off" if name in _OFF_UNLESS_ASKED else None, "mount options and flags of the folder")


def _copy_on_write(mount: Mount, flags: int | None) -> Fact:
    """Whether new files in the folder are copied on write: not with the option nodatacow or the folder's flag."""
    if mount.file_system == "btrfs":
        off = mount.option("nodatacow") is not None or (flags is not None and bool(flags & NOCOW))
        return fact("copy_on_write", not off, "mount options and FS_IOC_GETFLAGS")
    return fact("copy_on_write", _COPY_ON_WRITE.get(mount.file_system), "type of the file system")


@contextmanager
def _flags_of(folder: str) -> Iterator[int | None]:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield get_flags(handle)
    finally:
        os.close(handle)
