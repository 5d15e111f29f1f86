"""The network path to a share: server, protocol version, and the interface that leads to it."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import socket
import subprocess
import threading

from graycard.facts import fact
from graycard.host.link import Link, link_facts
from graycard.host.linux.cifs import protection_facts
from graycard.host.linux.mounts import Mount
from graycard.host.linux.roots import HERE, Roots, names_in, read_number
from graycard.model import Fact

_PATIENCE_S = 1.0
# Every Ethernet frame carries 38 bytes around its payload (preamble, header, check, gap); IPv4 and TCP take 40 of it.
_FRAME_BYTES, _HEADER_BYTES = 38, 40
_PROTOCOLS = {"cifs": "smb", "smb3": "smb", "nfs4": "nfs"}


def share_facts(mount: Mount, roots: Roots = HERE) -> tuple[Fact, ...]:
    """The facts of the factor "connection" of a network mount."""
    server = server_of(mount)
    address = mount.option("addr") or (_address(server) if server else None)
    link, source = _link_to(address, roots)
    version = mount.option("vers")
    protocol = _PROTOCOLS.get(mount.file_system, mount.file_system.removeprefix("fuse."))
    return (
        fact("bus", "network", f"{mount.file_system} in /proc/self/mountinfo"),
        *link_facts(link, source),
        fact("driver", f"{protocol} {version}" if version else protocol, "/proc/self/mountinfo"),
        fact("server", server, "/proc/self/mountinfo"),
        fact("protocol_version", version, "/proc/self/mountinfo vers"),
        *protection_facts(mount, roots),
    )


def server_of(mount: Mount) -> str | None:
    """The server's name in the source: "//server/share", "server:/export", "[fe80::1]:/export", "user@server:path".

    None where the source names no server, as rclone's "remote:path" does.
    """
    if mount.file_system == "fuse.rclone":
        return None
    found = re.match(r"//([^/]+)|(?:[^@/]*@)?\[([^\]]+)\]:|(?:[^@/]*@)?([^:/@]+):", mount.source)
    return next((group for group in found.groups() if group), None) if found else None


def route_interface(text: str) -> str | None:
    """The interface in the answer of `ip -json route get ADDRESS`; None for this machine itself."""
    try:
        route = json.loads(text)[0]
        return None if route.get("type") == "local" or route["dev"] == "lo" else str(route["dev"])
    except (ValueError, LookupError, AttributeError, TypeError):
        return None


def interface_link(name: str, roots: Roots = HERE) -> tuple[Link | None, str]:
    """The negotiated link of a network card; of a bridge, bond or VLAN that of its only card.

    Interfaces without a card (tunnels, pairs between namespaces) only pretend a speed: None.
    """
    folder = f"{roots.sys}/class/net/{name}"
    lower = [each.removeprefix("lower_") for each in names_in(folder) if each.startswith("lower_")]
    source = f"{folder}/speed"
    if len(lower) == 1:
        return interface_link(lower[0], roots)
    megabits_per_s = read_number(source)
    if not os.path.exists(f"{folder}/device") or megabits_per_s is None or megabits_per_s <= 0:
        return None, source
    bits_per_s = megabits_per_s * 1_000_000
    mtu_bytes = read_number(f"{folder}/mtu") or 1500
    payload = (mtu_bytes - _HEADER_BYTES) / (mtu_bytes + _FRAME_BYTES)
    return Link(bits_per_s, bits_per_s / 8 * payload), source


def _link_to(address: str | None, roots: Roots) -> tuple[Link | None, str]:
    if address is None:
        return None, "the server's address is not known"
    try:
        done = subprocess.run(
            ["ip", "-json", "route", "get", address], capture_output=True, check=False, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None, "ip route get"
    name = route_interface(done.stdout.decode("utf-8", "replace"))
    return interface_link(name, roots) if name else (None, f"ip route get {address}")


def _address(server: str) -> str | None:
    """The server's address; a name service that does not answer within a second is left waiting behind."""
    try:
        return str(ipaddress.ip_address(server))
    except ValueError:
        pass
    found: list[str] = []

    def ask() -> None:
        try:
            found.append(str(socket.getaddrinfo(server, None)[0][4][0]))
        except (OSError, UnicodeError):
            return

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_PATIENCE_S)
    return found[0] if found else None
