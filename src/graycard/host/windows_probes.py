"""Windows: the probes. Each reads facts about a place from the system's calls or from one start of PowerShell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.link import link_facts
from graycard.host.portable import processor_facts
from graycard.host.runner import Runner
from graycard.host.windows_calls import FILE_READ_ONLY_VOLUME, FILE_VOLUME_IS_COMPRESSED, VolumeState
from graycard.host.windows_disks import (
    SCRIPT,
    Row,
    disk_facts,
    number,
    parse_answer,
    parse_ntfs,
    parse_table,
    row_of,
    rows,
    system_facts,
)
from graycard.host.windows_paths import server_of
from graycard.host.windows_smb import connection_facts
from graycard.model import Fact

# The largest file of FAT: its length is a 32-bit number.
_FAT_FILE_BYTES = 2**32 - 1
_POWERSHELL = ("powershell", "-NoProfile", "-NonInteractive", "-Command")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target lies: the root of its volume, what the system says of it, its disk, and whom to ask further."""

    root: str
    network: bool
    volume: VolumeState | None
    disk_number: int | None
    folder_compressed: bool
    run: Runner

    @property
    def disk(self) -> str | None:
        """Name of the disk ("PhysicalDrive0"); None for a share and a volume over several disks."""
        return f"PhysicalDrive{self.disk_number}" if self.disk_number is not None else None

    @property
    def source(self) -> str:
        """The disk or share that is mounted."""
        return self.disk or self.root.rstrip("\\")

    @property
    def file_system(self) -> str | None:
        """Type of the file system in small letters."""
        return self.volume.file_system.lower() if self.volume else None

    @property
    def read_only(self) -> bool:
        """Whether the volume is read-only."""
        return bool(self.volume and self.volume.flags & FILE_READ_ONLY_VOLUME)


def format_facts(place: Place) -> tuple[Fact, ...]:
    """How the volume is formatted and mounted."""
    volume = place.volume
    compressed = place.folder_compressed or bool(volume and volume.flags & FILE_VOLUME_IS_COMPRESSED)
    fat = place.file_system in {"fat", "fat32"}
    return (
        fact("file_system", place.file_system, "GetVolumeInformationW"),
        fact("mount_point", place.root, "GetVolumePathNameW"),
        fact("mount_source", place.source, "IOCTL_STORAGE_GET_DEVICE_NUMBER"),
        fact("mount_options", "read-only" if place.read_only else None, "GetVolumeInformationW"),
        fact("file_system_id", f"{volume.serial:08X}" if volume else None, "GetVolumeInformationW"),
        fact("volume_name", volume.label or None if volume else None, "GetVolumeInformationW"),
        fact("allocation_unit_bytes", volume.cluster_bytes if volume else None, "GetDiskFreeSpaceW"),
        fact("compression", "compressed" if compressed else "off", "FILE_ATTRIBUTE_COMPRESSED"),
        fact("file_size_limit_bytes", _FAT_FILE_BYTES if fat else None, "FAT"),
    )


def space_facts(place: Place) -> tuple[Fact, ...]:
    """How full it is."""
    volume, source = place.volume, "GetDiskFreeSpaceExW"
    used = 1 - volume.free_bytes / volume.size_bytes if volume and volume.size_bytes else None
    return (
        fact("size_bytes", volume.size_bytes if volume else None, source),
        fact("free_bytes", volume.free_bytes if volume else None, source),
        fact("used_ratio", used, source),
    )


def share_facts(place: Place) -> tuple[Fact, ...]:
    """The connection of a share; nothing for a local volume."""
    if not place.network:
        return ()
    return (
        fact("bus", "network", "GetDriveTypeW"),
        fact("server", server_of(place.root), "GetVolumePathNameW"),
    )


def machine_facts(place: Place) -> tuple[Fact, ...]:
    """The disk below a local volume or the share's connection, and the system: PowerShell is started once for all."""
    answer = parse_answer(place.run((*_POWERSHELL, SCRIPT)))
    medium = () if place.disk_number is None else _medium(place, place.disk_number, answer)
    share = connection_facts(rows(answer, "connections"), place.root) if place.network else ()
    return (*medium, *share, *processor_facts(), *system_facts(answer))


PROBES: tuple[Callable[[Place], tuple[Fact, ...]], ...] = (format_facts, space_facts, share_facts, machine_facts)


def _medium(place: Place, disk_number: int, answer: Row) -> tuple[Fact, ...]:
    physical = row_of(_physical(place, answer), "DeviceId", disk_number)
    disk = row_of(rows(answer, "disks"), "Number", disk_number)
    reliability = row_of(rows(answer, "reliability"), "DeviceId", disk_number)
    return (
        fact("device_name", place.disk, "IOCTL_STORAGE_GET_DEVICE_NUMBER"),
        *disk_facts(physical, disk, reliability),
        *_sectors(place, physical),
        *link_facts(None, "Windows tells users no negotiated rate"),
    )


def _physical(place: Place, answer: Row) -> tuple[Row, ...]:
    """The physical disks; from the bare table where PowerShell may not print objects as JSON."""
    return rows(answer, "physical") or parse_table(place.run((*_POWERSHELL, "Get-PhysicalDisk")))


def _sectors(place: Place, physical: Row) -> tuple[Fact, ...]:
    """Sector sizes, from fsutil where the table was all there is."""
    logical, real = number(physical, "LogicalSectorSize"), number(physical, "PhysicalSectorSize")
    source = "Get-PhysicalDisk"
    if (logical is None or real is None) and place.file_system == "ntfs":
        told = parse_ntfs(place.run(("fsutil", "fsinfo", "ntfsinfo", place.root.rstrip("\\"))))
        logical, real, source = told.get("Sector"), told.get("Physical Sector"), "fsutil fsinfo ntfsinfo"
    return (
        fact("logical_block_bytes", logical, source),
        fact("physical_block_bytes", real, source),
    )
