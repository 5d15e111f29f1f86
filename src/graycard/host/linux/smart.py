"""What a drive says of itself, by `smartctl --json` (smartmontools 7): forms for NVMe, ATA and SCSI."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import Any

from graycard.host.linux.block import Device
from graycard.host.linux.hardware import bus_of
from graycard.host.linux.roots import HERE, Roots

_PATIENCE_S = 3.0
_BUSES = {"nvme", "thunderbolt", "sata", "sas", "usb"}
_TOO_WARM = 0x02  # critical warning of NVMe: temperature over or under its threshold (NVM Express 2.0, figure 207)
# ATA attributes whose normalised value counts down from 100 as an SSD wears (names of smartmontools' database).
_LIFE_LEFT = {"SSD_Life_Left", "Percent_Lifetime_Remain", "Media_Wearout_Indicator", "Wear_Leveling_Count"}


@dataclass(frozen=True, slots=True)
class Smart:
    """Health ("passed", "failed"), wear (1.0 is the rated endurance) and heat; what is not told is None."""

    health: str | None = None
    wear_ratio: float | None = None
    temperature_celsius: float | None = None
    temperature_limit_celsius: float | None = None
    throttled: bool | None = None


def read_smart(disk: Device, roots: Roots = HERE) -> Smart | None:
    """Ask the drive, unless it sleeps; None where smartctl is missing, not permitted, or takes over 3 s."""
    node = f"{roots.dev}/{disk.name}"
    if bus_of(disk) not in _BUSES or not os.access(node, os.R_OK):
        return None
    command = ["smartctl", "--json", "--nocheck=standby", "--info", "--health", "--attributes", node]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_smart(done.stdout)


def parse_smart(text: bytes) -> Smart:
    """Read smartctl's JSON of any of the three forms; all None for text that is not JSON."""
    try:
        return smart_of(json.loads(text))
    except ValueError:
        return Smart()


def smart_of(told: Any) -> Smart:
    """What a document of smartctl's tells, of any of the three forms; None for what is absent."""
    passed = _at(told, "smart_status", "passed")
    warning = _at(told, "nvme_smart_health_information_log", "critical_warning")
    return Smart(
        None if passed is None else "passed" if passed else "failed",
        _wear_ratio(told),
        _at(told, "temperature", "current"),
        _limit_celsius(told),
        bool(warning & _TOO_WARM) if isinstance(warning, int) else None,
    )


def _wear_ratio(told: dict[str, Any]) -> float | None:
    percent = _first(
        _at(told, "nvme_smart_health_information_log", "percentage_used"),
        _at(told, "endurance_used", "current_percent"),
        _at(told, "scsi_percentage_used_endurance_indicator"),
    )
    if percent is None:
        table = _at(told, "ata_smart_attributes", "table")
        rows = table if isinstance(table, list) else []
        left = [_at(row, "value") for row in rows if _at(row, "name") in _LIFE_LEFT]
        percent = 100 - left[0] if left and isinstance(left[0], int) else None
    return percent / 100 if isinstance(percent, int) else None


def _limit_celsius(told: dict[str, Any]) -> float | None:
    return _first(
        _at(told, "nvme_composite_temperature_threshold", "warning"),
        _at(told, "temperature", "op_limit_max"),
        _at(told, "temperature", "drive_trip"),
    )


def _at(told: Any, *keys: str) -> Any:
    for key in keys:
        told = told.get(key) if isinstance(told, dict) else None
    return told


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)
