"""Reads `Get-PhysicalDisk | ConvertTo-Json` and `Get-Disk | ConvertTo-Json` of Windows, and the former's own table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.host.windows_disks import disk_facts, parse_table
from graycard.importers.json_text import parse_json
from graycard.importers.text import lines
from graycard.protocols import Reading
from graycard.readings.tree import at, number, rows, sound, text, told

_TOOL = "Get-PhysicalDisk"
_SIGN = re.compile(r'"FriendlyName"\s{0,9}:')
_KIND = re.compile(r'"(?:MediaType|BusType)"\s{0,9}:')
_TABLE = re.compile(r"^(?:Number|DeviceId) {1,9}FriendlyName {1,60}[^\n]{0,60}\bMediaType\b", re.MULTILINE)


class PhysicalDiskReader:
    """PowerShell's JSON of physical disks; enumerations as numbers or as words."""

    name = _TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether the properties of a disk stand in it, or the table's header."""
        whole = lines(head).whole
        return bool((_SIGN.search(whole) and _KIND.search(whole)) or _TABLE.search(whole))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each disk."""
        text_ = lines(data)
        if _SIGN.search(text_.whole):
            disks = list(_listed(parse_json(text_.whole, _TOOL)))
        else:
            table = _TABLE.search(text_.plain)
            disks = (
                [dict(row) for row in parse_table(text_.plain[table.start() :].partition("\n\n")[0].encode())]
                if table
                else []
            )
        found = tuple(reading for disk in disks if (reading := _reading(disk)).names)
        if not found:
            raise ImportProblem(f"{_TOOL} lists no disk: run Get-PhysicalDisk | ConvertTo-Json in PowerShell")
        return found


def _listed(document: Any) -> Iterator[dict[str, Any]]:
    """The disks: alone, in a list, or in "value" beside their count, as ConvertTo-Json -InputObject has them."""
    for row in rows(document):
        inner = rows(row.get("value")) if "value" in row and "FriendlyName" not in row else [row]
        yield from (each for each in inner if text(each, "FriendlyName"))


def _reading(disk: dict[str, Any]) -> Reading:
    # Properties are numbers and words; a list of them, as OperationalStatus, is none that is used.
    disk = {
        name: value for name, value in disk.items() if isinstance(value, (str, int)) and not isinstance(value, bool)
    }
    place = at(disk, "DeviceId")
    number_ = place if place is not None else at(disk, "Number")
    known = (
        str(number_) if isinstance(number_, (int, str)) and str(number_).isdecimal() and len(str(number_)) < 6 else None
    )
    drive = f"PhysicalDrive{known}" if known else None
    names = (drive, rf"\\.\{drive}" if drive else None, text(disk, "FriendlyName"))
    sectors = (
        ("logical_block_bytes", number(disk, "LogicalSectorSize"), f"{_TOOL} LogicalSectorSize"),
        ("physical_block_bytes", number(disk, "PhysicalSectorSize"), f"{_TOOL} PhysicalSectorSize"),
        ("device_name", drive, f"{_TOOL} DeviceId"),
    )
    return Reading(
        tuple(name for name in names if name), (*sound(disk_facts(disk, disk, {})), *told(sectors)), (), drive
    )
