"""Frame sizes: pixels and the names that people give them."""

from __future__ import annotations

import re

# SMPTE and DCI sizes, after the AJA SDK (ntv2videodefines.h), and those of Apple's table of target data rates.
_NAMED = {
    "ntsc": (720, 486),
    "pal": (720, 576),
    "720p": (1280, 720),
    "hd": (1920, 1080),
    "2k": (2048, 1080),
    "uhd": (3840, 2160),
    "4k-dci": (4096, 2160),
    "5k": (5120, 2700),
    "6k": (6144, 3240),
    "8k": (7680, 4320),
    "8k-dci": (8192, 4320),
}
_OTHER_NAMES = {
    "720": "720p",
    "1080": "hd",
    "1080p": "hd",
    "1080i": "hd",
    "fullhd": "hd",
    "fhd": "hd",
    "2k-dci": "2k",
    "dci2k": "2k",
    "2160p": "uhd",
    "2160": "uhd",
    "uhd-4k": "uhd",
    "4k-uhd": "uhd",
    "dci4k": "4k-dci",
    "dci-4k": "4k-dci",
    "4kdci": "4k-dci",
    "8k-uhd": "8k",
    "uhd-2": "8k",
    "4320p": "8k",
    "dci8k": "8k-dci",
    "dci-8k": "8k-dci",
    "8kdci": "8k-dci",
}
# "4K" is said of both: 3840 and 4096 pixels.
AMBIGUOUS = {"4k": ("uhd", "4k-dci")}
_NAME_OF = {pixels: name for name, pixels in _NAMED.items()}
_PIXELS = re.compile(r"([0-9]{1,5})\s*[x×*]\s*([0-9]{1,5})")


def parse_frame_size(text: str) -> tuple[int, int] | None:
    """Width and height of "uhd", "1080p" or "3840x2160" in pixels; None where the text is no size."""
    lower = text.strip().lower()
    named = _NAMED.get(_OTHER_NAMES.get(lower, lower))
    if named:
        return named
    match = _PIXELS.fullmatch(lower)
    pixels = (int(match[1]), int(match[2])) if match else None
    return pixels if pixels and all(pixels) else None


def frame_size_text(width: int, height: int) -> str:
    """The size as keys have it: "uhd" where it has a name, else "2880x1620"."""
    return _NAME_OF.get((width, height)) or f"{width}x{height}"
