"""Whether direct I/O was real. Being accepted proves nothing: tmpfs, FUSE and btrfs take O_DIRECT and buffer.

open(2): misaligned O_DIRECT "can either fail with EINVAL or fall back to buffered I/O". So four things are looked
at: a misaligned read that must fail, the alignment that the file system states (statx STATX_DIOALIGN, Linux 6.1), a
direct write watched while it goes on (btrfs drops its pages at the end of each), and above all the pages that lie in
the page cache after the runs and did not before.
"""

from __future__ import annotations

from graycard.checks.evidence import CheckEvidence, file_facts
from graycard.checks.presence import missing_bytes
from graycard.checks.provenance import LEAST_RATIO, vouched_ratio
from graycard.checks.verdicts import Found, caveat, fails, passes, single, unknown
from graycard.facts import number, value
from graycard.model import Cache, Check
from graycard.units import percent

# Direct I/O leaves no pages; 2 % of the file, and at least what a probe with its readahead window may leave.
CACHED_RATIO = 0.02
PROBE_BYTES = 512 << 10


def direct_was_real(evidence: CheckEvidence) -> Check:
    """The share of the file that lies in the page cache after the runs, and how a misaligned read was answered."""
    return single("direct_was_real", _judge(evidence), "ratio", CACHED_RATIO)


def _judge(evidence: CheckEvidence) -> Found:
    if evidence.in_memory:
        return fails(f"{evidence.file_system} keeps everything in memory, however it is opened; choose a drive.")
    if not evidence.bypasses:
        return _on_purpose(evidence)
    if value(evidence.file_after, "direct_requested") is False:
        return fails("The file was not opened for direct I/O, so this computer's memory took part; measure again.")
    cached = _cached_share(evidence)
    if cached is not None and cached > 0:
        return fails(_buffered(evidence, f"{percent(cached)} of the file is in the page cache"), cached, 0.0)
    if _writes_were_seen_in_memory(evidence):
        return fails(_buffered(evidence, "a trial write was seen in the page cache"), cached, 0.0)
    return _by_answers(evidence, cached)


def _on_purpose(evidence: CheckEvidence) -> Found:
    if evidence.task.cache is Cache.WARM:
        return caveat("Measured through this computer's memory on purpose (--cache warm): programs may see this speed.")
    says = "Measured through the page cache (--cache cold): the system reads ahead and writes later, "
    return caveat(says + "as it does for most programs.")


def _by_answers(evidence: CheckEvidence, cached: float | None) -> Found:
    """Nothing in the page cache, or not known: what the file system answered must tell."""
    refused = value(evidence.file_after or evidence.file_before, "direct_misaligned_refused")
    aligned = number(evidence.file_after or evidence.file_before, "direct_align_bytes")
    if refused is True:
        return passes(
            "The file system did the I/O past the page cache and refused what direct I/O cannot do.", cached, 0.0
        )
    if refused is None and aligned is not None and cached is not None:
        return passes(
            "The file system states its direct I/O, and nothing of the file is in the page cache.", cached, 0.0
        )
    if cached is not None and evidence.on_network:
        return passes("Nothing of the file is in this computer's page cache.", cached, 0.0)
    if any(missing_bytes(facts) for _, facts in file_facts(evidence)):
        says = "Whether direct I/O was real cannot be told from a file that is not all there."
        return unknown(says, cached, 0.0)
    return _by_witness(evidence, cached, accepted=refused is False)


def _by_witness(evidence: CheckEvidence, cached: float | None, *, accepted: bool) -> Found:
    """The answers leave it open: the bytes that the drive itself counted decide."""
    if _drive_moved_every_byte(evidence):
        if cached is not None:
            return passes("The file system does not promise direct I/O, but the drive moved every byte.", cached, 0.0)
        says = "Whether direct I/O was real cannot be seen, but the drive moved every byte, "
        return caveat(says + "perhaps by way of this computer's memory.", cached, 0.0)
    if accepted:
        says = (
            f"{_name(evidence)} accepted what true direct I/O must refuse, and no counter proves that a drive worked; "
        )
        return fails(says + "use --cache cold and a file larger than this computer's memory.", cached, 0.0)
    return unknown(f"Whether direct I/O was real cannot be told: {_name(evidence)} does not say.", cached, 0.0)


def _cached_share(evidence: CheckEvidence) -> float | None:
    """Share of the file that the runs left in the page cache; 0.0 when within the tolerance, None when unknown.

    Pages that were there before are another program's, as after copying the file; they count only if the drive did
    not deliver the bytes.
    """
    cached = number(evidence.file_after, "file_cached_bytes")
    size = number(evidence.file_after, "file_size_bytes") or evidence.task.span_bytes
    if cached is None:
        return None
    before = number(evidence.file_before, "file_cached_bytes") or 0.0
    new = cached - before if _drive_moved_every_byte(evidence) else cached
    return cached / size if new > max(CACHED_RATIO * size, PROBE_BYTES) else 0.0


def _drive_moved_every_byte(evidence: CheckEvidence) -> bool:
    ratios = [vouched_ratio(evidence, run) for run in evidence.runs]
    return bool(ratios) and all(ratio is not None and ratio >= LEAST_RATIO for ratio in ratios)


def _writes_were_seen_in_memory(evidence: CheckEvidence) -> bool:
    """Whether a trial write into a plain file was buffered; a file without checksums is none."""
    nocow = value((*evidence.file_before, *evidence.file_after), "nocow") is True
    return evidence.is_write and not nocow and value(evidence.facts, "direct_write_buffered") is True


def _buffered(evidence: CheckEvidence, seen: str) -> str:
    says = f"{_name(evidence)} took direct I/O but buffered it: {seen}"
    facts = (*evidence.facts, *evidence.file_before, *evidence.file_after)
    if value(facts, "copy_on_write") is True and value(facts, "nocow") is not True:
        return f"{says}, as its checksums require since Linux 6.15; use --nocow, or --cache cold to accept it."
    return f"{says}; use --cache cold and a file larger than this computer's memory."


def _name(evidence: CheckEvidence) -> str:
    return f"The file system {evidence.file_system}" if evidence.file_system else "The file system"
