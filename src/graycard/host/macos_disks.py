"""macOS: facts from the property lists of `diskutil info -plist`; a missing key is an unknown fact."""

from __future__ import annotations

import plistlib
import re
from collections.abc import Mapping
from xml.parsers.expat import ExpatError

from graycard.facts import fact
from graycard.model import Fact

Info = Mapping[str, object]

_SCHEMES = {"GUID_partition_scheme": "gpt", "FDisk_partition_scheme": "dos", "Apple_partition_scheme": "apm"}
_BUSES = {
    "apple fabric": "nvme",
    "ata": "sata",
    "disk image": "disk image",
    "fibre channel interface": "fibre channel",
    "firewire": "firewire",
    "pci": "nvme",
    "sas": "sas",
    "sata": "sata",
    "secure digital": "mmc",
    "thunderbolt": "thunderbolt",
    "usb": "usb",
}
_HEALTH = {"verified": "passed", "failing": "failed"}


def parse_info(output: bytes) -> Info:
    """The property list as a mapping; empty where the output is none (no such disk, no diskutil)."""
    try:
        found = plistlib.loads(output)
    except (plistlib.InvalidFileException, ExpatError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def whole_disk(info: Info) -> str | None:
    """The disk that holds a volume: "disk0" of "disk0s2"; of an APFS volume the disk below its container."""
    stores = info.get("APFSPhysicalStores")
    first = stores[0] if isinstance(stores, list) and stores else None
    store = _text(first, "APFSPhysicalStore") if isinstance(first, dict) else None
    found = re.match(r"(disk\d+)", store) if store else None
    return found[1] if found else _text(info, "ParentWholeDisk")


def bus_of(disk: Info) -> str | None:
    """The word for the bus; PCI Express outside the case is Thunderbolt or USB4, inside it is NVMe."""
    protocol = (_text(disk, "BusProtocol") or "").lower()
    if protocol == "pci-express":
        return "thunderbolt" if _flag(disk, "Internal") is False else "nvme"
    return _BUSES.get(protocol, protocol or None)


def volume_facts(info: Info, source: str) -> tuple[Fact, ...]:
    """What diskutil says of the volume: name, id, allocation unit, encryption."""
    return (
        fact("volume_name", _text(info, "VolumeName"), f"{source} VolumeName"),
        fact("file_system_id", _text(info, "VolumeUUID"), f"{source} VolumeUUID"),
        fact(
            "allocation_unit_bytes", _number(info, "VolumeAllocationBlockSize"), f"{source} VolumeAllocationBlockSize"
        ),
        fact("encryption", _encryption(info), f"{source} FileVault, Encryption"),
    )


def disk_facts(disk: Info, source: str) -> tuple[Fact, ...]:
    """What diskutil says of the whole disk: partition table, bus, model, size, kind, sector, health."""
    solid = _flag(disk, "SolidState")
    status = (_text(disk, "SMARTStatus") or "").lower()
    return (
        fact("partition_scheme", _SCHEMES.get(_text(disk, "Content") or ""), f"{source} Content"),
        fact("bus", bus_of(disk), f"{source} BusProtocol, Internal"),
        fact("device_name", _text(disk, "DeviceIdentifier"), f"{source} DeviceIdentifier"),
        fact("device_model", _text(disk, "MediaName"), f"{source} MediaName"),
        fact("device_size_bytes", _number(disk, "Size"), f"{source} Size"),
        fact("rotational", None if solid is None else not solid, f"{source} SolidState"),
        fact("logical_block_bytes", _number(disk, "DeviceBlockSize"), f"{source} DeviceBlockSize"),
        fact("health", _HEALTH.get(status), f"{source} SMARTStatus"),
    )


def container_free(info: Info) -> int | None:
    """Free bytes of the APFS container, which all its volumes share; None for other file systems."""
    return _number(info, "APFSContainerFree")


def _encryption(info: Info) -> str | None:
    if _flag(info, "FileVault"):
        return "FileVault"
    encrypted = _flag(info, "Encryption")
    return None if encrypted is None else ("apfs" if encrypted else "off")


def _text(info: Info, key: str) -> str | None:
    found = info.get(key)
    return found.strip() or None if isinstance(found, str) else None


def _number(info: Info, key: str) -> int | None:
    found = info.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _flag(info: Info, key: str) -> bool | None:
    found = info.get(key)
    return found if isinstance(found, bool) else None
