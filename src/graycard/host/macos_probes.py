"""macOS: the probes. Each reads facts about a place from a few commands, whose output is parsed elsewhere."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.link import Link, link_facts
from graycard.host.macos_disks import Info, bus_of, container_free, disk_facts, parse_info, volume_facts, whole_disk
from graycard.host.macos_links import DATA_TYPES, read_profile, read_registry, read_thunderbolt
from graycard.host.macos_mounts import Mount, Space, nfs_version, smb_version
from graycard.host.macos_smb import protection_facts
from graycard.host.portable import hashed, processor_facts
from graycard.host.runner import Runner
from graycard.model import Fact

_PROFILER = ("system_profiler", "-json", *DATA_TYPES)
_REGISTRY = ("ioreg", "-a", "-r", "-l", "-w0", "-c", "IOUSBHostDevice")
_SYSCTL = ("sysctl", "hw.memsize", "hw.model", "machdep.cpu.brand_string", "kern.hv_vmm_present", "vm.loadavg")
_POWER = {b"AC Power": "mains", b"Battery Power": "battery", b"UPS Power": "battery"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target lies: mount, space, diskutil's view of the volume (nothing for a share), whom to ask further."""

    mount: Mount
    space: Space
    info: Info
    run: Runner

    @property
    def disk(self) -> str | None:
        """BSD name of the whole disk below ("disk0"), None for a share."""
        return whole_disk(self.info)


def disk_info(device: str, run: Runner) -> Info:
    """What diskutil says of a disk or volume; empty if nothing."""
    return parse_info(run(("diskutil", "info", "-plist", device)))


def format_facts(place: Place) -> tuple[Fact, ...]:
    """How the volume is formatted and mounted."""
    mount = place.mount
    return (
        fact("file_system", mount.file_system, "mount"),
        fact("mount_point", mount.point, "df"),
        fact("mount_source", mount.shown_source, "mount"),
        fact("mount_options", ", ".join(mount.flags) or None, "mount"),
        *volume_facts(place.info, f"diskutil info {mount.source}"),
    )


def space_facts(place: Place) -> tuple[Fact, ...]:
    """How full it is. APFS volumes share the free space of their container, unless a quota leaves them less."""
    size_bytes, free_bytes = place.space.size_bytes, place.space.free_bytes
    shared = container_free(place.info)
    source = "df"
    if shared is not None and shared < free_bytes:
        free_bytes, source = shared, "diskutil info APFSContainerFree"
    return (
        fact("size_bytes", size_bytes, "df"),
        fact("free_bytes", free_bytes, source),
        fact("used_ratio", 1 - free_bytes / size_bytes if size_bytes else None, source),
    )


def share_facts(place: Place) -> tuple[Fact, ...]:
    """The connection of a share; nothing for a local volume."""
    mount = place.mount
    if not mount.network:
        return ()
    version, source = None, "not told for this protocol"
    protection: tuple[Fact, ...] = ()
    if mount.file_system == "smbfs":
        told = place.run(("smbutil", "statshares", "-m", mount.point))
        version, source, protection = smb_version(told), "smbutil statshares", protection_facts(told)
    elif mount.file_system == "nfs":
        version, source = nfs_version(place.run(("nfsstat", "-m", mount.point))), "nfsstat -m"
    return (
        fact("bus", "network", "mount"),
        fact("server", mount.server, "mount"),
        fact("protocol_version", version, source),
        *protection,
    )


def medium_facts(place: Place) -> tuple[Fact, ...]:
    """The disk below a local volume and its link; nothing for a share."""
    if place.disk is None:
        return ()
    disk = disk_info(place.disk, place.run)
    profile = place.run(_PROFILER)
    hardware = read_profile(profile, place.disk)
    link, source = _link(place, bus_of(disk), hardware.link, profile)
    return (
        *disk_facts(disk, f"diskutil info {place.disk}"),
        fact("device_firmware", hardware.firmware, "system_profiler device_revision"),
        fact("device_id", hashed(hardware.serial), "system_profiler device_serial, serial_num"),
        *link_facts(link, source),
    )


def system_facts(place: Place) -> tuple[Fact, ...]:
    """System, processor, memory, virtual machine, power, load."""
    told = _sysctl(place.run(_SYSCTL))
    product = place.run(("sw_vers", "-productVersion")).decode("utf-8", "replace").strip()
    virtual = {"1": told.get("hw.model", "unknown"), "0": "none"}.get(told.get("kern.hv_vmm_present", ""))
    memory = told.get("hw.memsize", "")
    return (
        fact("os_name", f"macOS {product}" if product else None, "sw_vers"),
        fact("kernel_version", platform.release() or None, "uname"),
        *processor_facts(),
        fact("cpu_model", told.get("machdep.cpu.brand_string"), "sysctl machdep.cpu.brand_string"),
        fact("memory_bytes", int(memory) if memory.isdigit() else None, "sysctl hw.memsize"),
        fact("virtual_machine", virtual, "sysctl kern.hv_vmm_present, hw.model"),
        fact("power_source", power_source(place.run(("pmset", "-g", "batt"))), "pmset -g batt"),
        fact("clock_source", "mach_absolute_time", "macOS"),
        fact("load_average", _first_load(told.get("vm.loadavg", "")), "sysctl vm.loadavg"),
    )


PROBES: tuple[Callable[[Place], tuple[Fact, ...]], ...] = (
    format_facts,
    space_facts,
    share_facts,
    medium_facts,
    system_facts,
)


def power_source(output: bytes) -> str | None:
    """Read "Now drawing from 'AC Power'": the quoted name is the key of IOPSCopyPowerSourcesInfo, never translated."""
    return next((word for name, word in _POWER.items() if b"'" + name + b"'" in output), None)


def _link(place: Place, bus: str | None, found: Link | None, profile: bytes) -> tuple[Link | None, str]:
    """The link that system_profiler states at the disk; else the registry's for USB, the ports' for Thunderbolt."""
    if found is None and bus == "usb" and place.disk:
        return read_registry(place.run(_REGISTRY), place.disk), "ioreg UsbLinkSpeed"
    if found is None and bus == "thunderbolt":
        return read_thunderbolt(profile), "system_profiler SPThunderboltDataType"
    return found, "system_profiler"


def _sysctl(output: bytes) -> Mapping[str, str]:
    pairs = (line.partition(": ") for line in output.decode("utf-8", "replace").split("\n"))
    return {name: value.strip() for name, _, value in pairs if value}


def _first_load(text: str) -> float | None:
    """The first of "{ 1,52 1,60 1,70 }": the separator follows the locale of the process, which the Runner sets."""
    words = text.split()
    try:
        return float(words[1]) if len(words) > 1 else None
    except ValueError:
        return None
