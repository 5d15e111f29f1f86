"""What a figure is enough for: frames a second, streams, and yes, tight or no, for a format and a direction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graycard.media.format import Format
from graycard.media.rates import rate_text
from graycard.media.sustained import Basis
from graycard.model import Operation
from graycard.units import percent, significant

# No fixed margin has a reliable source; a manual of Blackmagic names 20 to 30 % for arrays, and 100 % for two disks.
HEADROOM_RATIO = 0.2
MOST_STREAMS_COUNT = 1000


class Enough(StrEnum):
    """tight: the figure suffices without the headroom. not decided: see why."""

    YES = "yes"
    TIGHT = "tight"
    NO = "no"
    UNDECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class Fit:
    """One format in one direction. `frames_per_s` is what the figure gives one stream, `most_streams_count` how many
    streams fit it with the headroom, without the cost of seeks; None where there is no figure. `says` is why.
    """

    format_key: str
    operation: Operation
    verdict: Enough
    frames_per_s: float | None
    most_streams_count: int | None
    says: str


def fit(wanted: Format, basis: Basis, *, streams_count: int = 1, headroom_ratio: float = HEADROOM_RATIO) -> Fit:
    """The verdict for `streams_count` streams of the format, with `headroom_ratio` above what they ask for.

    yes: the sustained figure ≥ streams × frame bytes × rate × (1 + headroom); tight: ≥ without the headroom, or a
    figure with stalls; no: below. No verdict from a basis or a format that does not decide, and no yes for a format
    of one file a frame, whose opening and closing no large block tells.
    """
    rate = basis.sustained_bytes_per_s
    if rate is None:
        return Fit(wanted.key, basis.operation, Enough.UNDECIDED, None, None, basis.undecided or "")
    per_stream = wanted.bytes_per_s
    verdict, says = _verdict(wanted, basis, rate / (per_stream * streams_count), headroom_ratio)
    frames = rate / wanted.frame_bytes
    # A hair more, so that a figure of exactly so many streams is not lost to rounding.
    streams = int(rate / (per_stream * (1 + headroom_ratio)) + 1e-9)
    return Fit(wanted.key, basis.operation, verdict, frames, streams, says)


def _verdict(wanted: Format, basis: Basis, share: float, headroom_ratio: float) -> tuple[Enough, str]:
    """The verdict and why; `share` is the figure over what the streams ask for."""
    if basis.undecided:
        return Enough.UNDECIDED, basis.undecided
    if not wanted.decides:
        return (
            Enough.UNDECIDED,
            f"its bytes are known from a source of {wanted.confidence.value} confidence ({wanted.kind.value})",
        )
    if share < 1:
        return Enough.NO, f"{percent(share)} of what it asks for at {rate_text(wanted.rate)} frames a second"
    if wanted.has_file_per_frame:
        return Enough.UNDECIDED, "one file a frame: opening and closing decide, too"
    if share < 1 + headroom_ratio:
        return Enough.TIGHT, f"{percent(share - 1)} headroom, {percent(headroom_ratio)} is asked for"
    if basis.longest_stall_ns:
        return Enough.TIGHT, f"its stalls last up to {_frames(wanted, basis.longest_stall_ns)} frames"
    return Enough.YES, f"{significant(share)} times what it asks for"


def _frames(wanted: Format, time_ns: int) -> int:
    return -int(-time_ns * wanted.rate // 1_000_000_000)
