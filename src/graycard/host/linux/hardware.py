"""How a disk is attached: its bus, driver and negotiated link, from the folders around it in sysfs.

Attributes: Documentation/ABI/testing/sysfs-bus-usb, sysfs-bus-pci, sysfs-ata of the kernel.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from graycard.host.link import Link
from graycard.host.linux.block import Device
from graycard.host.linux.roots import names_in, read_link_name, read_number, read_word

_BY_NAME = {
    "loop": "loop",
    "zram": "memory",
    "ram": "memory",
    "pmem": "memory",
    "nbd": "network",
    "rbd": "network",
    "drbd": "network",
    "mmcblk": "mmc",
    "xvd": "xen",
}
# A folder on the way from the disk to the root of sysfs, and the bus it stands for: the first that is met.
_BY_FOLDER = (
    (re.compile(r"usb[0-9]+"), "usb"),
    (re.compile(r"ata[0-9]+"), "sata"),
    (re.compile(r"end_device-[0-9:]+"), "sas"),
    (re.compile(r"session[0-9]+"), "network"),
    (re.compile(r"fw[0-9]+"), "firewire"),
    (re.compile(r"virtio[0-9]+"), "virtio"),
    (re.compile(r"VMBUS:.*|vmbus_.*", re.IGNORECASE), "hyper-v"),
)
# Drivers of the disk as such; the one that carries its data is further out.
_DISK_DRIVERS = {"sd", "sr"}


def bus_of(disk: Device) -> str | None:
    """As the vocabulary of `bus` has it; None for a bus that is not known here."""
    if disk.name.startswith("nvme"):
        return _nvme_bus(disk)
    for name, bus in _BY_NAME.items():
        if disk.name.startswith(name):
            return bus
    for folder in _outwards(disk):
        for pattern, bus in _BY_FOLDER:
            if pattern.fullmatch(os.path.basename(folder)):
                return bus
    return None


def driver_of(disk: Device) -> str | None:
    """The driver that carries the data: "uas", "ahci", "nvme", "virtio_blk"."""
    for folder in _outwards(disk):
        name = read_link_name(f"{folder}/driver")
        if name is not None and name not in _DISK_DRIVERS:
            return name
    return None


def link_of(disk: Device) -> tuple[Link | None, str]:
    """The slowest negotiated link of the disk's own bus, and the file that tells it; None where no file does.

    Of PCI Express only the drive's own link counts: those that a Thunderbolt tunnel shows further out are not real.
    """
    bus = bus_of(disk)
    if bus == "usb":
        return _slowest_usb(disk)
    if bus == "sata":
        return _sata(disk)
    if bus in {"nvme", "thunderbolt"}:
        return _pcie(disk)
    return None, disk.folder


def controller_of(disk: Device) -> str:
    """The controller that an NVMe disk's data pass: with multipath the disk hangs below a virtual subsystem."""
    around = os.path.dirname(disk.folder)
    paths = [name for name in names_in(around) if re.fullmatch(r"nvme[0-9]+", name)]
    return os.path.realpath(f"{around}/{paths[0]}") if paths else around


def _outwards(disk: Device) -> Iterator[str]:
    """The folders around the disk, from the inside."""
    folder = controller_of(disk) if disk.name.startswith("nvme") else disk.folder
    while os.path.basename(folder) not in {"devices", ""}:
        yield folder
        folder = os.path.dirname(folder)


def _nvme_bus(disk: Device) -> str:
    folders = tuple(_outwards(disk))
    transports = {read_word(f"{folder}/transport") for folder in folders} - {None}
    if transports and transports != {"pcie"}:
        return "network"
    removable = any(read_word(f"{folder}/removable") == "removable" for folder in folders)
    return "thunderbolt" if removable else "nvme"


def _slowest_usb(disk: Device) -> tuple[Link | None, str]:
    """Hubs on the way may have negotiated less than the drive."""
    speeds: list[tuple[float, str]] = []
    for folder in _outwards(disk):
        word = read_word(f"{folder}/speed") if os.path.exists(f"{folder}/bMaxPacketSize0") else None
        if word is not None and re.fullmatch(r"[0-9.]+", word):
            speeds.append((float(word), f"{folder}/speed"))
    if not speeds:
        return None, disk.folder
    megabits_per_s, source = min(speeds)
    return Link.usb(int(megabits_per_s * 1e6)), source


def _sata(disk: Device) -> tuple[Link | None, str]:
    for folder in _outwards(disk):
        if re.fullmatch(r"ata[0-9]+", os.path.basename(folder)):
            for name in names_in(folder):
                source = f"{folder}/{name}/ata_link/{name}/sata_spd"
                found = re.match(r"([0-9.]+) Gbps", read_word(source) or "")
                if found:
                    return Link.sata(int(float(found[1]) * 1e9)), source
    return None, disk.folder


def _pcie(disk: Device) -> tuple[Link | None, str]:
    for folder in _outwards(disk):
        source = f"{folder}/current_link_speed"
        speed = re.match(r"([0-9.]+) GT/s", read_word(source) or "")
        lane_count = read_number(f"{folder}/current_link_width")
        if speed and lane_count:
            return Link.pcie(int(float(speed[1]) * 1e9), lane_count), source
    return None, disk.folder
