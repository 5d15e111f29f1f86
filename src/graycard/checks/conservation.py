"""Bytes are conserved: requests × block size, the slots of time and the total must be the same number."""

from __future__ import annotations

from graycard.checks.evidence import OUTSIDE_ENGINES, CheckEvidence
from graycard.checks.verdicts import Found, by_run, caveat, fails, passes
from graycard.model import Check, Run
from graycard.units import format_size


def bytes_conserved(evidence: CheckEvidence) -> Check:
    """Exact, no tolerance: a lost or invented byte means that something was counted wrongly (traps 39, 47, 49)."""
    return by_run("bytes_conserved", evidence, _judge, "bytes", 0.0)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    samples, expected = run.samples, run.samples.ops_count * evidence.task.block_bytes
    moved = samples.moved_bytes
    if samples.error_count:
        says = f"{samples.error_count} requests failed, so the figure is not one of finished work; "
        return fails(says + "look at the drive's health, the cable and the system's log.", moved, expected)
    if moved == 0:
        return fails("Not a single request was finished, so there is no figure; measure longer.", 0, expected)
    if moved != expected:
        says = f"{samples.ops_count} requests should have moved {format_size(expected)}, but {format_size(moved)} "
        return fails(says + "were counted; do not use this figure.", moved, expected)
    return _series(evidence, run) or passes("Every byte is accounted for.", moved, expected)


def _series(evidence: CheckEvidence, run: Run) -> Found | None:
    """Whether the slots of time and the latencies cover all requests; None when they do.

    Another tool's series is only a picture of its run: fio leaves out intervals without any I/O.
    """
    samples = run.samples
    by_slot = sum(tick.moved_bytes for tick in samples.ticks)
    verdict = caveat if evidence.engine in OUTSIDE_ENGINES else fails
    if samples.ticks and by_slot != samples.moved_bytes:
        says = f"The series over time adds up to {format_size(by_slot)} of {format_size(samples.moved_bytes)}; "
        return verdict(says + "do not judge steadiness and stalls by it.", by_slot, samples.moved_bytes)
    if samples.latency is not None and samples.latency.ops_count != samples.ops_count:
        says = f"Latencies were kept for {samples.latency.ops_count} of {samples.ops_count} requests; "
        return verdict(says + "do not use the latencies.", samples.moved_bytes, samples.moved_bytes)
    return None
