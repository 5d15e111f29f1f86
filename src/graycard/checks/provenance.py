"""Whether the bytes came from, or went to, the storage: byte counters that the kernel keeps are the witnesses.

First this process's own count (Linux: /proc/self/io, charged when a request is handed to the block layer or the
server), then the device's (/proc/diskstats), on a share the network interfaces'. Measured on ext4: asked 128 MiB,
counted 128 direct, 136 through the emptied page cache, 0 cached, 0 sparse, 0 unwritten.
"""

from __future__ import annotations

from graycard.checks.evidence import (
    CheckEvidence,
    device_bytes,
    file_facts,
    network_bytes,
    own_bytes,
)
from graycard.checks.verdicts import Found, by_run, caveat, fails, passes, single, unknown
from graycard.facts import number, value
from graycard.model import Cache, Check, Durability, Run
from graycard.units import percent

# Direct I/O moves exactly what was asked; 2 % leaves room for runs whose last requests were counted a moment later.
LEAST_RATIO = 0.98
# Readahead fetched 6 % more through the emptied page cache; 15 % is more than it needs in sequential reading.
MOST_RATIO = 1.15
# Programs, libraries and the store are read in the same process: a short run may carry that much more.
SLACK_BYTES = 1 << 20


def from_device(evidence: CheckEvidence) -> Check:
    """Bytes that the storage moved over bytes that were asked for: 1 is true, 0 is a cache or a hole."""
    name, unit, tolerance = "from_device", "ratio", 1 - LEAST_RATIO
    if evidence.in_memory:
        says = (
            f"{evidence.file_system} keeps its files in memory, so no drive was measured; choose a folder on a drive."
        )
        return single(name, fails(says, 0.0, 1.0), unit, tolerance)
    if evidence.task.cache is Cache.WARM and not evidence.is_write:
        says = "The file was read from memory on purpose (--cache warm), so this is not the drive's speed."
        return single(name, caveat(says), unit, tolerance)
    return by_run(name, evidence, _judge, unit, tolerance)


def device_ratio(evidence: CheckEvidence, run: Run) -> float | None:
    """The device's bytes over the asked ones, or None without a device."""
    return _ratio(device_bytes(run, evidence.task.operation), run)


def own_ratio(evidence: CheckEvidence, run: Run) -> float | None:
    """Our own process's bytes over the asked ones, or None where they cannot be counted."""
    return _ratio(own_bytes(evidence, run, evidence.task.operation), run)


def network_ratio(evidence: CheckEvidence, run: Run) -> float | None:
    """The interfaces' bytes over the asked ones; None when the volume is no share or its server is this computer."""
    if not evidence.on_network or evidence.server_is_here:
        return None
    return _ratio(network_bytes(run, evidence.task.operation), run)


def vouched_ratio(evidence: CheckEvidence, run: Run) -> float | None:
    """The best witness that there is: the network on a share, else the device, else for reads our own count."""
    if evidence.on_network:
        return network_ratio(evidence, run)
    by_device = device_ratio(evidence, run)
    if by_device is not None or evidence.is_write:
        return by_device
    return own_ratio(evidence, run)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    if run.samples.moved_bytes == 0:
        return unknown("Nothing was moved, so there is nothing to compare.", None, 1.0)
    if evidence.on_network:
        return _over_network(evidence, run)
    return _write(evidence, run) if evidence.is_write else _read(evidence, run)


def _over_network(evidence: CheckEvidence, run: Run) -> Found:
    ratio = network_ratio(evidence, run)
    if ratio is None:
        return unknown(
            "Whether the server moved these bytes cannot be proven here: no interface counts them.", None, 1.0
        )
    if ratio >= LEAST_RATIO:
        return passes(f"The network carried {percent(ratio)} of the bytes.", ratio, 1.0)
    says = f"The network carried only {percent(ratio)} of the bytes; the rest stayed in this computer's cache"
    return fails(
        f"{says}, or the protocol compresses; use --cache bypass and data that cannot be compressed.", ratio, 1.0
    )


def _read(evidence: CheckEvidence, run: Run) -> Found:
    own, device = own_ratio(evidence, run), device_ratio(evidence, run)
    ratio = own if own is not None else device
    if ratio is None:
        return unknown("Whether a drive delivered these bytes cannot be proven here: nothing counts them.", None, 1.0)
    if ratio < LEAST_RATIO:
        return fails(_not_delivered(evidence, ratio), ratio, 1.0)
    if device is not None and device < LEAST_RATIO:
        says = f"The system fetched every byte, but the drive's own counter shows {percent(device)} of them; "
        return caveat(says + "the volume may lie on several drives or on a cache.", device, 1.0)
    if ratio > MOST_RATIO + SLACK_BYTES / run.samples.moved_bytes:
        says = f"The drive delivered {percent(ratio)} of what was asked for (readahead, or another reader); "
        return caveat(says + "the drive itself is faster than the figure.", ratio, 1.0)
    return passes(f"The drive delivered {percent(ratio)} of the bytes.", ratio, 1.0)


def _not_delivered(evidence: CheckEvidence, ratio: float) -> str:
    return f"The drive delivered only {percent(ratio)} of the bytes; {_cause(evidence)}."


def _cause(evidence: CheckEvidence) -> str:
    """Why bytes did not come from the drive, as far as the file's facts tell, with the next step."""
    causes = {
        "file_unwritten_bytes": "the file was reserved but never written, so zeros were read; write it fully first",
        "file_hole_bytes": "the file has holes, which read as zeros; write it fully first",
        "file_encoded_bytes": "the file is stored compressed; use data that cannot be compressed",
        "file_cached_bytes": "the rest came from this computer's memory; use --cache bypass or a larger file",
    }
    for name, says in causes.items():
        if any(number(facts, name) for _, facts in file_facts(evidence)):
            return says
    return "the rest came from a cache in between; use a file larger than memory"


def _write(evidence: CheckEvidence, run: Run) -> Found:
    ratio = device_ratio(evidence, run)
    if ratio is None:
        return unknown("Whether a drive took these bytes cannot be proven here: no device counts them.", None, 1.0)
    if ratio >= LEAST_RATIO:
        return passes(f"The drive took {percent(ratio)} of the bytes.", ratio, 1.0)
    return fails(f"The drive took only {percent(ratio)} of the bytes; {_where_to(evidence)}.", ratio, 1.0)


def _where_to(evidence: CheckEvidence) -> str:
    if evidence.task.durability is Durability.NONE:
        return "the rest is still in this computer's memory; use --durability at_end"
    if value((*evidence.facts, *evidence.file_before), "volume_compresses"):
        return "the volume compresses; use data that cannot be compressed"
    return "the rest is in a cache, or the volume lies on several drives; see graycard info"


def _ratio(count: float | None, run: Run) -> float | None:
    return count / run.samples.moved_bytes if count is not None and run.samples.moved_bytes else None
