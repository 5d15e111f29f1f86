"""What each layer alone reaches, from short runs in turns: this computer's disk, the raw network, the server's disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from graycard.diagnosis.estimates import estimate
from graycard.errors import RunProblem, io_problem
from graycard.link import FarEnd
from graycard.link.flow import Flow, flow, idle_round_trips
from graycard.link.results import percentile
from graycard.model import Action
from graycard.model.diagnosis import Ceilings

MIB = 1 << 20
FLOW_NS = 1_500_000_000
BACK_NS = 700_000_000
IDLE_NS = 600_000_000
STREAMS = 4
LOOK_EVERY_S = 0.05
# A disk test is doubled until it takes so long, as far as it may.
DISK_S = 1.5
FIRST_DISK_BYTES = 32 * MIB
MOST_DISK_BYTES = 1024 * MIB
MOST_SOURCE_BYTES = 256 * MIB
Hear = Callable[[int, int], None]


@dataclass(slots=True)
class Tried:
    """The runs so far, in bytes/s; round trips in ns."""

    source: list[float] = field(default_factory=list)
    network: list[float] = field(default_factory=list)
    network_streams: list[float] = field(default_factory=list)
    network_back: list[float] = field(default_factory=list)
    network_back_streams: list[float] = field(default_factory=list)
    idle_ns: list[float] = field(default_factory=list)
    loaded_ns: list[float] = field(default_factory=list)
    retransmit_ratios: list[float] = field(default_factory=list)
    server_flushed: list[float] = field(default_factory=list)
    server_burst: list[float] = field(default_factory=list)
    server_read: list[float] = field(default_factory=list)
    mount: list[float] = field(default_factory=list)

    def ceilings(self) -> Ceilings:
        """As rules want them; the tools are added by whoever copied."""
        return Ceilings(
            source=estimate(self.source),
            network=estimate(self.network),
            network_streams=estimate(self.network_streams),
            network_back=estimate(self.network_back),
            network_back_streams=estimate(self.network_back_streams),
            idle_round_trip=estimate(self.idle_ns, "ns"),
            loaded_round_trip=estimate(self.loaded_ns, "ns"),
            raw_retransmit_ratio=median(self.retransmit_ratios) if self.retransmit_ratios else None,
            server_flushed=estimate(self.server_flushed),
            server_burst=estimate(self.server_burst),
            server_read=estimate(self.server_read),
            mount=estimate(self.mount),
        )


def measure_idle(far: FarEnd, tried: Tried) -> None:
    """Round trips with nothing else on the way."""
    trips = sorted(idle_round_trips(far, IDLE_NS))
    if trips:
        tried.idle_ns.append(median(trips))


def measure_network(far: FarEnd, tried: Tried, action: Action, streams: int, hear: Hear) -> None:
    """Raw TCP in the direction of the copy, with round trips beside it and what was sent again."""
    found = flow(far, action, streams, FLOW_NS, hear)
    (tried.network if streams == 1 else tried.network_streams).append(_rate(found))
    if streams > 1:
        return
    if found.round_trip_ns:
        tried.loaded_ns.append(percentile(tuple(sorted(found.round_trip_ns)), 0.95))
    again, sent = found.of_all("retransmit_count"), found.of_all("segment_count")
    if again is not None and sent:
        tried.retransmit_ratios.append(min(1.0, again / sent))


def measure_back(far: FarEnd, tried: Tried, action: Action, streams: int, hear: Hear) -> None:
    """Raw TCP against the direction of the copy."""
    found = flow(far, action, streams, BACK_NS, hear)
    (tried.network_back if streams == 1 else tried.network_back_streams).append(_rate(found))


def _rate(found: Flow) -> float:
    return found.moved_bytes * 1e9 / max(1, found.elapsed_ns)


def measure_server_disk(far: FarEnd, tried: Tried, count: int, hear: Hear, *, read: bool) -> int:
    """Write and flush at the server, and read it cold where that is asked for; the bytes to write next time."""
    told = _disk(far, "write", count, hear)
    took_ns = told["elapsed_ns"] + told["flush_ns"]
    tried.server_burst.append(count * 1e9 / max(1, told["elapsed_ns"]))
    tried.server_flushed.append(count * 1e9 / max(1, took_ns))
    if read:
        told = _disk(far, "read", count, hear)
        tried.server_read.append(count * 1e9 / max(1, told["elapsed_ns"]))
    # Should this end be gone later, nothing lies there.
    far.ask("disk_remove")
    wanted = int(count * DISK_S * 1e9 / max(1, took_ns))
    return max(count, min(MOST_DISK_BYTES, wanted // MIB * MIB))


def _disk(far: FarEnd, what: str, count: int, hear: Hear) -> dict[str, int]:
    far.ask("disk", what=what, bytes=count)
    begun = time.monotonic_ns()
    while (told := far.ask("disk_told")).get("running"):
        hear(time.monotonic_ns() - begun, int(told["moved_bytes"]))
        time.sleep(LOOK_EVERY_S)
    if "error_text" in told:
        says = f"the disk test at {far.name} failed: {told['error_text']}; look at its disk, or name another folder"
        raise RunProblem(says, errno=None, offset_bytes=None, phase="measure")
    return told


def measure_source(path: str, tried: Tried, drop: Callable[[str], None], hear: Hear) -> None:
    """Read the data from this computer's disk, past its memory, in blocks of 1 MiB."""
    drop(path)
    buffer = memoryview(bytearray(MIB))
    begun, moved = time.monotonic_ns(), 0
    try:
        with open(path, "rb", buffering=0) as file:
            while moved < MOST_SOURCE_BYTES and (count := file.readinto(buffer)):
                moved += count
                if moved % (32 * MIB) < MIB:
                    hear(time.monotonic_ns() - begun, moved)
    except OSError as error:
        raise io_problem(error.errno, operation="read", place=path, phase="measure") from error
    tried.source.append(moved * 1e9 / max(1, time.monotonic_ns() - begun))
    drop(path)
