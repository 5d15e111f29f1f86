"""The state of the drive and of the run: the link's limit, heat, fullness, and how much was covered."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.checks.evidence import CheckEvidence
from graycard.checks.verdicts import NO_RUNS, Found, by_run, caveat, fails, largest, passes, single, unknown
from graycard.facts import number, value
from graycard.model import Cache, Check, Fact, Run
from graycard.units import format_rate, percent

# What passes a link cannot exceed it; 5 % for a ceiling that is itself rounded.
LINK_RATIO = 0.05
# Where the drive does not tell its own limit: SSDs slow down from 70 °C on, disks are rated to 60 °C.
HOT_SSD_CELSIUS = 70.0
HOT_DISK_CELSIUS = 60.0
# A full drive has few free blocks left to write to; drive makers keep 7 to 10 % for themselves.
FULL_RATIO = 0.9
# Under a hundredth of the file, the figure is one of a small place on the drive.
COVERED_RATIO = 0.01
# A run that was to take a time and took less than nine tenths of it ended for another reason.
EARLY_RATIO = 0.9


def physically_possible(evidence: CheckEvidence) -> Check:
    """The rate against what can pass the negotiated link."""
    return by_run("physically_possible", evidence, _link, "bytes/s", LINK_RATIO, largest)


def temperature(evidence: CheckEvidence) -> Check:
    """The highest reading against the drive's own limit."""
    return single("temperature", _heat(evidence), "celsius")


def nearly_full(evidence: CheckEvidence) -> Check:
    """How much of the volume is in use."""
    used = number(evidence.facts, "used_ratio")
    if used is None:
        found = unknown("How full the volume is cannot be told.", None, FULL_RATIO)
    elif used > FULL_RATIO:
        says = (
            f"The volume is {percent(used)} full; nearly full drives write more slowly, so free some space and repeat."
        )
        found = caveat(says, used, FULL_RATIO)
    else:
        found = passes(f"The volume is {percent(used)} full.", used, FULL_RATIO)
    return single("nearly_full", found, "ratio", 0.0)


def covered(evidence: CheckEvidence) -> Check:
    """How much of the file all runs together can have touched, and whether they ended early."""
    return single("covered", _coverage(evidence), "ratio")


def _link(evidence: CheckEvidence, run: Run) -> Found:
    limit, rate = _limit_bytes_per_s(evidence.facts), run.samples.rate_bytes_per_s
    if evidence.task.cache is Cache.WARM and not evidence.is_write:
        return passes("Memory was to be read, which no link limits.", rate, limit)
    if limit is None or rate is None:
        return unknown("Whether the link allows this rate cannot be told: its speed is not known.", rate, limit)
    shown = f"{format_rate(rate)} over a link that carries {format_rate(limit)}"
    if rate <= limit * (1 + LINK_RATIO):
        return passes(f"{shown}.", rate, limit)
    says = "is impossible, so a cache answered; use a larger file, and --durability at_end for writes"
    return fails(f"{shown} {says}.", rate, limit)


def _limit_bytes_per_s(facts: tuple[Fact, ...]) -> float | None:
    """The ceiling after line coding, else the signalling rate; None when neither is known."""
    ceiling, bits = number(facts, "link_ceiling_bytes_per_s"), number(facts, "link_bits_per_s")
    return ceiling or (bits / 8 if bits else None)


def _heat(evidence: CheckEvidence) -> Found:
    limit = number(evidence.facts, "temperature_limit_celsius")
    if limit is None:
        limit = HOT_DISK_CELSIUS if value(evidence.facts, "rotational") is True else HOT_SSD_CELSIUS
    hottest = max(_readings(evidence, "temperature_celsius"), default=None)
    if any(value(facts, "throttled") is True for facts in _all_facts(evidence)):
        says = "The drive slowed itself down because of heat; let it cool and repeat, or read this as its warm speed."
        return caveat(says, hottest, limit)
    if hottest is None:
        return unknown("The drive does not tell its temperature.", None, limit)
    if hottest >= limit:
        says = (
            f"The drive reached {hottest:.0f} °C, and from {limit:.0f} °C on drives slow down; let it cool and repeat."
        )
        return caveat(says, hottest, limit)
    return passes(f"The drive stayed at {hottest:.0f} °C or below.", hottest, limit)


def _readings(evidence: CheckEvidence, name: str) -> Iterator[float]:
    for facts in _all_facts(evidence):
        found = number(facts, name)
        if found is not None:
            yield found


def _all_facts(evidence: CheckEvidence) -> Iterator[tuple[Fact, ...]]:
    yield evidence.facts
    for run in evidence.runs:
        yield from (run.before, run.after)


def _coverage(evidence: CheckEvidence) -> Found:
    if not evidence.runs:
        return unknown(NO_RUNS, None, 1.0)
    moved = sum(run.samples.moved_bytes for run in evidence.runs)
    ratio = moved / evidence.task.span_bytes
    early = [number for number, run in enumerate(evidence.runs, 1) if _ended_early(evidence, run)]
    if early:
        shown = f"Run {early[0]} of {len(evidence.runs)} ended before its time and its bytes were up"
        return caveat(f"{shown}; look for errors and repeat.", ratio, 1.0)
    if ratio < COVERED_RATIO:
        says = f"All runs together touched {percent(ratio)} of the file at most; use more time for a firmer figure."
        return caveat(says, ratio, 1.0)
    return passes(f"The runs together moved {percent(ratio)} of the file's size.", ratio, 1.0)


def _ended_early(evidence: CheckEvidence, run: Run) -> bool:
    time_ns, limit = evidence.task.time_ns, evidence.task.byte_limit
    if time_ns is None and limit is None:
        return False
    by_time = time_ns is not None and run.samples.elapsed_ns >= EARLY_RATIO * time_ns
    by_bytes = limit is not None and run.samples.moved_bytes >= EARLY_RATIO * limit
    return not by_time and not by_bytes
