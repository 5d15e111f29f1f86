"""Bytes moved, in slots of time; and what the kernel tells of a connection."""

from __future__ import annotations

import socket
import struct
import sys
import time
from typing import Any

# Ten readings a second show a stall of a Wi-Fi scan (60 ms to 0.6 s) and keep a minute short.
SLOT_NS = 100_000_000
# Ten minutes, the longest test; should one go on, its last slot takes the rest and the memory stays as it is.
MOST_SLOTS = 6_000

# struct tcp_info of include/uapi/linux/tcp.h, Linux 4.19 and later: the fields that are used, by their offset.
_U32 = {
    "segment_bytes": 16,
    "unacked_count": 24,
    "path_mtu_bytes": 60,
    "rtt_us": 68,
    "congestion_window_count": 80,
    "retransmit_count": 100,
    "unsent_bytes": 144,
    "min_rtt_us": 148,
    "segment_count": 156,
}
_U64 = {
    "acked_bytes": 120,
    "received_bytes": 128,
    "delivery_bytes_per_s": 160,
    "busy_us": 168,
    "receive_window_limited_us": 176,
    "send_buffer_limited_us": 184,
}
_TCP_INFO_BYTES = 256
# As a plain text: type checkers of each platform read the same file.
_SYSTEM: str = sys.platform
_TCP_INFO = getattr(socket, "TCP_INFO", 11)


class Counter:
    """What one connection moved. One thread adds, others may look."""

    def __init__(self) -> None:
        self.begun_ns = 0
        self.last_ns = 0
        self.moved_bytes = 0
        self.slots: list[int] = []

    def begin(self) -> None:
        """The clock starts."""
        self.begun_ns = self.last_ns = time.perf_counter_ns()

    def add(self, count: int) -> None:
        """So many bytes have moved until now."""
        self.last_ns = time.perf_counter_ns()
        slot = min((self.last_ns - self.begun_ns) // SLOT_NS, MOST_SLOTS - 1)
        while len(self.slots) <= slot:
            self.slots.append(0)
        self.slots[slot] += count
        self.moved_bytes += count

    def told(self) -> dict[str, Any]:
        """As the other end is told; `slots` are bytes in each 100 ms, the empty ones among them."""
        return {
            "moved_bytes": self.moved_bytes,
            "elapsed_ns": self.last_ns - self.begun_ns,
            "slot_ns": SLOT_NS,
            "slots": list(self.slots),
        }


def tcp_info(connection: socket.socket) -> dict[str, int] | None:
    """What Linux tells of a connection (times in µs); None where it does not, or the connection is gone."""
    if not _SYSTEM.startswith("linux"):
        return None
    try:
        raw = connection.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _TCP_INFO_BYTES)
    except OSError:
        return None
    return parse_tcp_info(raw)


def parse_tcp_info(raw: bytes) -> dict[str, int]:
    """The fields that the kernel gave: an older one gives fewer."""
    found = {name: struct.unpack_from("=I", raw, at)[0] for name, at in _U32.items() if at + 4 <= len(raw)}
    found.update((name, struct.unpack_from("=Q", raw, at)[0]) for name, at in _U64.items() if at + 8 <= len(raw))
    return found
