"""The probe "condition": how warm, worn and healthy the drives say they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graycard.facts import fact
from graycard.host.linux.block import Device
from graycard.host.linux.hardware import controller_of
from graycard.host.linux.place import place_of
from graycard.host.linux.roots import HERE, Roots, names_in, read_number
from graycard.host.linux.smart import Smart, read_smart
from graycard.model import Fact, Target

_MILLI = 1000.0  # hwmon tells thousandths of a degree


@dataclass(frozen=True, slots=True)
class ConditionProbe:
    """Of several drives the warmest, most worn and worst counts."""

    roots: Roots = HERE
    name: str = "condition"

    def read(self, target: Target) -> tuple[Fact, ...]:
        """Temperature and its limit from hwmon, else from SMART; wear and health from SMART."""
        disks = place_of(target, self.roots).disks
        told = [(disk.name, asked) for disk in disks if (asked := read_smart(disk, self.roots)) is not None]
        smart = [each for _, each in told]
        now, limit = temperature(disks), _hwmon(disks, min, "temp1_max", "temp1_crit")
        health = {each.health for each in smart}
        by = (
            f"smartctl {' '.join(name for name, _ in told)}" if told else "no SMART: no smartctl, no right, or no drive"
        )
        return (
            now if now.value is not None else fact(now.name, _worst(smart, "temperature_celsius"), by),
            fact("temperature_limit_celsius", limit[0], limit[1])
            if limit[0] is not None
            else fact("temperature_limit_celsius", _worst(smart, "temperature_limit_celsius", min), by),
            fact("throttled", _worst(smart, "throttled"), by),
            fact("wear_ratio", _worst(smart, "wear_ratio"), by),
            fact("health", "failed" if "failed" in health else "passed" if health == {"passed"} else None, by),
        )


def temperature(disks: Sequence[Device]) -> Fact:
    """The warmest drive's temperature as hwmon tells it (drivers nvme and drivetemp): cheap, no program is run."""
    return fact("temperature_celsius", *_hwmon(disks, max, "temp1_input"))


def _hwmon(
    disks: Sequence[Device], choose: Callable[[Iterable[float]], float], *names: str
) -> tuple[float | None, str]:
    found = [reading for disk in disks if (reading := _reading(disk, names)) is not None]
    if not found:
        return None, "no hwmon sensor"
    value = choose(celsius for celsius, _ in found)
    return value, next(path for celsius, path in found if celsius == value)


def _reading(disk: Device, names: tuple[str, ...]) -> tuple[float, str] | None:
    for name in names:
        for folder in _sensor_folders(disk):
            milli = read_number(f"{folder}/{name}")
            if milli:
                return milli / _MILLI, f"{folder}/{name}"
    return None


def _sensor_folders(disk: Device) -> tuple[str, ...]:
    """NVMe: the controller holds hwmonN; SATA with drivetemp: device/hwmon/hwmonN."""
    around = [f"{disk.folder}/device", f"{disk.folder}/device/hwmon"]
    if disk.name.startswith("nvme"):
        around.append(controller_of(disk))
    return tuple(f"{folder}/{name}" for folder in around for name in names_in(folder) if name.startswith("hwmon"))


def _worst(smart: Sequence[Smart], name: str, choose: Callable[[list[float]], float] = max) -> float | None:
    found = [value for each in smart if (value := getattr(each, name)) is not None]
    return choose(found) if found else None
