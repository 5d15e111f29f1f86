"""Bytes of a frame by formula, each with its source.

`w` and `h` are pixels; the results are bytes. Each formula is tested against every row of the table that has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

AJA = "AJA libajantv2 ntv2videodefines.h, ntv2enums.h"
SMPTE_DPX = "SMPTE 268M header, 2048 bytes"
OPENEXR = "OpenEXR file layout (openexr.com)"
DNXHR = "Avid DNxHR bandwidth table; constants of pyaaf2 and FFmpeg dnxhddata.c"
DNXHR_WEIGHTS = {"444": 57344, "hqx": 28672, "hq": 28672, "sq": 18944, "lb": 5888}
# 768 bytes of file, 640 of image, 256 of orientation, 256 of film and 128 of television information.
DPX_HEADER_BYTES = 2048
EXR_HEADER_BYTES = {3: 342, 4: 360}
# The headers and the table of strips of a TIFF, about.
_TIFF_HEADER_BYTES = 1024
# ARRI's own figures are this much above the pixels of three ALEXA XT modes: the header.
ARRIRAW_HEADER_RATIO = 0.002
# Listed rates of Blackmagic RAW lie up to this far above pixels × 12 bits ÷ ratio (small frames are the worst).
BRAW_MOST_RATIO = 1.12
# RED's own figures of two compressions over a 12-bit frame ÷ ratio.
REDCODE_RATIO = 1.017


def ceil_div(value: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-value // divisor)


def packed(w: int, h: int, *, bits_per_pixel: int) -> int:
    """Samples side by side without padding; the frame ends on a whole byte."""
    return ceil_div(w * h * bits_per_pixel, 8)


def v210(w: int, h: int) -> int:
    """10-bit 4:2:2: 6 pixels in 16 bytes, rows padded to 128 bytes (wiki.multimedia.cx V210; AJA; FFmpeg)."""
    return ceil_div(w, 48) * 128 * h


def r210(w: int, h: int) -> int:
    """10-bit RGB in 32-bit words, rows padded to 64 pixels (QuickTime r210; FFmpeg writes the same)."""
    return ceil_div(w, 64) * 256 * h


def dpx(w: int, h: int, *, bits_per_pixel: int) -> int:
    """A DPX file: header, then rows that start on 32 bits (SMPTE 268M). 10-bit RGB fills 32 bits, 12-bit 48."""
    return DPX_HEADER_BYTES + ceil_div(w * bits_per_pixel, 32) * 4 * h


def exr_half(w: int, h: int, *, channels: int) -> int:
    """An OpenEXR file of half floats, uncompressed scan lines: smallest header, table of offsets, rows (OpenEXR)."""
    return EXR_HEADER_BYTES[channels] + 8 * h + h * (8 + w * channels * 2)


def tiff(w: int, h: int, *, bytes_per_pixel: int) -> int:
    """An uncompressed TIFF with about 1 KiB of header; tools with many strips write some KiB more."""
    return w * h * bytes_per_pixel + _TIFF_HEADER_BYTES


def dnxhr(w: int, h: int, *, weight: int) -> int:
    """A DNxHR frame as Avid's table has it: a weight a macroblock, rounded to 4096 bytes, at least 8192."""
    return max(8192, (w * h * weight // (255 * 256) + 2048) // 4096 * 4096)


def dnxhr_larger(w: int, h: int, *, weight: int) -> int:
    """A DNxHR frame, the larger of Avid's table and of FFmpeg and pyaaf2, which round the height up to 16 first."""
    return max(dnxhr(w, h, weight=weight), dnxhr(w, ceil_div(h, 16) * 16, weight=weight))


def arriraw(w: int, h: int) -> int:
    """A 12-bit ARRIRAW frame with its header of about 0.2 % (arri.com, ALEXA XT/XR)."""
    payload = packed(w, h, bits_per_pixel=12)
    return payload + ceil_div(payload * 2, 1000)


def braw(w: int, h: int, *, ratio: int) -> int:
    """A Blackmagic RAW frame of constant bitrate at most: 12 bits a pixel ÷ ratio, with the most seen above it."""
    return round(packed(w, h, bits_per_pixel=12) / ratio * BRAW_MOST_RATIO)


def redcode(w: int, h: int, *, ratio: int) -> int:
    """A REDCODE frame about: 12 bits a pixel ÷ ratio (RED, Benefits of REDCODE; the depth is inferred)."""
    return round(packed(w, h, bits_per_pixel=12) / ratio * REDCODE_RATIO)


@dataclass(frozen=True, slots=True)
class Formula:
    """How the bytes of a frame follow from its size. `decides` is False for a rule of thumb."""

    frame_bytes: Callable[[int, int], int]
    source: str
    decides: bool = True


def _packed(bits_per_pixel: int, source: str = AJA) -> Formula:
    return Formula(partial(packed, bits_per_pixel=bits_per_pixel), source)


def _dpx(bits_per_pixel: int) -> Formula:
    return Formula(partial(dpx, bits_per_pixel=bits_per_pixel), SMPTE_DPX)


# By the first part of a format's key.
FORMULAS: dict[str, Formula] = {
    "2vuy": _packed(16),
    "v210": Formula(v210, "wiki.multimedia.cx V210; AJA libajantv2"),
    "yuv-10-packed": _packed(20, "AWS CDI SDK"),
    "nv12": _packed(12),
    "rgb-8": _packed(24),
    "argb-8": _packed(32),
    "r210": Formula(r210, "QuickTime r210; FFmpeg"),
    "rgb-10": _packed(32),
    "rgb-12": _packed(36),
    "rgb-16": _packed(48),
    "rgba-16": _packed(64),
    "bayer-10": _packed(10, "arithmetic"),
    "bayer-12": _packed(12, "arithmetic"),
    "bayer-16": _packed(16, "arithmetic"),
    "dpx-8": _dpx(24),
    "dpx-10": _dpx(32),
    "dpx-12": _dpx(48),
    "dpx-12-packed": _dpx(36),
    "dpx-16": _dpx(48),
    "dpx-16-rgba": _dpx(64),
    "exr-half-rgb": Formula(partial(exr_half, channels=3), OPENEXR),
    "exr-half-rgba": Formula(partial(exr_half, channels=4), OPENEXR),
    "tiff-8": Formula(partial(tiff, bytes_per_pixel=3), "arithmetic"),
    "tiff-16": Formula(partial(tiff, bytes_per_pixel=6), "arithmetic"),
    **{f"dnxhr-{name}": Formula(partial(dnxhr_larger, weight=weight), DNXHR) for name, weight in DNXHR_WEIGHTS.items()},
    "arriraw": Formula(arriraw, "arri.com ALEXA XT/XR"),
    **{
        f"braw-{ratio}:1": Formula(partial(braw, ratio=ratio), "Blackmagic camera manuals", decides=False)
        for ratio in (3, 5, 8, 12, 18)
    },
    **{
        f"redcode-{ratio}:1": Formula(partial(redcode, ratio=ratio), "RED, Benefits of REDCODE", decides=False)
        for ratio in (6, 8)
    },
}
