"""Where a path lies: its mount and the devices below it, found once so that no later reading touches the path."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.errors import TargetProblem
from graycard.host.linux.block import Device, devices_of, disks_below
from graycard.host.linux.mounts import Mount, mount_of
from graycard.host.linux.roots import HERE, Roots
from graycard.model import Target


@dataclass(frozen=True, slots=True)
class Place:
    """`devices` directly hold the file system; `disks` are the physical ones below. Both empty without a device."""

    mount: Mount
    devices: tuple[Device, ...]
    disks: tuple[Device, ...]

    @property
    def fuse_connection(self) -> str | None:
        """The name of the FUSE connection in /sys/fs/fuse/connections: the kernel's device number as one number."""
        if not self.mount.fuse:
            return None
        major, _, minor = self.mount.number.partition(":")
        return str(int(major) << 20 | int(minor))


def place_of(target: Target, roots: Roots = HERE) -> Place:
    """The place of a resolved target. TargetProblem where the mount table does not tell."""
    mount = mount_of(target.path, roots)
    if mount is None:
        raise TargetProblem(f"no mounted volume is known to hold {target.shown}; check that /proc is mounted")
    devices = devices_of(mount, roots)
    disks = tuple(dict.fromkeys(disk for device in devices for disk in disks_below(device, roots)))
    return Place(mount, devices, disks)
