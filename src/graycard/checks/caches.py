"""Caches that no counter of this computer sees: the drive's own, the server's, the one below a loop or a hypervisor."""

from __future__ import annotations

from graycard.checks.evidence import CheckEvidence
from graycard.checks.verdicts import Found, caveat, fails, passes, single, unknown
from graycard.facts import value
from graycard.model import Cache, Check
from graycard.units import format_size

# Hard disks and SSDs have buffers of up to 256 MiB for data; of a file four times as large three quarters at least
# come from the medium (trap 17).
DRIVE_CACHE_BYTES = 256 << 20
LEAST_DRIVE_SPAN_BYTES = 4 * DRIVE_CACHE_BYTES
# Servers have 4 to 64 GiB of memory; a file of twice that cannot be held.
LEAST_SERVER_SPAN_BYTES = 128 << 30


def span_vs_cache(evidence: CheckEvidence) -> Check:
    """The touched span against the caches that may hold it."""
    return single("span_vs_cache", _span(evidence), "bytes")


def no_cache_below(evidence: CheckEvidence) -> Check:
    """A loop device that reads its file through memory, and a virtual machine whose host may."""
    return single("no_cache_below", _below(evidence), None)


def _span(evidence: CheckEvidence) -> Found:
    span = evidence.task.span_bytes
    if evidence.task.cache is Cache.WARM:
        return passes("Memory was to be measured, so no file is too small.", span, span)
    if evidence.in_memory:
        return passes("There is no drive whose buffer could hold the file.", span, span)
    shown = f"A file of {format_size(span)}"
    if evidence.on_network:
        if span >= LEAST_SERVER_SPAN_BYTES:
            return passes(f"{shown} is larger than a server's memory.", span, LEAST_SERVER_SPAN_BYTES)
        says = (
            f"{shown} may fit in the server's memory, so this may be the network's speed and not the server's disks'; "
        )
        return caveat(says + "use --size with twice the server's memory.", span, LEAST_SERVER_SPAN_BYTES)
    if span >= LEAST_DRIVE_SPAN_BYTES:
        return passes(f"{shown} is larger than a drive's own buffer.", span, LEAST_DRIVE_SPAN_BYTES)
    says = f"{shown} may fit in the drive's own buffer; use --size 1GiB or more."
    return caveat(says, span, LEAST_DRIVE_SPAN_BYTES)


def _below(evidence: CheckEvidence) -> Found:
    facts = evidence.facts
    direct, bus, machine = (value(facts, name) for name in ("loop_direct_io", "bus", "virtual_machine"))
    if direct is False:
        says = "The volume lies in a file that a loop device reads through this computer's memory, so no drive was "
        return fails(says + "measured; set it up with losetup --direct-io=on.")
    if direct is None and (bus == "loop" or value(facts, "loop_backing_file") is not None):
        return unknown("Whether the loop device below reads its file past the page cache cannot be told.")
    if machine is not None and str(machine).lower() != "none":
        says = (
            f"This is a virtual machine ({machine}): its host may keep the drive in memory, and flushes may end there; "
        )
        return caveat(says + "measure on the host to know the drive.")
    if machine is None:
        return unknown("Whether this is a virtual machine, with a cache of its host, cannot be told.")
    return passes("No cache is known below the file system.")
