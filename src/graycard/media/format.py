"""A video format: how many bytes its frame has, how many frames a second, and how far that is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Kind(StrEnum):
    """What the figure of a format is.

    target: what the codec aims at; constant: each frame has this size; nominal: the maker's figure, rounded;
    maximum: the most a device asks for; sample: measured on somebody's clips; estimate: from a rule of thumb.
    """

    TARGET = "target"
    CONSTANT = "constant"
    NOMINAL = "nominal"
    MAXIMUM = "maximum"
    SAMPLE = "sample"
    ESTIMATE = "estimate"


class Confidence(StrEnum):
    """How sure the source of a figure is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Format:
    """One format at one frame size and rate. `key` names it, as "prores-422-hq/uhd/25".

    `width` and `height` are pixels, None where only the bytes of a frame were given. `rate` are frames per second,
    exactly. `frame_bytes` are the bytes of a frame; where sources differ, the larger. `bits` may be "10/12" or "16f".
    A format that does not decide (`decides`) may be listed, but no verdict is made from it.
    """

    key: str
    family: str
    variant: str
    width: int | None
    height: int | None
    rate: Fraction
    frame_bytes: int
    kind: Kind
    bits: str | None
    chroma: str | None
    source: str
    confidence: Confidence
    decides: bool
    note: str = ""

    @property
    def bytes_per_s(self) -> float:
        """Bytes of video a second, without audio."""
        return self.frame_bytes * self.rate.numerator / self.rate.denominator  # as a Fraction, at a tenth of its cost

    @property
    def bits_per_s(self) -> float:
        """Bits of video a second, without audio."""
        return 8 * self.bytes_per_s

    @property
    def has_file_per_frame(self) -> bool:
        """Whether each frame is a file of its own, so that opening and closing decide beside the bytes."""
        return self.family in {"Image sequence", "CinemaDNG"}
