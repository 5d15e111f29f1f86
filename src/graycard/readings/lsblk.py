"""Reads `lsblk -J` (util-linux): one reading for each disk, partition and mapping, with what its disk says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.facts import value
from graycard.host.linux.format_name import name_of_type
from graycard.host.portable import hashed
from graycard.importers.json_text import parse_json
from graycard.importers.text import lines
from graycard.model import Fact, FactValue
from graycard.protocols import Reading
from graycard.readings.sizes import is_rounded, share, size_bytes
from graycard.readings.tree import at, chains, flag, number, text, told

_TOOL = "lsblk"
_SIGN = re.compile(r'"blockdevices"\s{0,20}:')
_COLUMNS = re.compile(r"^NAME .{0,500}\bMAJ:MIN\b", re.MULTILINE)
_AS_TEXT = "lsblk's columns cannot be told apart where one is empty; give it -J: lsblk -J -b -O > lsblk.json"
_BUSES = {
    "ata": "sata",
    "sas": "sas",
    "sata": "sata",
    "usb": "usb",
    "nvme": "nvme",
    "mmc": "mmc",
    "fc": "fibre channel",
}
_BY_NAME = {"loop": "loop", "zram": "memory", "ram": "memory", "pmem": "memory", "nbd": "network", "mmcblk": "mmc"}

Chain = tuple[dict[str, Any], ...]


class LsblkReader:
    """lsblk's JSON, of every version."""

    name = "lsblk -J"

    def recognises(self, head: bytes) -> bool:
        """Whether it is lsblk's JSON, or its table, which is refused."""
        whole = lines(head).whole
        return bool(_SIGN.search(whole) or _COLUMNS.search(whole[:2000]))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each device; one below several disks has what they have in common."""
        whole = lines(data).whole
        if not _SIGN.search(whole):
            raise ImportProblem(_AS_TEXT)
        tree = at(parse_json(whole, _TOOL), "blockdevices")
        devices: dict[str, list[Chain]] = {}
        for chain in chains(tree, "children"):
            if name := text(chain[-1], "name"):
                devices.setdefault(name, []).append(chain)
        if not devices:
            raise ImportProblem("lsblk's JSON lists no device: run lsblk -J -b -O")
        return tuple(_reading(name, same) for name, same in devices.items())


def _reading(name: str, same: list[Chain]) -> Reading:
    """One device; one that lies on several disks is met below each of them."""
    node, disk = same[0][-1], same[0][0]
    points = tuple(dict.fromkeys(_points(node)))
    names = (name, text(node, "path") or f"/dev/{name}", text(node, "label"), text(disk, "model"))
    facts = told((*_facts(node, points), *_disk_facts(disk, node)))
    for other in same[1:]:
        facts = _in_common(facts, told(_disk_facts(other[0], node)))
    return Reading(tuple(each for each in names if each), facts, points, text(disk, "name"))


def _in_common(facts: tuple[Fact, ...], others: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Without what the other disk says otherwise."""
    different = {each.name for each in others if value(facts, each.name) != each.value}
    return tuple(each for each in facts if each.name not in different)


def _points(node: dict[str, Any]) -> Iterator[str]:
    listed = node.get("mountpoints")
    for found in (node.get("mountpoint"), *(listed if isinstance(listed, list) else ())):
        if isinstance(found, str) and found.startswith("/"):
            yield found


def _facts(node: dict[str, Any], points: tuple[str, ...]) -> Iterator[tuple[str, FactValue, str]]:
    kind = text(node, "fstype")
    yield "device_name", text(node, "name"), "lsblk name"
    yield "file_system", name_of_type(kind) if kind else None, "lsblk fstype"
    # Mounted at several places, each is as much its mount point as the other.
    yield "mount_point", points[0] if len(points) == 1 else None, "lsblk mountpoints"
    yield "volume_name", text(node, "label"), "lsblk label"
    yield "file_system_id", text(node, "uuid"), "lsblk uuid"
    yield "size_bytes", size_bytes(node, "fssize"), f"lsblk fssize{is_rounded(node, 'fssize')}"
    yield "free_bytes", size_bytes(node, "fsavail"), f"lsblk fsavail{is_rounded(node, 'fsavail')}"
    yield "used_ratio", share(node, "fsuse%"), "lsblk fsuse%"


def _disk_facts(disk: dict[str, Any], node: dict[str, Any]) -> Iterator[tuple[str, FactValue, str]]:
    name = text(disk, "name") or ""
    sectors = [found for each in (disk, node) if (found := number(each, "log-sec"))]
    yield "bus", _bus(disk), "lsblk tran, subsystems, name"
    yield "device_model", _model(disk), "lsblk vendor, model"
    yield "device_firmware", text(disk, "rev"), "lsblk rev"
    # What graycard itself knows a drive by is this number for NVMe alone.
    serial = text(disk, "serial") if name.startswith("nvme") else None
    yield "device_id", hashed(serial), "sha256 of lsblk serial"
    yield "device_size_bytes", size_bytes(disk, "size"), f"lsblk size{is_rounded(disk, 'size')}"
    yield "rotational", flag(disk, "rota"), "lsblk rota"
    yield "removable", flag(disk, "rm"), "lsblk rm"
    yield "partition_scheme", text(disk, "pttype") or text(node, "pttype"), "lsblk pttype"
    yield "logical_block_bytes", max(sectors, default=None), "lsblk log-sec"
    yield "physical_block_bytes", number(disk, "phy-sec"), "lsblk phy-sec"
    yield "io_scheduler", text(disk, "sched"), "lsblk sched"


def _model(disk: dict[str, Any]) -> str | None:
    model, vendor = text(disk, "model"), text(disk, "vendor")
    return f"{vendor} {model}" if model and vendor and vendor != "ATA" and not vendor.startswith("0x") else model


def _bus(disk: dict[str, Any]) -> str | None:
    transport = text(disk, "tran")
    if transport:
        return _BUSES.get(transport, transport)
    if "virtio" in (text(disk, "subsystems") or ""):
        return "virtio"
    name = text(disk, "name") or ""
    return next((bus for start, bus in _BY_NAME.items() if name.startswith(start)), None)
