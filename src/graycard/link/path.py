"""The way to the other computer, as this one's interface tells it: negotiated speed, duplex, largest packet."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import psutil

from graycard.agent.adapters import attached
from graycard.agent.counting import tcp_info
from graycard.agent.interfaces import medium_of
from graycard.facts import fact
from graycard.link.adapter import adapter_facts
from graycard.model import Action, Fact

_DUPLEX = {int(psutil.NIC_DUPLEX_FULL): "full", int(psutil.NIC_DUPLEX_HALF): "half"}


def path_facts(connection: socket.socket) -> tuple[Fact, ...]:
    """Facts of the interface that a connection leaves by; what the system does not tell is None."""
    return tuple(_facts(connection))


def interface_of(address: str) -> str | None:
    """The name of the interface that has this address."""
    plain = address.split("%", 1)[0].removeprefix("::ffff:")
    for name, addresses in psutil.net_if_addrs().items():
        if any(each.address.split("%", 1)[0] == plain for each in addresses):
            return name
    return None


def _facts(connection: socket.socket) -> Iterator[Fact]:
    name = interface_of(str(connection.getsockname()[0]))
    stats = psutil.net_if_stats().get(name) if name else None
    source = "psutil.net_if_stats"
    yield fact("network_interface", name, "psutil.net_if_addrs")
    yield fact("link_medium", medium_of(name) if name else None, "ethtool")
    if name:
        # The negotiated rate is psutil's, which other systems tell, too.
        told = {key: found for key, found in attached(name).items() if key != "link_bits_per_s"}
        yield from adapter_facts(told, f"/sys/class/net/{name}")
    # 0 stands for a speed that the driver does not know, as of a virtual interface.
    yield fact("link_bits_per_s", stats.speed * 10**6 if stats and stats.speed else None, source)
    yield fact("duplex", _DUPLEX.get(int(stats.duplex)) if stats else None, source)
    yield fact("mtu_bytes", stats.mtu if stats and stats.mtu else None, source)
    info = tcp_info(connection) or {}
    yield fact("path_mtu_bytes", info.get("path_mtu_bytes"), "TCP_INFO")
    yield fact("congestion_control", _congestion_control(connection), "TCP_CONGESTION")


def _congestion_control(connection: socket.socket) -> str | None:
    option = getattr(socket, "TCP_CONGESTION", None)
    if option is None:
        return None
    try:
        return connection.getsockopt(socket.IPPROTO_TCP, option, 16).split(b"\0", 1)[0].decode("ascii", "replace")
    except OSError:
        return None


class Traffic:
    """Bytes through an interface in one direction, and the processor time stolen from this machine, since then."""

    def __init__(self, interface: str | None, action: Action) -> None:
        self._interface = interface
        self._action = action
        self._bytes = self._now()
        self._times = psutil.cpu_times()

    def moved_bytes(self) -> int | None:
        """Bytes since then; None where the system does not count them."""
        now = self._now()
        return None if now is None or self._bytes is None else now - self._bytes

    def stolen_ratio(self) -> float | None:
        """The share of all processor time that the host of this virtual machine kept for others."""
        now = psutil.cpu_times()
        stolen, before = (getattr(times, "steal", None) for times in (now, self._times))
        if stolen is None:
            return None
        whole = sum(now) - sum(self._times)
        return float(stolen - before) / whole if whole > 0 and before is not None else None

    def _now(self) -> int | None:
        found = psutil.net_io_counters(pernic=True).get(self._interface) if self._interface else None
        if found is None:
            return None
        return int(found.bytes_sent if self._action is Action.SEND else found.bytes_recv)
