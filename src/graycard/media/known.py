"""The formats that people ask about first, from the smallest to the largest."""

from __future__ import annotations

from graycard.media.format import Format
from graycard.media.naming import format_named

# Codecs that editors and cameras use most, and the rows of the usual disk tests: 10-bit YUV, ProRes, Blackmagic RAW.
KNOWN = (
    "prores-422-proxy/hd/25",
    "dnxhd-185x/hd/25",
    "prores-422-hq/hd/25",
    "braw-12:1/uhd/25",
    "xavc-i/uhd/25",
    "xavc-i/uhd/50",
    "braw-5:1/uhd/25",
    "dnxhr-hqx/uhd/25",
    "prores-422-hq/uhd/25",
    "prores-422-hq/4k-dci/24",
    "prores-4444/uhd/25",
    "v210/hd/25",
    "braw-5:1/6144x3456/25",
    "redcode-8:1/8k-dci/24",
    "dnxhr-444/uhd/25",
    "prores-422-hq/uhd/50",
    "dpx-10/2k/24",
    "prores-422-hq/8k-dci/25",
    "arriraw-alexa-mini-lf-uhd/uhd/25",
    "v210/uhd/25",
    "r210/uhd/25",
    "v210/uhd/50",
    "exr-half-rgb/4k-dci/24",
    "v210/8k/25",
)


def known_formats() -> tuple[Format, ...]:
    """The formats of KNOWN, those that ask for least first."""
    return tuple(sorted((format_named(key) for key in KNOWN), key=lambda each: each.bytes_per_s))
