"""Whether what was read back came from the drives: the kernel's count of this process's bytes is the witness."""

from __future__ import annotations

from collections.abc import Sequence

from graycard.checks import CheckEvidence
from graycard.facts import number
from graycard.model import Check, Fact, IoTask, Operation, Pattern, Verdict
from graycard.offload.job import Place

# Direct I/O moves exactly what was asked; readahead and metadata only add to it.
LEAST_RATIO = 0.98
_NAME = "from_device"


def from_device(places: Sequence[Place], moved_bytes: int, before: tuple[Fact, ...], after: tuple[Fact, ...]) -> Check:
    """One check for all places that were read at once: bytes that this process fetched from storage over those asked.

    Unknown where a file system or the platform charges nothing to the process; a caveat where less came than asked.
    """
    fetched = _fetched(places, before, after)
    if fetched is None or not moved_bytes:
        says = "Whether the drives delivered what was read back cannot be proven here: nothing counts it."
        return Check(_NAME, 1.0, None, "ratio", 1 - LEAST_RATIO, Verdict.UNKNOWN, says)
    ratio = fetched / moved_bytes
    if ratio >= LEAST_RATIO:
        says = f"The drives delivered {ratio:.0%} of the bytes that were read back."
        return Check(_NAME, 1.0, ratio, "ratio", 1 - LEAST_RATIO, Verdict.PASS, says)
    says = (
        f"The drives delivered only {ratio:.0%} of the bytes that were read back: the rest came from memory, "
        "or the volume compresses or keeps its files in memory."
    )
    return Check(_NAME, 1.0, ratio, "ratio", 1 - LEAST_RATIO, Verdict.CAVEAT, says)


def _fetched(places: Sequence[Place], before: tuple[Fact, ...], after: tuple[Fact, ...]) -> float | None:
    task = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1, 1)
    if not all(CheckEvidence(task, place.facts, ()).counts_own_bytes for place in places):
        return None
    readings = (_own(before), _own(after))
    return readings[1] - readings[0] if readings[0] is not None and readings[1] is not None else None


def _own(facts: tuple[Fact, ...]) -> float | None:
    return number(facts, "own_read_bytes")
