"""Reads `diskutil info -plist` (one disk or volume) and `diskutil list -plist` (all of them) of macOS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.host.macos_disks import disk_facts, volume_facts, whole_disk
from graycard.importers.text import lines
from graycard.model import Fact, FactValue
from graycard.protocols import Reading
from graycard.readings.plist import parse_plist
from graycard.readings.tree import at, chains, flag, number, rows, sound, text, told

_TOOL = "diskutil"
_SIGN = re.compile(r"<key>(?:DeviceIdentifier|AllDisksAndPartitions|AllDisks)</key>")
_TABLE = re.compile(r"^ {3}(?:Device Identifier: {2}|\d{1,2}: {2,30}\S.{0,80} disk\d)", re.MULTILINE)
_AS_TEXT = "diskutil's table is for people; give it -plist: diskutil info -plist DISK > disk.plist"
_SCHEMES = {"GUID_partition_scheme": "gpt", "FDisk_partition_scheme": "dos", "Apple_partition_scheme": "apm"}
# What diskutil info says of the thing it was asked about, where that is only a part of the disk.
_OF_WHOLE_DISKS = {"device_size_bytes", "partition_scheme"}


class DiskutilReader:
    """diskutil's property lists."""

    name = "diskutil -plist"

    def recognises(self, head: bytes) -> bool:
        """Whether diskutil's keys stand in it, or its table, which is refused."""
        whole = lines(head).whole
        return bool(_SIGN.search(whole) or _TABLE.search(whole[:4000]))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each disk and volume."""
        if not _SIGN.search(lines(data).whole):
            raise ImportProblem(_AS_TEXT)
        document = parse_plist(data, _TOOL)
        listed = at(document, "AllDisksAndPartitions")
        if listed is not None:
            found = tuple(_listed(chain) for chain in chains(listed, "Partitions", "APFSVolumes") if _name(chain[-1]))
        else:
            found = tuple(_info(info) for info in rows(document) if _name(info))
        if not found:
            raise ImportProblem("diskutil's property list names no disk: give it the disk, as disk2")
        return found


def _name(told_of: dict[str, Any]) -> str | None:
    return text(told_of, "DeviceIdentifier")


def _names(info: dict[str, Any]) -> tuple[str, ...]:
    name = _name(info)
    found = (name, f"/dev/{name}", text(info, "VolumeName"), text(info, "MediaName"))
    return tuple(each for each in found if each)


def _points(info: dict[str, Any]) -> tuple[str, ...]:
    point = at(info, "MountPoint")
    return (point,) if isinstance(point, str) and point.startswith("/") else ()


def _info(info: dict[str, Any]) -> Reading:
    name = _name(info)
    said = f"diskutil info {name}"
    is_whole = flag(info, "WholeDisk") or text(info, "ParentWholeDisk") == name
    disk = (each for each in disk_facts(info, said) if is_whole or each.name not in _OF_WHOLE_DISKS)
    facts = (*sound(disk), *sound(volume_facts(info, said)), *told(_volume(info, said)))
    return Reading(_names(info), _each_once(facts), _points(info), whole_disk(info) or name)


def _volume(info: dict[str, Any], said: str) -> Iterator[tuple[str, FactValue, str]]:
    points = _points(info)
    yield "internal", flag(info, "Internal"), f"{said} Internal"
    yield "removable", flag(info, "RemovableMedia"), f"{said} RemovableMedia"
    yield "file_system", text(info, "FilesystemType"), f"{said} FilesystemType"
    if not points:
        return
    size, container = number(info, "VolumeSize") or number(info, "TotalSize"), number(info, "APFSContainerFree")
    free = container if container is not None else number(info, "FreeSpace")
    yield "mount_point", points[0], f"{said} MountPoint"
    yield "mount_source", text(info, "DeviceNode"), f"{said} DeviceNode"
    yield "writable", flag(info, "WritableVolume"), f"{said} WritableVolume"
    yield "size_bytes", size, f"{said} VolumeSize, TotalSize"
    yield "free_bytes", free, f"{said} APFSContainerFree, FreeSpace"
    yield "used_ratio", 1 - free / size if size and free is not None and free <= size else None, f"{said} FreeSpace"


def _each_once(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple({each.name: each for each in facts}.values())


def _listed(chain: tuple[dict[str, Any], ...]) -> Reading:
    node, disk = chain[-1], chain[0]
    points = _points(node)
    said = "diskutil list"
    facts: tuple[tuple[str, FactValue, str], ...] = (
        ("device_name", _name(node), f"{said} DeviceIdentifier"),
        ("partition_scheme", _SCHEMES.get(text(disk, "Content") or ""), f"{said} Content"),
        ("device_size_bytes", number(disk, "Size"), f"{said} Size"),
        ("mount_point", points[0] if points else None, f"{said} MountPoint"),
        ("size_bytes", number(node, "Size") if points else None, f"{said} Size"),
        ("volume_name", text(node, "VolumeName"), f"{said} VolumeName"),
        ("file_system_id", text(node, "VolumeUUID"), f"{said} VolumeUUID"),
    )
    return Reading(_names(node), told(facts), points, _name(disk))
