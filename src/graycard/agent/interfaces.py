"""What an interface is: wired, wi-fi, vpn, or one that only pretends a speed."""

from __future__ import annotations

import array
import importlib
import os
import re
import socket
import struct
import sys

# linux/sockios.h, linux/ethtool.h: struct ethtool_drvinfo
# As a plain text: type checkers of each platform read the same file.
_SYSTEM: str = sys.platform
_ETHTOOL = 0x8946
_DRIVER = 3
_INFO_BYTES = 196
_PRETENDING = ("veth", "tun", "bridge", "dummy", "bonding", "team", "802.1Q VLAN Support", "macvlan")
_VPN = re.compile(r"(wg|ppp|ipsec|tailscale|utun|tun\d)")


def medium_of(name: str) -> str | None:
    """It is “wi-fi”, “vpn”, “virtual” or “wired”; None where the system does not tell."""
    if not _SYSTEM.startswith("linux"):
        return None
    driver = driver_of(name)
    if _VPN.match(name) or driver == "wireguard":
        return "vpn"
    if os.path.isdir("/sys/class/net/" + name + "/wireless"):
        return "wi-fi"
    if driver is None:
        return None
    return "virtual" if driver in _PRETENDING else "wired"


def driver_of(name: str) -> str | None:
    """The driver of an interface of this network (also in a namespace, which /sys does not show); None: not told."""
    info = array.array("B", struct.pack("=I", _DRIVER) + bytes(_INFO_BYTES - 4))
    request = struct.pack("16sP", name.encode()[:15], info.buffer_info()[0]) + bytes(16)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            # Windows has no such module; this is asked of Linux alone.
            importlib.import_module("fcntl").ioctl(any_socket.fileno(), _ETHTOOL, request)
    except OSError:
        return None
    return info.tobytes()[4:36].split(b"\0", 1)[0].decode("ascii", "replace") or None
