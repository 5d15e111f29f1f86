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
    folder = "/sys/class/net/" + name
    # Kernels without the wireless extensions have the second alone.
    if os.path.isdir(folder + "/wireless") or os.path.exists(folder + "/phy80211"):
        return "wi-fi"
    if driver is None:
        return None
    return "virtual" if driver in _PRETENDING else "wired"


def driver_of(name: str) -> str | None:
    """The driver of an interface of this network (also in a namespace, which /sys does not show); None: not told."""
    info = array.array("B", struct.pack("=I", _DRIVER) + bytes(_INFO_BYTES - 4))
    if asked_of(name, _ETHTOOL, struct.pack("P", info.buffer_info()[0])) is None:
        return None
    return info.tobytes()[4:36].split(b"\0", 1)[0].decode("ascii", "replace") or None


def asked_of(name: str, question: int, given: bytes = b"") -> bytes | None:
    """The answer to an ioctl about an interface (netdevice(7), struct ifreq); None where there is none."""
    request = struct.pack("16s24s", name.encode()[:15], given)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            # Windows has no such module; this is asked of Linux alone.
            return bytes(importlib.import_module("fcntl").ioctl(any_socket.fileno(), question, request))
    except OSError:
        return None
