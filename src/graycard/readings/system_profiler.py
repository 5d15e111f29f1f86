"""Reads `system_profiler -json` and `-xml` of macOS: drives on USB, NVMe and SATA with their links, and volumes.

Since macOS 26 no disks stand below USB devices: then each USB device is a reading, told by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.host.link import Link, link_facts
from graycard.host.macos_disks import bus_of
from graycard.host.macos_links import profile_link
from graycard.host.portable import hashed
from graycard.importers.json_text import parse_json
from graycard.importers.text import lines
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.plist import parse_plist
from graycard.readings.tree import at, chains, flag, number, rows, sound, text, told

_TOOL = "system_profiler"
_KINDS = {"SPUSBDataType": "usb", "SPNVMeDataType": "nvme", "SPSerialATADataType": "sata", "SPStorageDataType": None}
_SIGN = re.compile("|".join(_KINDS))
_TEXT = re.compile(r"^(?:USB|NVMExpress|SATA/SATA Express|SATA|Storage):\n\n {4}\S", re.MULTILINE)
_ADVICE = f"system_profiler -json {' '.join(_KINDS)} > profile.json"
_SCHEMES = {"guid_partition_map_type": "gpt", "master_boot_record_map_type": "dos", "apple_partition_map_type": "apm"}
# Words for a speed or a width are short; what is longer is none.
_LONGEST_WORD = 40
_SPEEDS = ("device_speed", "spnvme_linkspeed", "spnvme_linkwidth", "spsata_negotiatedlinkspeed")

Chain = tuple[dict[str, Any], ...]


class SystemProfilerReader:
    """system_profiler's JSON and XML."""

    name = "system_profiler"

    def recognises(self, head: bytes) -> bool:
        """Whether a data type with drives stands in it, or its text, which is refused."""
        whole = lines(head).whole
        return bool(_SIGN.search(whole) or _TEXT.search(whole[:4000]))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each drive and volume; without any, for each USB device."""
        whole = lines(data).whole
        if not _SIGN.search(whole):
            raise ImportProblem(f"system_profiler's text is for people; give it -json: {_ADVICE}")
        kinds = _kinds(parse_json(whole, _TOOL) if whole.lstrip()[:1] in {"{", "["} else parse_plist(data, _TOOL))
        drives = [each for kind, bus in _KINDS.items() for each in _drives(kinds.get(kind), bus)]
        found = drives or [_device(chain) for chain in chains(kinds.get("SPUSBDataType"), "_items") if _link(chain)]
        if not found:
            raise ImportProblem(f"system_profiler lists no drive: run {_ADVICE}")
        return tuple(found)


def _kinds(document: Any) -> dict[str, Any]:
    """The lists by data type; XML has them one after the other."""
    if isinstance(document, dict):
        return document
    return {text(row, "_dataType") or "": row.get("_items") for row in rows(document)}


def _drives(tree: Any, bus: str | None) -> Iterator[Reading]:
    for chain in chains(tree, "_items", "Media"):
        if text(chain[-1], "bsd_name"):
            yield _volume(chain[-1]) if bus is None else _drive(chain, bus)
            yield from (_part(chain, row, bus) for row in rows(chain[-1].get("volumes")) if bus)


def _drive(chain: Chain, bus: str, part: dict[str, Any] | None = None) -> Reading:
    """A drive; with a part of it, that part on this drive."""
    disk = chain[-1]
    # What a USB device says of itself stands above its media.
    device = chain[-2] if bus == "usb" and len(chain) > 1 else disk
    facts = (*told(_drive_facts(disk, device, bus, part)), *sound(link_facts(_link(chain), "system_profiler speed")))
    names = (text(part or disk, "bsd_name"), text(part or disk, "_name"), text(disk, "_name"))
    points = tuple(point for point in (text(part, "mount_point"),) if point)
    return Reading(tuple(dict.fromkeys(name for name in names if name)), facts, points, text(disk, "bsd_name"))


def _part(chain: Chain, part: dict[str, Any], bus: str | None) -> Reading:
    return _drive(chain, bus or "", part)


def _drive_facts(
    disk: dict[str, Any], device: dict[str, Any], bus: str, part: dict[str, Any] | None
) -> Iterator[tuple[str, FactValue, str]]:
    # A USB device's serial number is what macOS knows it by; of NVMe every system does.
    serial = text(device, "device_serial") or (text(device, "serial_num") if bus == "usb" else None)
    solid = "solid" in (text(disk, "spsata_medium_type") or "").lower()
    yield "bus", bus, "system_profiler data type"
    yield "device_name", text(part or disk, "bsd_name"), "system_profiler bsd_name"
    yield "device_model", text(disk, "device_model") or text(disk, "_name"), "system_profiler device_model, _name"
    yield "device_firmware", text(device, "device_revision"), "system_profiler device_revision"
    yield "device_id", hashed(serial), "sha256 of system_profiler device_serial, serial_num"
    yield "device_size_bytes", number(disk, "size_in_bytes"), "system_profiler size_in_bytes"
    yield "rotational", False if bus == "nvme" or solid else None, "system_profiler data type, medium"
    yield "removable", flag(disk, "removable_media"), "system_profiler removable_media"
    yield "partition_scheme", _SCHEMES.get(text(disk, "partition_map_type") or ""), "system_profiler partition_map_type"
    yield "health", _health(text(disk, "smart_status")), "system_profiler smart_status"
    if part:
        yield from _of_volume(part)


def _of_volume(row: dict[str, Any]) -> Iterator[tuple[str, FactValue, str]]:
    point = text(row, "mount_point")
    yield "mount_point", point, "system_profiler mount_point"
    yield "file_system", (text(row, "file_system") or "").lower() or None, "system_profiler file_system"
    yield "file_system_id", text(row, "volume_uuid"), "system_profiler volume_uuid"
    yield "volume_name", text(row, "_name") if point else None, "system_profiler _name"
    yield "size_bytes", number(row, "size_in_bytes") if point else None, "system_profiler size_in_bytes"
    free = number(row, "free_space_in_bytes")
    yield "free_bytes", free, "system_profiler free_space_in_bytes"


def _volume(row: dict[str, Any]) -> Reading:
    """A volume of SPStorageDataType, which says on what drive it lies."""
    drive = at(row, "physical_drive")
    medium = text(drive, "medium_type")
    internal = flag(drive, "is_internal_disk")
    bus = bus_of({"BusProtocol": text(drive, "protocol") or "", "Internal": internal})
    facts = (
        ("device_name", text(row, "bsd_name"), "system_profiler bsd_name"),
        ("device_model", text(drive, "device_name"), "system_profiler device_name"),
        ("bus", bus, "system_profiler protocol, is_internal_disk"),
        ("internal", internal, "system_profiler is_internal_disk"),
        ("rotational", {"ssd": False, "rotational": True}.get(medium or ""), "system_profiler medium_type"),
        ("partition_scheme", _SCHEMES.get(text(drive, "partition_map_type") or ""), "system_profiler"),
        ("health", _health(text(drive, "smart_status")), "system_profiler smart_status"),
        ("writable", flag(row, "writable"), "system_profiler writable"),
        *_of_volume(row),
    )
    points = tuple(point for point in (text(row, "mount_point"),) if point)
    names = (text(row, "bsd_name"), text(row, "_name"), text(drive, "device_name"))
    return Reading(tuple(name for name in names if name), told(facts), points, text(row, "bsd_name"))


def _device(chain: Chain) -> Reading:
    """A USB device of which no disk is known."""
    name = text(chain[-1], "_name") or "unnamed USB device"
    said = "system_profiler _name"
    facts = (*told((("device_model", name, said), ("bus", "usb", "system_profiler data type"))),)
    return Reading((name,), (*facts, *sound(link_facts(_link(chain), "system_profiler device_speed"))))


def _link(chain: Chain) -> Link | None:
    """The nearest speed that is stated at the drive or above it."""
    return next((link for node in reversed(chain) if (link := profile_link(_speeds(node)))), None)


def _speeds(node: dict[str, Any]) -> dict[str, str]:
    words = {key: text(node, key) for key in _SPEEDS}
    return {key: word for key, word in words.items() if word and len(word) <= _LONGEST_WORD}


def _health(word: str | None) -> str | None:
    return {"verified": "passed", "failing": "failed"}.get((word or "").lower())
