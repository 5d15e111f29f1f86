"""macOS: negotiated links, from the trees of `system_profiler -json` and `ioreg -a`.

A disk is found in a tree by its BSD name ("disk2"); the nearest entry above it that states a speed is its link.
Since macOS 26 system_profiler lists no disks below its USB devices; the I/O registry does on every version.
"""

from __future__ import annotations

import json
import plistlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from xml.parsers.expat import ExpatError

from graycard.host.link import Link

DATA_TYPES = ("SPUSBDataType", "SPNVMeDataType", "SPSerialATADataType", "SPThunderboltDataType")

Node = Mapping[str, object]

_CHILDREN = ("_items", "Media", "IORegistryEntryChildren")
_NAMES = ("bsd_name", "BSD Name")
# The words of system_profiler up to macOS 15; their rates are those of the USB specifications.
_USB_WORDS = {
    "low_speed": 1_500_000,
    "full_speed": 12_000_000,
    "high_speed": 480_000_000,
    "super_speed": 5_000_000_000,
    "super_speed_plus": 10_000_000_000,
    "super_speed_plus_by2": 20_000_000_000,
}
_RATE = re.compile(r"(\d+(?:[.,]\d+)?)[\s_]*([MG])")
_UNITS = {"M": 1_000_000, "G": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Hardware:
    """What one tree says of one disk; None for what it does not."""

    link: Link | None = None
    firmware: str | None = None
    serial: str | None = None


def read_profile(output: bytes, disk: str) -> Hardware:
    """A disk in the output of `system_profiler -json` with `DATA_TYPES`; USB, NVMe and SATA."""
    profile = _json(output)
    chains = (chain for kind in DATA_TYPES for chain in _chains(profile.get(kind), disk))
    chain = next(chains, ())
    if not chain:
        return Hardware()
    serial = _own(chain, "device_serial") or _own(chain, "serial_num")
    return Hardware(_link(chain, profile_link), _own(chain, "device_revision"), serial)


def read_thunderbolt(output: bytes) -> Link | None:
    """The speed of the Thunderbolt ports in use, from system_profiler; None unless all have the same.

    The list does not name disks, so with unequal devices it cannot be told which of them holds the disk.
    """
    found = _json(output).get("SPThunderboltDataType")
    speeds = {speed for bus in _nodes(found) if bus.get("_items") for speed in _port_speeds(bus)}
    return Link.thunderbolt(speeds.pop()) if len(speeds) == 1 else None


def read_registry(output: bytes, disk: str) -> Link | None:
    """The USB link of a disk in the output of `ioreg -a -r -l -c IOUSBHostDevice`."""
    try:
        found = plistlib.loads(output)
    except (plistlib.InvalidFileException, ExpatError, ValueError):
        return None
    chain = next(_chains(found, disk), ())
    return _link(chain, _registry_link)


def parse_rate(text: object) -> int | None:
    """Bits (or transfers) a second of "5 Gb/s", "6 Gigabit", "1,5 Gigabit", "8.0 GT/s", "up_to_480_Mb_per_sec"."""
    found = _RATE.search(text) if isinstance(text, str) else None
    return round(float(found[1].replace(",", ".")) * _UNITS[found[2]]) if found else None


def profile_link(node: Node) -> Link | None:
    """The link that system_profiler states at one device: USB, NVMe or SATA."""
    word = node.get("device_speed")
    usb = _USB_WORDS.get(word) or parse_rate(word) if isinstance(word, str) else None
    if usb:
        return Link.usb(usb)
    transfers = parse_rate(node.get("spnvme_linkspeed"))
    width = re.fullmatch(r"x(\d+)", str(node.get("spnvme_linkwidth")))
    if transfers and width:
        return Link.pcie(transfers, int(width[1]))
    sata = parse_rate(node.get("spsata_negotiatedlinkspeed"))
    return Link.sata(sata) if sata else None


def _registry_link(node: Node) -> Link | None:
    rate = node.get("UsbLinkSpeed")
    return Link.usb(rate) if isinstance(rate, int) and rate > 0 else None


def _link(chain: tuple[Node, ...], read: Callable[[Node], Link | None]) -> Link | None:
    return next((link for node in reversed(chain) if (link := read(node))), None)


def _own(chain: tuple[Node, ...], key: str) -> str | None:
    """A text of the disk itself or of the device right above it; further up are hubs and buses."""
    texts = (node.get(key) for node in reversed(chain[-2:]))
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), None)


def _chains(tree: object, disk: str, above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, ...]]:
    """Every way down the tree that ends at the disk."""
    for node in _nodes(tree):
        chain = (*above, node)
        if any(node.get(name) == disk for name in _NAMES):
            yield chain
        for key in _CHILDREN:
            yield from _chains(node.get(key), disk, chain)


def _nodes(tree: object) -> list[Node]:
    entries = tree if isinstance(tree, list) else [tree]
    return [entry for entry in entries if isinstance(entry, dict)]


def _port_speeds(bus: Node) -> Iterator[int]:
    for key, port in bus.items():
        if key.startswith("receptacle_") and isinstance(port, dict):
            speed = parse_rate(port.get("current_speed_key"))
            if speed:
                yield speed


def _json(output: bytes) -> Node:
    try:
        found = json.loads(output)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
