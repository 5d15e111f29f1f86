"""The probes "system" and "business": the machine, its kernel, and how busy it is."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.linux.connection import joined
from graycard.host.linux.place import place_of
from graycard.host.linux.roots import HERE, Roots, names_in, read_number, read_text, read_word
from graycard.model import Fact, Target

_CLOCK = "devices/system/clocksource/clocksource0/current_clocksource"
# What hypervisors write into the machine's DMI texts, as systemd-detect-virt(1) knows them.
_VENDORS = (
    ("KVM", "KVM"),
    ("OpenStack", "KVM"),
    ("KubeVirt", "KVM"),
    ("Amazon EC2", "Amazon EC2"),
    ("QEMU", "QEMU"),
    ("VMware", "VMware"),
    ("VMW", "VMware"),
    ("innotek GmbH", "VirtualBox"),
    ("VirtualBox", "VirtualBox"),
    ("Xen", "Xen"),
    ("Bochs", "Bochs"),
    ("Parallels", "Parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "Hyper-V"),
    ("Virtual Machine", "Hyper-V"),
    ("Apple Virtualization", "Apple Virtualization"),
    ("Google Compute Engine", "Google Compute Engine"),
)
_DMI = ("product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version")


@dataclass(frozen=True, slots=True)
class SystemProbe:
    """Operating system, processor, memory, hypervisor, power, clock, scheduler."""

    roots: Roots = HERE
    name: str = "system"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """The facts of the factor "system"."""
        proc, sys = self.roots.proc, self.roots.sys
        disks = place_of(target, self.roots).disks
        schedulers = (scheduler(read_text(f"{disk.folder}/queue/scheduler")) for disk in disks)
        return (
            fact("os_name", _os_name(), "/etc/os-release"),
            fact("kernel_version", platform.release(), "uname"),
            fact("machine", platform.machine() or None, "uname"),
            fact("cpu_model", cpu_model(read_text(f"{proc}/cpuinfo")), "/proc/cpuinfo"),
            fact("cpu_count", len(os.sched_getaffinity(0)), "sched_getaffinity"),
            fact("memory_bytes", memory_bytes(read_text(f"{proc}/meminfo")), "/proc/meminfo MemTotal"),
            virtual_machine(self.roots),
            power_source(self.roots),
            fact("clock_source", read_word(f"{sys}/{_CLOCK}"), f"{sys}/{_CLOCK}"),
            fact("io_scheduler", joined(schedulers), "queue/scheduler in sysfs"),
        )


@dataclass(frozen=True, slots=True)
class BusinessProbe:
    """How much else is going on."""

    roots: Roots = HERE
    name: str = "business"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """The run queue over the last minute."""
        return (fact("load_average", os.getloadavg()[0], "getloadavg"),)


def scheduler(text: str | None) -> str | None:
    """The chosen one of "[none] mq-deadline"."""
    found = re.search(r"\[([^\]]+)\]", text or "")
    return found[1] if found else None


def cpu_model(text: str | None) -> str | None:
    """The processor's name: "model name" on x86, "Model" or "Hardware" on many ARM boards."""
    for name in ("model name", "Model", "Hardware", "cpu model"):
        found = re.search(rf"^{name}\s*: (.+)$", text or "", re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return None


def memory_bytes(text: str | None) -> int | None:
    """MemTotal of /proc/meminfo."""
    found = re.search(r"^MemTotal: +([0-9]+) kB", text or "", re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def virtual_machine(roots: Roots = HERE) -> Fact:
    """The hypervisor by the machine's DMI texts, by Xen's file, or by the processor's flag; "none" on bare x86.

    None where nothing tells: other processors have no such flag.
    """
    for name in _DMI:
        path = f"{roots.sys}/class/dmi/id/{name}"
        word = read_word(path) or ""
        for text, hypervisor in _VENDORS:
            if text in word:
                return fact("virtual_machine", hypervisor, path)
    kind = read_word(f"{roots.sys}/hypervisor/type")
    if kind is not None:
        return fact("virtual_machine", kind, f"{roots.sys}/hypervisor/type")
    found = re.search(r"^flags\s*: (.*)$", read_text(f"{roots.proc}/cpuinfo") or "", re.MULTILINE)
    if found is None:
        return fact("virtual_machine", None, "no DMI, no processor flags")
    inside = "hypervisor" in found[1].split()
    return fact("virtual_machine", "unnamed hypervisor" if inside else "none", "/proc/cpuinfo flags")


def power_source(roots: Roots = HERE) -> Fact:
    """Mains if any supply but a battery is online, battery if one discharges; None without a supply in sysfs."""
    root = f"{roots.sys}/class/power_supply"
    online, discharging = False, False
    for name in names_in(root):
        if read_word(f"{root}/{name}/type") == "Battery":
            own = read_word(f"{root}/{name}/scope") != "Device"
            discharging |= own and read_word(f"{root}/{name}/status") == "Discharging"
        else:
            online |= bool(read_number(f"{root}/{name}/online"))
    return fact("power_source", "mains" if online else "battery" if discharging else None, root)


def _os_name() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None
