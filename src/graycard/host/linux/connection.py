"""The probe "connection": bus, link and driver of the disks below, or the network path to a share's server."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.link import link_facts
from graycard.host.linux.block import backing_file, layers, loop_direct_io
from graycard.host.linux.hardware import bus_of, driver_of, link_of
from graycard.host.linux.mounts import GUEST_SHARES, MEMORY, Mount
from graycard.host.linux.network import share_facts
from graycard.host.linux.place import Place, place_of
from graycard.host.linux.roots import HERE, Roots
from graycard.model import Fact, Target


@dataclass(frozen=True, slots=True)
class ConnectionProbe:
    """How the data get from the medium to this machine."""

    roots: Roots = HERE
    name: str = "connection"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """The facts of the factor "connection"."""
        place = place_of(target, self.roots)
        if place.mount.network:
            return share_facts(place.mount, self.roots)
        return (*_attachment(place), *_loop_facts(place, self.roots))


def _attachment(place: Place) -> tuple[Fact, ...]:
    """Bus and driver of what holds the file system; the link of the disk at the bottom, which a loop cannot outrun."""
    if not place.devices:
        source = f"{place.mount.file_system} in /proc/self/mountinfo"
        return (fact("bus", _bus_without_device(place.mount), source), *link_facts(None, source))
    loops = tuple(device.disk for device in place.devices if device.loop)
    disks = loops or place.disks
    where = " ".join(disk.folder for disk in disks)
    one = place.disks[0] if len(place.disks) == 1 else None
    return (
        fact("bus", joined(bus_of(disk) for disk in disks), where),
        *(link_facts(*link_of(one)) if one else link_facts(None, "several disks share the load")),
        fact("driver", "loop" if loops else joined(driver_of(disk) for disk in disks), where),
    )


def _bus_without_device(mount: Mount) -> str | None:
    if mount.file_system in MEMORY:
        return "memory"
    return "virtio" if mount.file_system in GUEST_SHARES else None


def _loop_facts(place: Place, roots: Roots) -> tuple[Fact, ...]:
    loops = [layer for device in place.devices for layer in layers(device, roots) if layer == layer.disk and layer.loop]
    direct = [loop_direct_io(loop) for loop in loops]
    where = " ".join(f"{loop.folder}/loop" for loop in loops) or "no loop device below"
    return (
        fact("loop_direct_io", all(direct) if direct and None not in direct else None, where),
        fact("loop_backing_file", joined(backing_file(loop) for loop in loops), where),
    )


def joined(texts: Iterable[str | None]) -> str | None:
    """Different texts of several disks as one, "a + b"; None where none is known."""
    return " + ".join(dict.fromkeys(text for text in texts if text)) or None
