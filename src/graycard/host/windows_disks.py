"""Windows: facts from what PowerShell and fsutil say. Enumerations come as numbers or as untranslated words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from graycard.facts import fact
from graycard.host.portable import hashed
from graycard.model import Fact

Row = Mapping[str, object]

_FIELDS = (
    "DeviceId,FriendlyName,SerialNumber,FirmwareVersion,BusType,MediaType,HealthStatus,"
    "LogicalSectorSize,PhysicalSectorSize,Size"
)
# One start of PowerShell for everything: each takes about a second.
SCRIPT = (
    "[Console]::OutputEncoding=New-Object Text.UTF8Encoding;"
    "$ErrorActionPreference='SilentlyContinue';"
    "$d=@(Get-PhysicalDisk);"
    "@{"
    f"physical=@($d|Select-Object {_FIELDS});"
    "reliability=@($d|Get-StorageReliabilityCounter|Select-Object DeviceId,Temperature,TemperatureMax,Wear);"
    "disks=@(Get-Disk|Select-Object Number,PartitionStyle);"
    "system=Get-CimInstance Win32_OperatingSystem|Select-Object Caption,Version;"
    "computer=Get-CimInstance Win32_ComputerSystem"
    "|Select-Object Manufacturer,Model,HypervisorPresent,TotalPhysicalMemory;"
    "processors=@(Get-CimInstance Win32_Processor|Select-Object Name);"
    "connections=@(Get-SmbConnection|Select-Object ServerName,ShareName,Dialect,Signed,Encrypted)"
    "}|ConvertTo-Json -Depth 3 -Compress"
)
# MSFT_PhysicalDisk and MSFT_Disk of the Windows Storage Management API. PowerShell 5.1 prints the words.
_BUS_NUMBERS = (
    *(None, "scsi", "atapi", "ata", "firewire", None, "fibre channel", "usb", "raid", "iscsi", "sas", "sata"),
    *("mmc", "mmc", None, "disk image", "storage spaces", "nvme", "scm", "ufs"),
)
_BUS_WORDS = {"1394": "firewire", "sd": "mmc", "file backed virtual": "disk image", "spaces": "storage spaces"}
_ROTATIONAL: dict[object, bool] = {3: True, 4: False, 5: False, "hdd": True, "ssd": False, "scm": False}
_HEALTH: dict[object, str] = {0: "passed", 1: "warning", 2: "failed", "healthy": "passed", "unhealthy": "failed"}
_SCHEMES: dict[object, str] = {1: "dos", 2: "gpt", "mbr": "dos", "gpt": "gpt"}
_UNKNOWN = {"", "unknown", "unspecified"}
_VIRTUAL = re.compile(
    r"VMware|VirtualBox|Virtual Machine|QEMU|KVM|Xen|HVM domU|Parallels|Bochs|Amazon EC2|Google Compute"
)
_TABLE_UNITS = {"KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40, "PB": 2**50}
_SIZE = re.compile(r"(?<![\d.,])(\d{1,12}(?:[.,]\d{1,12})?) ([KMGTP]B)\s*$")
_NTFS = re.compile(r"^Bytes Per (Sector|Physical Sector|Cluster)\s*:\s*(\d+)", re.MULTILINE)


def parse_answer(output: bytes) -> Row:
    """The object that `SCRIPT` prints; empty where there is none."""
    try:
        found = json.loads(output.decode("utf-8-sig", "replace"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def parse_table(output: bytes) -> tuple[Row, ...]:
    """The table that a bare `Get-PhysicalDisk` prints, as rows with the names of the objects' properties.

    For sessions that may not run ConvertTo-Json. Columns begin where their dashes do, so empty cells stay empty; the
    size is flush right, counts in powers of 1024, and is rounded.
    """
    lines = output.decode("utf-8-sig", "replace").splitlines()
    ruler = next((at for at, line in enumerate(lines) if at and re.fullmatch(r"[- ]*-[- ]*", line)), None)
    if ruler is None:
        return ()
    starts = [found.start() for found in re.finditer("-+", lines[ruler])]
    names = ["DeviceId" if name == "Number" else name for name in _cells(lines[ruler - 1], starts)]
    return tuple(_table_row(line, names, starts) for line in lines[ruler + 1 :] if line.strip())


def parse_ntfs(output: bytes) -> Mapping[str, int]:
    """Bytes per "Sector", "Physical Sector" and "Cluster" of `fsutil fsinfo ntfsinfo`; empty where it is translated."""
    text = output.decode("ascii", "replace").replace("\r", "")
    return {name: int(value) for name, value in _NTFS.findall(text)}


def rows(answer: Row, key: str) -> tuple[Row, ...]:
    """The objects under a key; PowerShell writes a single one without a list."""
    found = answer.get(key)
    entries = found if isinstance(found, Sequence) else [found]
    return tuple(entry for entry in entries if isinstance(entry, dict))


def row_of(entries: Sequence[Row], key: str, disk_number: int) -> Row:
    """The row whose key is the disk's number, written as a number or a text; empty if none."""
    return next((row for row in entries if str(row.get(key)) == str(disk_number)), {})


