"""What in the set-up will spoil or limit a measurement, in plain words. Each rule looks at the facts alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graycard.facts import number, value
from graycard.model import Fact
from graycard.report.figures import quantity

Facts = tuple[Fact, ...]
Warner = Callable[[Facts], str | None]

# High Speed USB: 53 MB/s of payload at most (13 bulk packets of 512 bytes in 125 µs), 30 to 45 MB/s in practice.
_USB2_BITS_PER_S = 480e6
# SLC caches shrink and flash is cleaned more often as a drive fills; disks reach their inner tracks.
_FULL_RATIO = 0.9
# Without a limit of its own: consumer NVMe drives warn from 70 °C, external ones throttle a little below.
_HOT_CELSIUS = 70.0
_MARGIN_CELSIUS = 5.0


def warnings(facts: Iterable[Fact]) -> tuple[str, ...]:
    """One sentence for each thing that a user should know before trusting a figure; empty when there is none."""
    known = tuple(facts)
    return tuple(said for warner in WARNERS if (said := warner(known)) is not None)


def slow_usb(facts: Facts) -> str | None:
    """The USB link negotiated 480 Mbit/s or less."""
    link = number(facts, "link_bits_per_s")
    if value(facts, "bus") != "usb" or link is None or link > _USB2_BITS_PER_S:
        return None
    ceiling = "40 MB/s" if link == _USB2_BITS_PER_S else "1 MB/s"
    return (
        f"The USB link runs at {quantity(link, 'bits/s')}: ceiling about {ceiling}. "
        "Cable, hub or port (or the drive itself) is USB 2 or older; try another."
    )


def nearly_full(facts: Facts) -> str | None:
    """More than 90 % of the volume is in use."""
    used = number(facts, "used_ratio")
    if used is None or used <= _FULL_RATIO:
        return None
    free = value(facts, "free_bytes")
    left = f" ({quantity(free, 'bytes')} free)" if free is not None else ""
    return f"The volume is {quantity(used, 'ratio')} full{left}: a full drive writes more slowly and unevenly."


def hot(facts: Facts) -> str | None:
    """The drive throttles, or is within 5 °C of its limit (70 °C where it names none)."""
    now, limit = number(facts, "temperature_celsius"), number(facts, "temperature_limit_celsius")
    if value(facts, "throttled") is True:
        at = f" at {quantity(now, 'celsius')}" if now is not None else ""
        return f"The drive slows itself down because of heat{at}: let it cool down and measure again."
    if now is None or now < (limit or _HOT_CELSIUS + _MARGIN_CELSIUS) - _MARGIN_CELSIUS:
        return None
    near = f" (it warns at {quantity(limit, 'celsius')})" if limit is not None else ""
    return f"The drive is hot: {quantity(now, 'celsius')}{near}. It may slow itself down."


def in_memory(facts: Facts) -> str | None:
    """The file system keeps its files in memory."""
    if value(facts, "bus") != "memory":
        return None
    return f"{value(facts, 'file_system')} keeps its files in memory, so there is no drive to measure here."


def virtual(facts: Facts) -> str | None:
    """The system runs in a virtual machine."""
    machine = value(facts, "virtual_machine")
    if not isinstance(machine, str) or machine in {"", "none"}:
        return None
    return (
        f"This is a virtual machine ({machine}): the host may cache, share or limit the disk; "
        "figures hold for this machine, not for the drive below it."
    )


def buffered_loop(facts: Facts) -> str | None:
    """A loop device below caches its file a second time."""
    if value(facts, "loop_direct_io") is not False:
        return None
    return (
        "The loop device below reads its file through the page cache: figures may be those of memory. "
        "Set it up with losetup --direct-io=on."
    )


def unhealthy(facts: Facts) -> str | None:
    """The drive's own test did not pass."""
    health = value(facts, "health")
    if not isinstance(health, str) or health != "failed":
        return None
    return "The drive says that its health check failed: copy what is on it before you do anything else."


def on_battery(facts: Facts) -> str | None:
    """The computer runs on battery."""
    if value(facts, "power_source") != "battery":
        return None
    return "The computer runs on battery: many save power by slowing processor, links and drives. Connect mains power."


def others_measure(facts: Facts) -> str | None:
    """Other graycard runs are on this volume."""
    count = number(facts, "other_measurements_count")
    if not count:
        return None
    return f"{count:.0f} other graycard measurement(s) run on this volume now: wait for them, both would be wrong."


WARNERS: tuple[Warner, ...] = (
    in_memory,
    unhealthy,
    slow_usb,
    hot,
    nearly_full,
    buffered_loop,
    others_measure,
    on_battery,
    virtual,
)
