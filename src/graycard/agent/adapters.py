"""What a network adapter is attached by, as sysfs tells: USB at which speed, PCIe with how many lanes, a radio's rate.

Attributes: sysfs-class-net, sysfs-bus-usb and sysfs-bus-pci in the kernel's Documentation/ABI/testing.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from graycard.agent.interfaces import asked_of, medium_of
from graycard.agent.processes import text
from graycard.agent.sockets import plain_address

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYSTEM: str = sys.platform
_SYS = "/sys"
_ADMIN_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_PATIENCE_S = 2.0
# linux/sockios.h
_ADDRESS, _HARDWARE_ADDRESS = 0x8915, 0x8927
_TRANSFERS = re.compile(r"([0-9.]+) GT/s")
_MOST_LANES = 32
# A bridge on a bond on a VLAN; deeper ones are loops of a broken tree.
_DEEPEST = 4
_RATE = r"^\s*%s bitrate: ([0-9.]+) MBit/s"
_BANDS = ((2000, 3000, "2.4 GHz"), (5000, 5925, "5 GHz"), (5925, 7200, "6 GHz"))


def way_of(address: str) -> dict[str, Any]:
    """The interface that has this address: its name, medium, negotiated rate and adapter. What is not told is left out.

    Empty where the system does not tell, or no interface has it.
    """
    name = interface_with(plain_address(address)) if _SYSTEM.startswith("linux") else None
    if name is None:
        return {}
    found = {"network_interface": name, "link_medium": medium_of(name)}
    if is_shown(name):
        found.update(adapter(name))
    return {key: value for key, value in found.items() if value is not None}


def attached(name: str) -> dict[str, Any]:
    """`adapter` of an interface of this network; {} on other systems, and where /sys shows those of another network."""
    return adapter(name) if _SYSTEM.startswith("linux") and is_shown(name) else {}


def adapter(name: str, sys_folder: str = _SYS) -> dict[str, Any]:
    """Facts of the adapter below an interface; of a bridge, bond or VLAN those of its only card.

    `link_bits_per_s`, `adapter_bus` and what the bus negotiated and could, `wifi_…` of a radio.
    """
    card = card_below(name, sys_folder)
    if card is None:
        return {}
    folder = sys_folder + "/class/net/" + card
    found: dict[str, Any] = {}
    megabits = _number(text(folder + "/speed"))
    if megabits is not None and megabits > 0:
        found["link_bits_per_s"] = int(megabits * 1e6)
    found.update(bus_of(os.path.realpath(folder + "/device")))
    if os.path.isdir(folder + "/wireless") or os.path.exists(folder + "/phy80211"):
        found.update(radio(_asked(("iw", "dev", card, "link"))))
    return found


def card_below(name: str, sys_folder: str = _SYS) -> str | None:
    """The interface itself where it has a card, else the only one below it with a card; None where that is not one."""
    folder = sys_folder + "/class/net/" + name
    if os.path.exists(folder + "/device"):
        return name
    below = [name]
    for _depth in range(_DEEPEST):
        below = [lower for each in below for lower in _lower(sys_folder + "/class/net/" + each)]
        cards = sorted({each for each in below if os.path.exists(sys_folder + "/class/net/" + each + "/device")})
        if cards:
            return cards[0] if len(cards) == 1 else None
    return None


def bus_of(device: str) -> dict[str, Any]:
    """What a device's folder in sysfs and those around it tell of its bus; {} for an emulated one, whose lanes are
    made up, and for one that sits on the board.
    """
    speeds = [speed for folder in _outwards(device) if (speed := _usb(folder)) is not None]
    if speeds:
        # Hubs on the way may have negotiated less than the adapter.
        return {"adapter_bus": "usb", "adapter_bus_rate_bits_per_s": int(min(speeds) * 1e6)}
    if any(os.path.basename(folder).startswith("virtio") for folder in _outwards(device)):
        return {}
    now, most = _lanes(device, "current"), _lanes(device, "max")
    if now is None:
        return {}
    found = {"adapter_bus": "pcie", "adapter_bus_rate_bits_per_s": now[0] * now[1], "adapter_lane_count": now[1]}
    if most is not None:
        found.update(adapter_bus_possible_bits_per_s=most[0] * most[1], adapter_possible_lane_count=most[1])
    return found


def radio(told: str) -> dict[str, Any]:
    """What `iw dev NAME link` tells of a connected radio."""
    found: dict[str, Any] = {}
    for name, word in (("wifi_sent_bits_per_s", "tx"), ("wifi_received_bits_per_s", "rx")):
        rate = re.search(_RATE % word, told, re.MULTILINE)
        if rate:
            found[name] = int(float(rate.group(1)) * 1e6)
    signal = re.search(r"^\s*signal: (-[0-9]+) dBm", told, re.MULTILINE)
    if signal:
        found["wifi_signal_dbm"] = int(signal.group(1))
    megahertz = re.search(r"^\s*freq: ([0-9]+)", told, re.MULTILINE)
    bands = [band for low, high, band in _BANDS if megahertz and low <= int(megahertz.group(1)) < high]
    if bands:
        found["wifi_band"] = bands[0]
    return found


def interface_with(address: str) -> str | None:
    """The interface of this network that has the address; None for none, and for what is no address."""
    try:
        packed = ipaddress.ip_address(address).packed
    except ValueError:
        return None
    if len(packed) > 4:
        rows = (line.split() for line in text("/proc/net/if_inet6").splitlines())
        return next((row[5] for row in rows if len(row) == 6 and row[0] == packed.hex()), None)
    names = (name for _index, name in socket.if_nameindex())
    # struct ifreq: 16 bytes of name, then sockaddr_in with the address after family and port.
    return next((name for name in names if (asked_of(name, _ADDRESS) or b"")[20:24] == packed), None)


def is_shown(name: str, sys_folder: str = _SYS) -> bool:
    """Whether the interface of that name in sysfs is this one: in a network namespace it may be another's."""
    told = text(sys_folder + "/class/net/" + name + "/address").strip().replace(":", "").lower()
    raw = asked_of(name, _HARDWARE_ADDRESS)
    return bool(told) and raw is not None and raw[18:24].hex() == told


def _lower(folder: str) -> list[str]:
    try:
        return [each[len("lower_") :] for each in os.listdir(folder) if each.startswith("lower_")]
    except OSError:
        return []


def _outwards(device: str) -> Iterator[str]:
    """The device's folder and those around it, from the inside."""
    while os.path.basename(device) not in ("devices", ""):
        yield device
        device = os.path.dirname(device)


def _usb(folder: str) -> float | None:
    """Mbit/s of a USB device or hub."""
    return _number(text(folder + "/speed")) if os.path.exists(folder + "/bMaxPacketSize0") else None


def _lanes(device: str, which: str) -> tuple[int, int] | None:
    """(transfers per s, lanes) of a PCIe device; None where it is none."""
    speed = _TRANSFERS.match(text(device + "/" + which + "_link_speed"))
    count = _number(text(device + "/" + which + "_link_width"))
    if speed is None or count is None or not 0 < count <= _MOST_LANES:
        return None
    return int(float(speed.group(1)) * 1e9), int(count)


def _number(word: str) -> float | None:
    return float(word) if re.match(r"[0-9]+(\.[0-9]+)?\s*$", word) else None


def _asked(command: tuple[str, ...]) -> str:
    """What a program prints; nothing where it is missing or does not end."""
    folders = os.pathsep.join((os.environ.get("PATH", ""), *_ADMIN_FOLDERS))
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_PATIENCE_S,
            check=False, env=dict(os.environ, PATH=folders, LC_ALL="C"),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
