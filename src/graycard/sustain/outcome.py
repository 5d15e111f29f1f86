"""What a sustained test found, as it is shown and printed."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import Estimate, Phase, Result, Series, Stalls, Undulation
from graycard.sustain.curve import Change, Curve
from graycard.sustain.proof import Proof
from graycard.sustain.recovery import Recovery
from graycard.sustain.verdict import Judged, Kind


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one test. Unknown is None: not reached, or not told by the drive.

    `cache` are the bytes until the first fall; `ended` says why the writing ended before its bytes were written.
    """

    verdict: Kind
    says: str
    because: tuple[str, ...]
    ended: str | None
    written_bytes: int
    burst: Estimate
    cache: Estimate | None
    sustained: Estimate
    phases: tuple[Phase, ...]
    changes: tuple[Change, ...]
    worst_second: Estimate | None
    worst_at_ns: int | None
    stalls: Stalls | None
    undulation: Undulation | None
    coolest_celsius: float | None
    hottest_celsius: float | None
    read_back: Estimate | None = None
    proof: Proof | None = None
    recovery: Recovery | None = None


@dataclass(frozen=True, slots=True)
class Sustained:
    """A test as far as it has got: its results as they are stored, the figures, and sentences about all of it."""

    id: str
    results: tuple[Result, ...]
    figures: Figures
    notes: tuple[str, ...]


def figures(
    curve: Curve, judged: Judged, written_bytes: int, monitor: tuple[Series, ...], ended: str | None
) -> Figures:
    """The figures of the writing."""
    heat = [point.value for series in monitor if series.name == "temperature_celsius" for point in series.points]
    worst = curve.worst_bytes_per_s
    return Figures(
        verdict=judged.kind,
        says=judged.says,
        because=judged.because,
        ended=ended,
        written_bytes=written_bytes,
        burst=curve.burst.rate,
        cache=curve.fall.at if curve.fall else None,
        sustained=curve.sustained.rate,
        phases=curve.phases,
        changes=curve.changes,
        worst_second=None if worst is None else Estimate(worst, None, None, "bytes/s", 1, None, "the slowest second"),
        worst_at_ns=curve.worst_ns,
        stalls=curve.stalls,
        undulation=curve.undulation,
        coolest_celsius=min(heat, default=None),
        hottest_celsius=max(heat, default=None),
    )
