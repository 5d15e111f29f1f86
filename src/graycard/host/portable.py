"""What psutil and Python read the same way on every system: processors, network, counters of a device."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import psutil

from graycard.facts import fact
from graycard.model import Fact

_T = TypeVar("_T")
_NS = 1_000_000_000
_LOOPBACK = {"127.0.0.1", "::1"}


def known(read: Callable[[], _T]) -> _T | None:
    """What the system answers, or None where it refuses to: an unknown fact, never a made-up one."""
    try:
        return read()
    except OSError:
        return None


class Clocks(NamedTuple):
    """Nanoseconds: time awake, time with sleep (their difference tells a suspend), time of day."""

    awake_ns: int
    with_sleep_ns: int
    real_ns: int


def clock_facts(clocks: Clocks, awake: str, with_sleep: str, real: str) -> tuple[Fact, ...]:
    """The three clocks with the calls that told them."""
    return (
        fact("clock_monotonic_ns", clocks.awake_ns, awake),
        fact("clock_realtime_ns", clocks.real_ns, real),
        fact("clock_boottime_ns", clocks.with_sleep_ns, with_sleep),
    )


def processor_facts() -> tuple[Fact, ...]:
    """Architecture and number of processors."""
    return (
        fact("machine", platform.machine() or None, "platform.machine"),
        fact("cpu_count", os.cpu_count(), "os.cpu_count"),
    )


def processor_counters() -> tuple[Fact, ...]:
    """Processor time in ns. Interrupt time is part of the system time on Windows, so it is not added again."""
    times = psutil.cpu_times()
    total_s = times.user + times.system + times.idle + getattr(times, "nice", 0.0)
    return (
        fact("cpu_total_ns", int(total_s * _NS), "psutil.cpu_times"),
        fact("cpu_idle_ns", int(times.idle * _NS), "psutil.cpu_times"),
        fact("cpu_own_ns", time.process_time_ns(), "time.process_time"),
    )


def network_counters() -> tuple[Fact, ...]:
    """Bytes over all interfaces but loopback, which is told by its address since its name is translated."""
    loopback = {
        name
        for name, addresses in psutil.net_if_addrs().items()
        if any(address.address in _LOOPBACK for address in addresses)
    }
    readings = [each for name, each in psutil.net_io_counters(pernic=True).items() if name not in loopback]
    source = "psutil.net_io_counters"
    return (
        fact("network_received_bytes", sum(each.bytes_recv for each in readings) if readings else None, source),
        fact("network_sent_bytes", sum(each.bytes_sent for each in readings) if readings else None, source),
    )


def device_counters(disk: str | None) -> tuple[Fact, ...]:
    """Bytes and requests of one disk, named as the system names it ("disk0", "PhysicalDrive0"); None if not known."""
    found = psutil.disk_io_counters(perdisk=True).get(disk) if disk else None
    source = f"psutil.disk_io_counters {disk}" if disk else "psutil.disk_io_counters"
    return (
        fact("device_read_bytes", found.read_bytes if found else None, source),
        fact("device_written_bytes", found.write_bytes if found else None, source),
        fact("device_ops_count", found.read_count + found.write_count if found else None, source),
    )


def hashed(serial: str | None) -> str | None:
    """A serial number as 12 hexadecimal digits: the same drive gives the same text, and it cannot be read back."""
    stripped = serial.strip() if serial else ""
    return hashlib.sha256(stripped.encode()).hexdigest()[:12] if stripped else None
