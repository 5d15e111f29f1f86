"""What `formats` and `fits` print with --json."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graycard.media import Basis, Confidence, Fit, Format, Kind, Refused
from graycard.model import SCHEMA


@dataclass(frozen=True, slots=True)
class FormatEntry:
    """A format. `rate` are frames a second, exactly, as "24000/1001"; `width_count` and `height_count` are pixels.

    One that does not decide may be listed, but no verdict rests on it.
    """

    key: str
    family: str
    variant: str
    width_count: int | None
    height_count: int | None
    rate: str
    frames_per_s: float
    frame_bytes: int
    bytes_per_s: float
    bits_per_s: float
    kind: Kind
    bits: str | None
    chroma: str | None
    file_per_frame: bool
    source: str
    confidence: Confidence
    decides: bool
    note: str


@dataclass(frozen=True, slots=True)
class FormatsDocument:
    """What `formats` prints with --json."""

    schema: str = SCHEMA
    formats: tuple[FormatEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class FitsDocument:
    """What `fits` prints with --json: for each format and direction a verdict, and the figures that they rest on."""

    schema: str = SCHEMA
    streams_count: int = 1
    headroom_ratio: float = 0.0
    bases: tuple[Basis, ...] = ()
    refused: tuple[Refused, ...] = ()
    formats: tuple[FormatEntry, ...] = ()
    fits: tuple[Fit, ...] = ()
    notes: tuple[str, ...] = ()


def entries(found: Iterable[Format]) -> tuple[FormatEntry, ...]:
    """The formats as the documents have them."""
    return tuple(_entry(each) for each in found)


def _entry(each: Format) -> FormatEntry:
    return FormatEntry(
        key=each.key,
        family=each.family,
        variant=each.variant,
        width_count=each.width,
        height_count=each.height,
        rate=str(each.rate),
        frames_per_s=float(each.rate),
        frame_bytes=each.frame_bytes,
        bytes_per_s=each.bytes_per_s,
        bits_per_s=each.bits_per_s,
        kind=each.kind,
        bits=each.bits,
        chroma=each.chroma,
        file_per_frame=each.has_file_per_frame,
        source=each.source,
        confidence=each.confidence,
        decides=each.decides,
        note=each.note,
    )
