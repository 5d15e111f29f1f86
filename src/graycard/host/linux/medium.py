"""The probe "medium": the disks at the bottom, as sysfs describes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from graycard.facts import fact
from graycard.host.linux.block import Device
from graycard.host.linux.connection import joined
from graycard.host.linux.hardware import controller_of
from graycard.host.linux.identity import identity_of
from graycard.host.linux.place import place_of
from graycard.host.linux.roots import HERE, Roots, read_number, read_word
from graycard.model import Fact, FactValue, Target

_SECTOR_BYTES = 512  # of the size in sysfs, whatever the device's own sectors
_Known = TypeVar("_Known", int, bool)


@dataclass(frozen=True, slots=True)
class MediumProbe:
    """Model, firmware, identity, geometry and queue. Figures that differ between several disks are None."""

    roots: Roots = HERE
    name: str = "medium"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """The facts of the factor "medium" that sysfs tells."""
        place = place_of(target, self.roots)
        disks = place.disks
        whole = tuple(device.disk for device in place.devices)
        where = " ".join(disk.folder for disk in disks) or "no block device"

        def told(name: str, found: FactValue, file: str) -> Fact:
            return fact(name, found, f"{where}/{file}" if disks else where)

        return (
            fact(
                "device_name", joined(device.name for device in place.devices), "/proc/self/mountinfo, /sys/dev/block"
            ),
            told("device_model", joined(model_of(disk) for disk in disks), "device"),
            told(
                "device_firmware", joined(_in_device(disk, "firmware_rev", "rev", "fwrev") for disk in disks), "device"
            ),
            fact(
                "device_id", joined(_hashed(serial_of(disk, self.roots)) for disk in disks), f"sha256 of {where} serial"
            ),
            told("device_size_bytes", _same(_size_bytes(disk) for disk in disks), "size"),
            told("rotational", _same(_flag(disk, "rotational") for disk in disks), "queue/rotational"),
            told("logical_block_bytes", _largest_sector((*whole, *disks)), "queue/logical_block_size, the largest"),
            told("physical_block_bytes", _queue(disks, "physical_block_size"), "queue/physical_block_size"),
            told("write_cache", joined(read_word(f"{d.folder}/queue/write_cache") for d in disks), "queue/write_cache"),
            told("queue_limit_count", _limit(whole, disks), "device/queue_depth, queue/nr_requests"),
        )


def model_of(disk: Device) -> str | None:
    """Vendor and model; "ATA" is what SATA disks give as vendor and says nothing."""
    model = _in_device(disk, "model", "name")
    vendor = _in_device(disk, "vendor")
    if model is None or vendor is None or vendor == "ATA" or vendor.startswith("0x"):
        return model
    return f"{vendor} {model}"


def serial_of(disk: Device, roots: Roots = HERE) -> str | None:
    """The serial number or the world wide name, from sysfs or from udev's database."""
    found = (
        _in_device(disk, "serial")
        or read_word(f"{disk.folder}/serial")
        or _in_device(disk, "wwid")
        or read_word(f"{disk.folder}/wwid")
    )
    if found:
        return found
    properties, _ = identity_of(disk, roots)
    return properties.get("ID_SERIAL") or properties.get("ID_WWN")


def _hashed(text: str | None) -> str | None:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12] if text else None


def _in_device(disk: Device, *names: str) -> str | None:
    """The first of these attributes that the hardware below the disk has, its blanks made single."""
    folders = [f"{disk.folder}/device"]
    if disk.name.startswith("nvme"):
        folders.append(controller_of(disk))
    words = (read_word(f"{folder}/{name}") for name in names for folder in folders)
    return next((" ".join(word.split()) for word in words if word), None)


def _size_bytes(disk: Device) -> int | None:
    sectors = read_number(f"{disk.folder}/size")
    return sectors * _SECTOR_BYTES if sectors else None


def _flag(disk: Device, name: str) -> bool | None:
    found = read_number(f"{disk.folder}/queue/{name}")
    return None if found is None else bool(found)


def _queue(disks: Iterable[Device], name: str) -> int | None:
    return _same(read_number(f"{disk.folder}/queue/{name}") for disk in disks)


def _largest_sector(devices: Iterable[Device]) -> int | None:
    """Direct I/O has to suit the disk and what lies above it: encryption and loop devices may have larger sectors."""
    sectors = (read_number(f"{device.folder}/queue/logical_block_size") for device in devices)
    return max((sector for sector in sectors if sector), default=None)


def _limit(above: Iterable[Device], disks: Iterable[Device]) -> int | None:
    """What the disks take, or a loop device above them if it lets less through."""
    limit = _same(_queue_limit(disk) for disk in disks)
    loops = (read_number(f"{device.folder}/queue/nr_requests") for device in above if device.loop)
    return min((limit, *(each for each in loops if each))) if limit else None


def _queue_limit(disk: Device) -> int | None:
    """SCSI and SATA disks tell what they take at once; of others the kernel's own queue is the limit."""
    return read_number(f"{disk.folder}/device/queue_depth") or read_number(f"{disk.folder}/queue/nr_requests")


def _same(values: Iterable[_Known | None]) -> _Known | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
