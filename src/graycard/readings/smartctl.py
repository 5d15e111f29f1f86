"""Reads `smartctl -j` (smartmontools 7): NVMe, ATA and SCSI drives, one document a drive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.host.linux.smart import smart_of
from graycard.host.portable import hashed
from graycard.importers.json_text import parse_json
from graycard.importers.text import lines
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.tree import at, flag, number, rows, text, told

_TOOL = "smartctl"
_SIGN = re.compile(
    r'"(?:smartctl|smart_status|nvme_smart_health_information_log|ata_smart_attributes)"\s{0,20}:\s{0,20}\{'
)
# A unit of NVMe's counters is 1000 blocks of 512 bytes (NVM Express 2.0, figure 207).
_DATA_UNIT_BYTES = 512_000
_HOUR_NS = 3600 * 10**9
_MINUTE_NS = 60 * 10**9


class SmartctlReader:
    """smartctl's JSON."""

    name = "smartctl -j"

    def recognises(self, head: bytes) -> bool:
        """Whether smartctl's own words stand in it."""
        return _SIGN.search(lines(head).whole) is not None

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each drive; ImportProblem where smartctl could not ask one."""
        documents = list(_documents(parse_json(data, _TOOL)))
        readings = [reading for each in documents if (reading := _reading(each)).facts]
        if not readings:
            raise ImportProblem(_trouble(documents))
        return tuple(readings)


def _documents(found: Any) -> Iterator[dict[str, Any]]:
    """Smartctl's own objects: alone, in a list, or below names that a script gave them."""
    for row in rows(found):
        inner = [each for each in rows(list(row.values())) if "device" in each or "smartctl" in each]
        yield from inner if inner and "device" not in row else (row,)


def _reading(document: dict[str, Any]) -> Reading:
    node = text(document, "device", "name")
    names = (node, node.rpartition("/")[2] if node else None, text(document, "model_name"))
    return Reading(tuple(name for name in names if name) or ("the drive",), told(_facts(document)), whole=node)


def _trouble(documents: list[dict[str, Any]]) -> str:
    messages = (text(row, "string") for each in documents for row in rows(at(each, "smartctl", "messages")))
    says = next((message for message in messages if message), "it says nothing of a drive")
    return f"smartctl could not ask the drive ({says}); run it as root, or tell it the kind of drive by -d"


def _facts(document: dict[str, Any]) -> Iterator[tuple[str, FactValue, str]]:
    is_nvme = at(document, "device", "type") == "nvme"
    turns = number(document, "rotation_rate")
    yield "device_model", text(document, "model_name") or text(document, "scsi_model_name"), "smartctl model_name"
    firmware = text(document, "firmware_version") or text(document, "revision") or text(document, "scsi_revision")
    yield "device_firmware", firmware, "smartctl firmware_version"
    # Only of NVMe the serial number is what other systems know the drive by: bridges have ids of their own.
    yield "device_id", hashed(text(document, "serial_number")) if is_nvme else None, "sha256 of smartctl serial_number"
    yield "device_size_bytes", number(document, "user_capacity", "bytes"), "smartctl user_capacity"
    yield "rotational", False if is_nvme else None if turns is None else turns > 0, "smartctl rotation_rate"
    yield "logical_block_bytes", number(document, "logical_block_size"), "smartctl logical_block_size"
    yield "physical_block_bytes", number(document, "physical_block_size"), "smartctl physical_block_size"
    yield "bus", "nvme" if is_nvme else None, "smartctl device.type"
    yield "drive_link_bits_per_s", _link_bits_per_s(document), "smartctl interface_speed.current"
    yield from _condition(document)


def _condition(document: dict[str, Any]) -> Iterator[tuple[str, FactValue, str]]:
    smart = smart_of(document)
    when = text(document, "local_time", "asctime")
    at_that_time = f", {when}" if when else ""
    yield (
        "health",
        smart.health if flag(document, "smart_status", "passed") is not None else None,
        "smartctl smart_status",
    )
    yield "wear_ratio", _quantity(smart.wear_ratio), "smartctl percentage_used"
    yield "temperature_celsius", _quantity(smart.temperature_celsius), f"smartctl temperature.current{at_that_time}"
    yield "temperature_limit_celsius", _quantity(smart.temperature_limit_celsius), "smartctl temperature limits"
    yield "throttled", smart.throttled, f"smartctl critical_warning{at_that_time}"
    hours = number(document, "power_on_time", "hours")
    minutes = number(document, "power_on_time", "minutes") or 0
    on_ns = None if hours is None else round(hours * _HOUR_NS + minutes * _MINUTE_NS)
    yield "power_on_ns", on_ns, f"smartctl power_on_time{at_that_time}"
    units = number(document, "nvme_smart_health_information_log", "data_units_written")
    written = None if units is None else units * _DATA_UNIT_BYTES
    yield "life_written_bytes", written, f"smartctl data_units_written{at_that_time}"


def _link_bits_per_s(document: dict[str, Any]) -> FactValue:
    units = number(document, "interface_speed", "current", "units_per_second")
    bits = number(document, "interface_speed", "current", "bits_per_unit")
    return units * bits if units and bits else None


def _quantity(found: object) -> float | int | None:
    return number({"it": found}, "it")
