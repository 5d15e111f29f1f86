"""What either end tells of its network adapter, as facts: nothing is taken that is not of the right kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graycard.facts import fact
from graycard.host.link import Link
from graycard.model import Fact, FactValue

_MOST = 1 << 50
_LONGEST = 60
_TEXTS = ("network_interface", "link_medium", "adapter_bus", "wifi_band")
_NUMBERS = (
    "link_bits_per_s", "adapter_bus_rate_bits_per_s", "adapter_bus_possible_bits_per_s", "adapter_lane_count",
    "adapter_possible_lane_count", "wifi_sent_bits_per_s", "wifi_received_bits_per_s", "wifi_signal_dbm",
)  # fmt: skip


def adapter_facts(told: Mapping[str, Any], source: str) -> Iterator[Fact]:
    """The facts of what `agent.adapters` gives, with the most that can pass the adapter's bus."""
    known: dict[str, FactValue] = {name: told[name] for name in _TEXTS if _is_text(told.get(name))}
    known.update((name, told[name]) for name in _NUMBERS if _is_number(told.get(name)))
    for name, value in known.items():
        yield fact(name, value, source)
    ceiling = bus_ceiling(
        known.get("adapter_bus"), known.get("adapter_bus_rate_bits_per_s"), known.get("adapter_lane_count")
    )
    if ceiling is not None:
        yield fact("adapter_bus_ceiling_bytes_per_s", ceiling, f"{source}, after its line coding")


def bus_ceiling(bus: FactValue, bits_per_s: FactValue, lane_count: FactValue) -> float | None:
    """Bytes/s that USB or PCIe leave of their negotiated rate; None where that is not known."""
    if not isinstance(bits_per_s, int) or bits_per_s <= 0:
        return None
    if bus == "usb":
        return Link.usb(bits_per_s).ceiling_bytes_per_s
    if bus == "pcie" and isinstance(lane_count, int) and lane_count > 0:
        return Link.pcie(bits_per_s // lane_count, lane_count).ceiling_bytes_per_s
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST
