"""Frame rates: exact fractions and how people write them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

# The rates of NTSC descent are n × 1000/1001 (AJA SDK, ntv2utils.cpp: 24000/1001, 30000/1001, 60000/1001, …).
_NTSC = {
    "14.98": 15,
    "14.985": 15,
    "17.98": 18,
    "18.98": 19,
    "23.976": 24,
    "23.98": 24,
    "29.97": 30,
    "47.95": 48,
    "47.952": 48,
    "59.94": 60,
    "119.88": 120,
}
# Written so; the others of the same rate are read, too.
_SHOWN = {15: "14.985", 18: "17.98", 19: "18.98", 24: "23.976", 30: "29.97", 48: "47.952", 60: "59.94", 120: "119.88"}
# Formats without a rate of their own (uncompressed, image sequences) are listed at these.
COMMON_RATES = tuple(
    Fraction(*pair)
    for pair in ((24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60000, 1001), (60, 1))
)
_NUMBER = re.compile(r"([0-9]{1,6}|[0-9]{1,4}\.[0-9]{1,3})(?:/(1001|[123]))?(?:p|fps)?")
_MOST = 1000


def parse_rate(text: str) -> Fraction:
    """Frames per second of "25", "23.976", "24000/1001", "50p" or "60fps", exactly. ValueError otherwise."""
    match = _NUMBER.fullmatch(text.strip().lower())
    if not match:
        raise ValueError(f"“{text}” is not a frame rate; write for example 25, 23.976 or 24000/1001")
    number, divisor = match.groups()
    plain = number.rstrip("0").rstrip(".") if "." in number else number
    if divisor is None and plain in _NTSC:
        return Fraction(_NTSC[plain] * 1000, 1001)
    found = Fraction(number) / int(divisor or 1)
    if not 0 < found <= _MOST or (divisor == "1001" and Fraction(number) % 1000):
        raise ValueError(f"“{text}” is not a frame rate; it is a number up to {_MOST}, or for example 24000/1001")
    return found


@cache
def rate_text(rate: Fraction) -> str:
    """The rate as the field writes it, which `parse_rate` reads back exactly: "23.976", "25", "12.5", "100/3"."""
    if rate.denominator == 1:
        return str(rate.numerator)
    base = rate * 1001 / 1000
    if base.denominator == 1 and base.numerator in _SHOWN:
        return _SHOWN[base.numerator]
    plain = f"{float(rate):g}"
    return plain if plain not in _NTSC and Fraction(plain) == rate else f"{rate.numerator}/{rate.denominator}"
