"""Figures as people read and write them: decimal MB/s outside, bytes and nanoseconds inside."""

from __future__ import annotations

import math
import re

_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)(b?)\s*", re.IGNORECASE)
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s|min|m|h|d)?\s*", re.IGNORECASE)
_TIME_NS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}


def parse_size(text: str) -> int:
    """Bytes of "4GiB", "4G" (both 2^30), "4GB" (10^9) or "4096". ValueError with one sentence otherwise.

    A bare letter means the binary unit, as fio and dd read it; with B the SI unit, with iB the IEC unit.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"“{text}” is not a size; write for example 4KiB, 1MiB, 4GB or 65536")
    number, prefix, binary, byte = match.groups()
    letter = prefix.lower()
    if binary and not letter:
        raise ValueError(f"“{text}” is not a size; write for example 4KiB, 1MiB, 4GB or 65536")
    factor = _BINARY[letter] if letter and (binary or not byte) else _DECIMAL[letter]
    size = float(number) * factor if "." in number else int(number) * factor
    return int(size)


def parse_duration(text: str) -> int:
    """Nanoseconds of "5s", "2min", "500ms" or "5" (seconds). ValueError with one sentence otherwise."""
    match = _TIME.fullmatch(text)
    if not match:
        raise ValueError(f"“{text}” is not a time; write for example 500ms, 5s, 2min or 1h")
    number, unit = match.groups()
    factor = _TIME_NS[(unit or "s").lower()]
    return int(float(number) * factor) if "." in number else int(number) * factor


def parse_ratio(text: str) -> float:
    """Ratio of "5%" or "0.05": both 0.05. ValueError with one sentence otherwise."""
    stripped = text.strip()
    try:
        found = float(stripped[:-1]) / 100 if stripped.endswith("%") else float(stripped)
    except ValueError:
        raise ValueError(f"“{text}” is not a share; write for example 5% or 0.05") from None
    if not 0 <= found <= 10:
        raise ValueError(f"“{text}” is out of range; write for example 5% or 0.05")
    return found


def significant(value: float, digits: int = 3) -> str:
    """At least `digits` significant digits, never an exponent, thousands kept whole: 0.0123, 1.23, 123, 12345."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    magnitude = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    if magnitude:
        return f"{value:.{max(0, digits - magnitude)}f}"
    zeros = 0
    scaled = abs(value)
    while scaled < 0.1 and zeros < 12:
        scaled *= 10
        zeros += 1
    return f"{value:.{digits + zeros}f}"


def percent(ratio: float) -> str:
    """A ratio as "23 %", below ten with one digit more: "3.4 %", "3 %"; never "0 %" for what is not 0."""
    if ratio >= 0.0995 or ratio == 0:
        return f"{ratio * 100:.0f} %"
    if ratio < 0.001:
        return "<0.1 %"
    return f"{ratio * 100:.1f}".removesuffix(".0") + " %"


def format_rate(bytes_per_s: float, *, binary: bool = False) -> str:
    """Write "123 MB/s" (10^6), or "117 MiB/s" when `binary`."""
    return f"{significant(bytes_per_s / 2**20)} MiB/s" if binary else f"{significant(bytes_per_s / 1e6)} MB/s"


def format_size(size_bytes: float) -> str:
    """Decimal size, as disks are sold: "1.07 GB"."""
    for name, unit in (("EB", 1e18), ("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size_bytes >= unit:
            return f"{significant(size_bytes / unit)} {name}"
    return f"{size_bytes:.0f} B"


def format_duration(duration_ns: float) -> str:
    """Write "12.3 µs", "1.20 ms", "3.40 s", "2 min 5 s" or "3 h 10 min"."""
    if duration_ns < 1000:
        return f"{duration_ns:.0f} ns"
    for name, unit in (("µs", 1e3), ("ms", 1e6)):
        if duration_ns < unit * 1000:
            return f"{significant(duration_ns / unit)} {name}"
    seconds = duration_ns / 1e9
    if seconds < 120:
        return f"{significant(seconds)} s"
    if seconds < 7200:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