def disk_facts(physical: Row, disk: Row, reliability: Row) -> tuple[Fact, ...]:
    """The medium: from MSFT_PhysicalDisk, MSFT_Disk and the reliability counters of one disk."""
    source, counters = "Get-PhysicalDisk", "Get-StorageReliabilityCounter"
    celsius = number(reliability, "Temperature") or None  # 0 is what drives without a sensor give
    wear = number(reliability, "Wear") if celsius else None
    return (
        fact("bus", _bus(physical), f"{source} BusType"),
        fact("partition_scheme", _SCHEMES.get(_key(disk, "PartitionStyle")), "Get-Disk PartitionStyle"),
        fact("device_model", text(physical, "FriendlyName"), f"{source} FriendlyName"),
        fact("device_firmware", text(physical, "FirmwareVersion"), f"{source} FirmwareVersion"),
        fact("device_id", hashed(text(physical, "SerialNumber")), f"{source} SerialNumber"),
        fact("device_size_bytes", number(physical, "Size"), f"{source} Size"),
        fact("rotational", _ROTATIONAL.get(_key(physical, "MediaType")), f"{source} MediaType"),
        fact("health", _HEALTH.get(_key(physical, "HealthStatus")), f"{source} HealthStatus"),
        fact("temperature_celsius", celsius, f"{counters} Temperature"),
        fact("temperature_limit_celsius", number(reliability, "TemperatureMax") or None, f"{counters} TemperatureMax"),
        fact("wear_ratio", wear / 100 if wear is not None else None, f"{counters} Wear"),
    )


def system_facts(answer: Row) -> tuple[Fact, ...]:
    """System, processor, memory, hypervisor."""
    system, computer, processor = (next(iter(rows(answer, key)), {}) for key in ("system", "computer", "processors"))
    return (
        fact("os_name", (text(system, "Caption") or "").removeprefix("Microsoft ") or None, "Win32_OperatingSystem"),
        fact("kernel_version", text(system, "Version"), "Win32_OperatingSystem Version"),
        fact("cpu_model", text(processor, "Name"), "Win32_Processor Name"),
        fact("memory_bytes", number(computer, "TotalPhysicalMemory"), "Win32_ComputerSystem TotalPhysicalMemory"),
        fact("virtual_machine", _hypervisor(computer), "Win32_ComputerSystem Manufacturer, Model, HypervisorPresent"),
    )


def text(row: Row, key: str) -> str | None:
    """A text without blanks around it; None where it is absent or empty."""
    found = row.get(key)
    return found.strip() or None if isinstance(found, str) else None


def number(row: Row, key: str) -> int | None:
    """A whole number, or None."""
    found = row.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _key(row: Row, key: str) -> object:
    found = row.get(key)
    return found.lower() if isinstance(found, str) else found


def _bus(row: Row) -> str | None:
    key = _key(row, "BusType")
    if isinstance(key, int):
        return _BUS_NUMBERS[key] if 0 <= key < len(_BUS_NUMBERS) else None
    return _BUS_WORDS.get(key, key) if isinstance(key, str) and key not in _UNKNOWN else None


def _hypervisor(computer: Row) -> str | None:
    """The name where the maker's name tells it; Windows that runs its own hypervisor says it is present, too."""
    name = " ".join(filter(None, (text(computer, "Manufacturer"), text(computer, "Model"))))
    if _VIRTUAL.search(name):
        return name
    return "none" if computer.get("HypervisorPresent") is False else None


def _cells(line: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], len(line)]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _table_row(line: str, names: Sequence[str], starts: Sequence[int]) -> Row:
    size = _SIZE.search(line)
    row: dict[str, object] = dict(zip(names, _cells(line, starts), strict=True))
    row["Size"] = round(float(size[1].replace(",", ".")) * _TABLE_UNITS[size[2]]) if size else None
    return row
