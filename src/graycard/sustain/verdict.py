"""What the curve means, in words; a cause is named only with its evidence, else it is said what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from graycard.checks.condition import HOT_DISK_CELSIUS, HOT_SSD_CELSIUS
from graycard.facts import number, value
from graycard.model import Check, Fact, Run, Verdict
from graycard.stats import sentences
from graycard.sustain.curve import SECOND_NS, Change, Curve
from graycard.units import format_duration, format_rate, format_size, percent

# From this share of the time on, stalls are what a user notices first (as in a result's steadiness).
STALLING_RATIO = 0.01
# What protocols leave of a link after its coding: UASP 5 Gbit/s 400 to 470 of 500 MB/s, SATA 500 to 560 of 600.
LINK_RATIO = 0.8
# USB 2.0 passes 30 to 45 MB/s of the 53 that its packets could carry (card readers, FreeBSD diskinfo: 34 to 36).
USB2_BITS_PER_S, USB2_BYTES_PER_S = 480_000_000, 30e6
# Reading that goes on as fast as the burst shows that neither link nor controller is slower.
READ_RATIO = 0.8
READ_APART_RATIO = 1.5
# A reading of the temperature so near the change tells of it; where readings are rarer, the next one.
_NEAR_NS = 15 * SECOND_NS
# Between drive and measurement stands something that may limit the rate by itself.
_GO_BETWEEN = {"virtio": "the host of this virtual machine", "loop": "what lies below the image file"}


class Kind(StrEnum):
    """What happens when one writes on."""

    CACHE_FULL = "cache full"
    HEAT = "throttled by heat"
    LINK = "link limit"
    STEADY = "steady"
    UNDULATING = "undulating"
    STALLING = "stalling"
    FALLS = "falls"
    DECLINES = "declines"
    RISES = "rises"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict with its sentence and the evidence: what speaks for it, and what could not be told."""

    kind: Kind
    says: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a cause is judged by. `run` is the writing; `read_bytes_per_s` None as long as nothing was read back."""

    facts: tuple[Fact, ...]
    run: Run
    checks: tuple[Check, ...] = ()
    is_buffered: bool = False
    read_bytes_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Heat:
    """Whether the drive was too hot: True or False by what it tells, None where that does not decide."""

    hot: bool | None
    says: str


def judge(curve: Curve, evidence: Evidence) -> Judged:
    """The verdict of a curve."""
    if not curve.telling:
        says = f"{format_duration(curve.burst.end_ns)} are too short to see whether the rate falls; write more."
        return Judged(Kind.UNKNOWN, says)
    fall = curve.fall
    if curve.undulation and not curve.changes:
        return Judged(Kind.UNDULATING, sentences.swings(curve.undulation))
    if fall is not None:
        return _fallen(curve, fall, evidence)
    if curve.changes:
        return Judged(Kind.RISES, _rise(curve))
    if curve.stalls and curve.stalls.share_ratio >= STALLING_RATIO:
        return Judged(Kind.STALLING, sentences.stalling(curve.stalls))
    return _even(curve, evidence)


def heat(evidence: Evidence, at_ns: int) -> Heat:
    """What the drive tells of its temperature about that moment of the run."""
    if value(evidence.run.after, "throttled") is True:
        return Heat(hot=True, says="the drive says that it slows itself down because of heat")
    celsius, limit = _celsius(evidence.run, at_ns), number(evidence.facts, "temperature_limit_celsius")
    if celsius is None:
        return Heat(hot=None, says="the drive does not tell its temperature, so heat is not ruled out")
    if limit is not None and celsius >= limit:
        return Heat(hot=True, says=f"the drive had {celsius:.0f} °C then, and warns from {limit:.0f} °C on")
    usual = HOT_DISK_CELSIUS if value(evidence.facts, "rotational") is True else HOT_SSD_CELSIUS
    if limit is None and celsius >= usual:
        return Heat(
            hot=None, says=f"the drive had {celsius:.0f} °C then and does not tell its limit, so heat is not ruled out"
        )
    own = (
        f"below its limit of {limit:.0f} °C"
        if limit is not None
        else f"below the {usual:.0f} °C from which drives slow"
    )
    return Heat(hot=False, says=f"it was not heat: the drive had {celsius:.0f} °C then, {own}")


def _celsius(run: Run, at_ns: int) -> float | None:
    """The highest reading about that moment, else the first one after it; readings before a heat-up do not count."""
    points = [point for series in run.monitor if series.name == "temperature_celsius" for point in series.points]
    near = [point.value for point in points if abs(point.at_ns - at_ns) <= _NEAR_NS]
    if near:
        return max(near)
    return next((point.value for point in points if point.at_ns > at_ns), None)


def _fallen(curve: Curve, fall: Change, evidence: Evidence) -> Judged:
    """The rate fell: to the cause that is shown, or to none."""
    warm = heat(evidence, fall.at_ns)
    if warm.hot:
        how = "falls bit by bit" if curve.gradual else f"falls after {_bytes(fall)}"
        return Judged(Kind.HEAT, f"Throttled by heat: the rate {how}, {_levels(curve)}.", (_sentence(warm.says),))
    if curve.gradual:
        first, last = curve.burst.rate.value, curve.sustained.rate.value
        says = f"The rate declines bit by bit, from {format_rate(first)} to {format_rate(last)}, without a cliff."
        return Judged(Kind.DECLINES, says, (*_disk(evidence), _sentence(warm.says)))
    doubts = tuple(_doubts(evidence))
    reads = _reads_fast(curve, evidence)
    if doubts or not (warm.hot is False or reads):
        says = f"The rate falls after {_bytes(fall)}, {_levels(curve)}. What makes it fall is not shown."
        missing = doubts or (warm.says, *_slow_reading(curve, evidence))
        return Judged(Kind.FALLS, says, tuple(map(_sentence, missing)))
    says = f"Cache full after {_bytes(fall)}: {_levels(curve)}."
    shown = (reads, warm.says) if reads else (warm.says,)
    return Judged(Kind.CACHE_FULL, says, tuple(map(_sentence, shown)))


def _doubts(evidence: Evidence) -> Iterator[str]:
    """What else may have slowed it: as long as it may, no cause is named."""
    if evidence.is_buffered:
        yield "it was written through the system's memory, which may have been what was full"
    bus = str(value(evidence.facts, "bus") or "")
    if bus in _GO_BETWEEN:
        yield f"{_GO_BETWEEN[bus]} may limit the rate"
    elif str(value(evidence.facts, "virtual_machine") or "none") != "none" and bus == "":
        yield f"{_GO_BETWEEN['virtio']} may limit the rate"
    for check in evidence.checks:
        if check.verdict is Verdict.FAIL and check.name == "instrument_not_limit":
            yield check.says.rstrip(".")
        if check.verdict in {Verdict.CAVEAT, Verdict.FAIL} and check.name in {"alone_on_device", "only_measurement"}:
            yield check.says.rstrip(".")


def _reads_fast(curve: Curve, evidence: Evidence) -> str | None:
    """The words where reading back was about as fast as the burst and much faster than the writing at the end."""
    read, burst, end = evidence.read_bytes_per_s, curve.burst.rate.value, curve.sustained.rate.value
    if read is None or read < READ_RATIO * burst or read < READ_APART_RATIO * end:
        return None
    return f"reading went on at {format_rate(read)}, so it is the writing that is slower, not the link"


def _slow_reading(curve: Curve, evidence: Evidence) -> Iterator[str]:
    read = evidence.read_bytes_per_s
    if read is None:
        yield "nothing was read back, which would tell a full cache from a slower link"
    elif _reads_fast(curve, evidence) is None:
        yield f"reading, too, was slower than the burst ({format_rate(read)}), as where the whole drive or link slows"


def _disk(evidence: Evidence) -> Iterator[str]:
    if value(evidence.facts, "rotational") is True and value(evidence.facts, "bus") not in _GO_BETWEEN:
        yield "It is a disk that turns: its inner tracks hold, and move, about half as much as its outer ones."


def _even(curve: Curve, evidence: Evidence) -> Judged:
    rate, length = curve.sustained.rate.value, format_size(_moved(curve))
    limit, share = link_share(evidence.facts, rate)
    if limit is not None and share is not None:
        says = f"Link limit: {format_rate(rate)} over all {length}, flat."
        return Judged(Kind.LINK, says, (f"The link carries {format_rate(limit)} at most, and this is {share} of it.",))
    says = f"Steady: {format_rate(rate)} over all {length}, no cliff."
    ceiling = _ceiling(evidence.facts)
    if ceiling is None:
        return Judged(Kind.STEADY, says, ("Whether the link limits it cannot be told: its speed is not known.",))
    return Judged(Kind.STEADY, says, (f"It is not the link, which carries {format_rate(ceiling)}.",))


def link_share(facts: tuple[Fact, ...], rate: float) -> tuple[float | None, str | None]:
    """The link's ceiling and the rate's share of it in words, where the rate is at the ceiling; else None twice."""
    ceiling = _ceiling(facts)
    if ceiling is None or rate > ceiling * 1.05:
        return None, None
    usb2 = number(facts, "link_bits_per_s") == USB2_BITS_PER_S and rate >= USB2_BYTES_PER_S
    if not usb2 and rate < LINK_RATIO * ceiling:
        return None, None
    return ceiling, percent(rate / ceiling) + (", as much as USB 2.0 drives reach," if usb2 else "")


def _ceiling(facts: tuple[Fact, ...]) -> float | None:
    bits = number(facts, "link_bits_per_s")
    return number(facts, "link_ceiling_bytes_per_s") or (bits / 8 if bits else None)


def _rise(curve: Curve) -> str:
    change = curve.changes[0]
    return f"The rate rises after {_bytes(change)}, {_levels(curve)}."


def _bytes(change: Change) -> str:
    """The place with its interval: "42.1 GB (41.9 to 42.3 GB)"."""
    low, high = change.at.low or 0.0, change.at.high or 0.0
    return f"{format_size(change.at.value)} ({format_size(low)} to {format_size(high)})"


def _levels(curve: Curve) -> str:
    rates = [format_rate(phase.rate.value) for phase in curve.phases]
    return f"{rates[0]} before, {', then '.join(rates[1:])}"


def _moved(curve: Curve) -> float:
    last = curve.sustained
    return last.start_bytes + last.rate.value * (last.end_ns - last.start_ns) / SECOND_NS


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
