"""Block devices in sysfs: from the one that holds a file system down to the disks that hold the data."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from graycard.host.linux.mounts import Mount, mount_with_path, read_mounts
from graycard.host.linux.roots import HERE, Roots, names_in, read_text, read_word


@dataclass(frozen=True, slots=True)
class Device:
    """A block device: its name ("sda1") and its folder in sysfs, all symlinks resolved."""

    name: str
    folder: str

    @property
    def partition(self) -> bool:
        """Whether it is a part of the disk whose folder lies around its own."""
        return os.path.exists(f"{self.folder}/partition")

    @property
    def disk(self) -> Device:
        """The whole device: of a partition the one around it, else itself."""
        around = os.path.dirname(self.folder)
        return Device(os.path.basename(around), around) if self.partition else self

    @property
    def loop(self) -> bool:
        """Whether a file stands behind it."""
        return os.path.exists(f"{self.disk.folder}/loop/backing_file")


def device_with_number(number: str, roots: Roots = HERE) -> Device | None:
    """The device "8:1", or None: numbers with major 0 are no devices."""
    link = f"{roots.sys}/dev/block/{number}"
    if not os.path.exists(link):
        return None
    folder = os.path.realpath(link)
    return Device(os.path.basename(folder), folder)


def devices_of(mount: Mount, roots: Roots = HERE) -> tuple[Device, ...]:
    """The devices that directly hold a mounted file system; several for btrfs, none where there is no device."""
    found = device_with_number(mount.number, roots)
    if found is not None:
        return (found,)
    if mount.file_system == "btrfs":
        return _btrfs_devices(mount, roots)
    if mount.file_system == "overlay":
        return _below_folder(mount.option("upperdir"), roots)
    return ()


def layers(device: Device, roots: Roots = HERE, *, through_files: bool = True) -> tuple[Device, ...]:
    """The device and all below it, each once: partition, disk, slaves of device mapper and RAID, loop files' devices.

    With `through_files` False a loop device is the last layer of its branch.
    """
    found = [device, device.disk]
    if through_files or not device.loop:
        for each in _below(device.disk, roots):
            found += layers(each, roots, through_files=through_files)
    return tuple(dict.fromkeys(found))


def disks_below(device: Device, roots: Roots = HERE) -> tuple[Device, ...]:
    """The disks at the bottom, each once.

    A loop device whose file lies on no device (memory, a share) is itself the bottom.
    """
    return tuple(each for each in layers(device, roots) if not each.partition and not _below(each, roots))


def backing_file(device: Device) -> str | None:
    """The file behind a loop device."""
    text = read_text(f"{device.disk.folder}/loop/backing_file")
    return text.removesuffix("\n") if text else None


def loop_direct_io(device: Device) -> bool | None:
    """Whether a loop device reads its file directly; None for other devices."""
    word = read_word(f"{device.disk.folder}/loop/dio")
    return word == "1" if word is not None else None


def _below(disk: Device, roots: Roots) -> tuple[Device, ...]:
    slaves = names_in(f"{disk.folder}/slaves")
    if slaves:
        folders = (os.path.realpath(f"{disk.folder}/slaves/{name}") for name in slaves)
        return tuple(Device(os.path.basename(folder), folder) for folder in folders)
    return _below_folder(backing_file(disk), roots)


def _below_folder(path: str | None, roots: Roots) -> tuple[Device, ...]:
    """The mount is found by its name alone: asking a file system that no longer answers would hang."""
    mount = mount_with_path(read_mounts(roots), path) if path else None
    if mount is None or mount.file_system == "overlay":
        return ()
    return devices_of(mount, roots)


def _btrfs_devices(mount: Mount, roots: Roots) -> tuple[Device, ...]:
    first = _device_at(mount.source, roots)
    if first is None:
        return ()
    for uuid in names_in(f"{roots.sys}/fs/btrfs"):
        folder = f"{roots.sys}/fs/btrfs/{uuid}/devices"
        if first.name in names_in(folder):
            folders = [os.path.realpath(f"{folder}/{name}") for name in names_in(folder)]
            return tuple(Device(os.path.basename(each), each) for each in folders)
    return (first,)


def _device_at(path: str, roots: Roots) -> Device | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    if not stat.S_ISBLK(status.st_mode):
        return None
    return device_with_number(f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}", roots)
