"""Whether the file is there in full: holes, unwritten parts and compression move fewer bytes than were asked for."""

from __future__ import annotations

from graycard.checks.evidence import CheckEvidence, file_facts
from graycard.checks.verdicts import Found, caveat, fails, passes, single, unknown, worst
from graycard.facts import number, value
from graycard.model import Check, Fact
from graycard.units import format_size

_NOT_THERE = {
    "file_unwritten_bytes": "are reserved but were never written (a count of blocks does not show it)",
    "file_hole_bytes": "are holes",
}
# What `compression` says when there is none.
_NO_COMPRESSION = {"off", "none", "no", ""}


def file_is_there(evidence: CheckEvidence) -> Check:
    """Bytes of the file that read as zeros without the drive; one is too many (traps 3 and 4)."""
    found = worst(_missing(when, facts) for when, facts in file_facts(evidence))
    return single("file_is_there", found, "bytes", 0.0)


def missing_bytes(facts: tuple[Fact, ...]) -> float:
    """Holes and parts never written, as far as they are known."""
    return sum(number(facts, name) or 0.0 for name in _NOT_THERE)


def compressed_bytes(evidence: CheckEvidence) -> float:
    """Bytes of the file that are stored compressed; FIEMAP marks encrypted ones alike, and those are none."""
    facts = (*evidence.facts, *evidence.file_before, *evidence.file_after)
    if str(value(facts, "encryption") or "off").lower() not in _NO_COMPRESSION:
        return 0.0
    return max((number(facts, "file_encoded_bytes") or 0.0 for _, facts in file_facts(evidence)), default=0.0)


def _missing(when: str, facts: tuple[Fact, ...]) -> Found:
    counts = {name: number(facts, name) for name in _NOT_THERE}
    for name, says in _NOT_THERE.items():
        missing = counts[name]
        if missing:
            shown = f"{format_size(missing)} of the file {says} {when}"
            return fails(f"{shown}, so they move without the drive; write it fully first.", missing, 0)
    if None in counts.values():
        return unknown(
            "Whether every block of the file was written cannot be told: the file system does not say.", None, 0
        )
    return passes("Every block of the file has been written.", 0, 0)


def not_compressed(evidence: CheckEvidence) -> Check:
    """Bytes stored encoded, the volume's setting, and a probe with zeros (trap 7)."""
    return single("not_compressed", _compression(evidence), "bytes", 0.0)


def _compression(evidence: CheckEvidence) -> Found:
    facts = (*evidence.facts, *evidence.file_before, *evidence.file_after)
    encoded = compressed_bytes(evidence)
    if encoded:
        says = f"{format_size(encoded)} of the file are stored compressed, so fewer bytes moved than the figure says; "
        return fails(says + "use data that cannot be compressed, or a folder without compression.", encoded, 0)
    compresses = _compresses(facts)
    if compresses is None:
        return unknown("Whether the volume compresses cannot be told.", None, 0)
    if not compresses:
        return passes("The volume does not compress.", encoded, 0)
    return _on_compressing(evidence, encoded)


def _compresses(facts: tuple[Fact, ...]) -> bool | None:
    """The probe, or the setting where there was none; a file without copy-on-write is never compressed."""
    probed, setting = value(facts, "volume_compresses"), value(facts, "compression")
    if value(facts, "nocow") is True:
        return False
    if probed is True or (setting is not None and str(setting).lower() not in _NO_COMPRESSION):
        return True
    return None if probed is None and setting is None else False


def _on_compressing(evidence: CheckEvidence, encoded: float) -> Found:
    if evidence.task.compressible_ratio > 0:
        says = "The volume compresses and the data can be compressed, so the figure is not the drive's; "
        return fails(says + "use data that cannot be compressed.", encoded, 0)
    says = "The volume compresses; these data cannot be compressed, as camera files cannot, "
    return caveat(says + "and compressible ones would give another figure.", encoded, 0)
