"""Formats of the user's own: by size, rate and depth ("3840x2160/25/10bit-422"), or by bytes a frame ("8MB/25")."""

from __future__ import annotations

import re
from fractions import Fraction

from graycard.errors import PlanProblem
from graycard.media.format import Confidence, Format, Kind
from graycard.media.formulas import packed
from graycard.media.rates import rate_text
from graycard.media.sizes import frame_size_text
from graycard.units import format_size, parse_size

# Samples a pixel in twice the number, so that 4:2:0 stays whole.
_HALF_SAMPLES = {
    "400": 2,
    "gray": 2,
    "mono": 2,
    "bayer": 2,
    "raw": 2,
    "420": 3,
    "422": 4,
    "444": 6,
    "rgb": 6,
    "yuv444": 6,
    "yuv422": 4,
    "yuv420": 3,
    "rgba": 8,
    "argb": 8,
    "4444": 8,
}
_SHOWN = {
    "400": "mono",
    "420": "4:2:0",
    "422": "4:2:2",
    "444": "4:4:4",
    "4444": "4:4:4:4",
    "rgb": "RGB",
    "rgba": "RGBA",
}
_DEPTH = re.compile(r"([0-9]{1,2})(?:-?bits?|b)")
_PLAIN_SIZE = re.compile(r"[0-9.]+[kmgt]?i?b", re.IGNORECASE)
_MOST_FRAME_BYTES = 1 << 34
CUSTOM = "custom"


def is_frame_bytes(word: str) -> bool:
    """Whether a word is the bytes of a frame, as "8MB" or "custom-8000000b"."""
    return bool(_PLAIN_SIZE.fullmatch(word.removeprefix(f"{CUSTOM}-")))


def of_frame_bytes(word: str, rate: Fraction) -> Format:
    """A format of which only the bytes of a frame are known. PlanProblem where they make no frame."""
    try:
        frame_bytes = parse_size(word.removeprefix(f"{CUSTOM}-"))
    except ValueError as error:
        raise PlanProblem(str(error)) from None
    note = "the bytes of a frame as given"
    return _custom(
        f"{CUSTOM}-{frame_bytes}b/{rate_text(rate)}", format_size(frame_bytes), None, rate, frame_bytes, note
    )


def depth_and_chroma(words: list[str]) -> tuple[int, str] | None:
    """Bits a sample and the samples' pattern of words such as "10bit", "422"; None where they say no such thing."""
    parts = [part for word in words for part in _parts(word) if part != CUSTOM]
    depths = [int(match[1]) for part in parts if (match := _DEPTH.fullmatch(part))]
    patterns = [part for part in parts if part in _HALF_SAMPLES]
    if len(depths) != 1 or len(patterns) != 1 or len(parts) != 2 or not 1 <= depths[0] <= 32:
        return None
    return depths[0], patterns[0]


def _parts(word: str) -> list[str]:
    """The parts of "custom-10bit-422", "4:2:2" or "12-bit"."""
    joined = re.sub(r"([0-9]+)-bit", r"\1bit", word.replace(":", ""))
    return [part for part in joined.split("-") if part]


def of_depth(width: int, height: int, rate: Fraction, bits: int, pattern: str) -> Format:
    """An uncompressed format: samples side by side, without padding or header."""
    half_samples = _HALF_SAMPLES[pattern]
    frame_bytes = -(-packed(width, height, bits_per_pixel=bits * half_samples) // 2)
    key = f"{CUSTOM}-{bits}bit-{pattern}/{frame_size_text(width, height)}/{rate_text(rate)}"
    note = "samples side by side, without padding or header"
    chroma = _SHOWN.get(pattern, pattern)
    return _custom(key, f"{bits}-bit {chroma}", (width, height), rate, frame_bytes, note, str(bits), chroma)


def _custom(
    key: str,
    variant: str,
    pixels: tuple[int, int] | None,
    rate: Fraction,
    frame_bytes: int,
    note: str,
    bits: str | None = None,
    chroma: str | None = None,
) -> Format:
    if not 0 < frame_bytes <= _MOST_FRAME_BYTES:
        raise PlanProblem(f"a frame of {format_size(frame_bytes)} is none; write for example 8MB/25")
    width, height = pixels or (None, None)
    return Format(
        key=key,
        family="Custom",
        variant=variant,
        width=width,
        height=height,
        rate=rate,
        frame_bytes=frame_bytes,
        kind=Kind.CONSTANT,
        bits=bits,
        chroma=chroma,
        source="as given" if pixels is None else "arithmetic",
        confidence=Confidence.HIGH,
        decides=True,
        note=note,
    )
