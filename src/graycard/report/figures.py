"""Figures of a result as people read them. Decimal point in every locale; "—" where nothing is known."""

from __future__ import annotations

from graycard.model import Estimate, FactValue, short_size
from graycard.units import format_duration, format_rate, format_size, percent, significant

ABSENT = "—"


def plus_minus(estimate: Estimate) -> str:
    """Half the 95 % interval as "± 3 %"; "single run" or "range" where there is no such interval."""
    ratio = estimate.half_width_ratio
    if ratio is None:
        return "single run" if estimate.n_count <= 1 else "no interval"
    return f"± {percent(ratio)}" if estimate.level_ratio is not None else "range"


def rate_interval(estimate: Estimate) -> str:
    """The ends of a rate's interval in MB/s, "(497 to 528)", with digits enough to tell them apart; else nothing."""
    if estimate.low is None or estimate.high is None:
        return ""
    for digits in (3, 4, 5):
        low, value, high = (significant(x / 1e6, digits) for x in (estimate.low, estimate.value, estimate.high))
        if len({low, value, high}) == 3:
            break
    return f"({low} to {high})"


def rate(estimate: Estimate) -> str:
    """The rate alone, "512 MB/s"."""
    return format_rate(estimate.value)


def per_second(estimate: Estimate) -> str:
    """Operations per second, at least three digits: "488", "12.3", "123456"."""
    return significant(estimate.value)


def quantity(value: FactValue, unit: str | None) -> str:
    """The value of a fact with its unit: "480 Mbit/s", "4 KiB", "512 GB", "yes"."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or unit is None:
        return str(value)
    return _with_unit(value, unit)


def _with_unit(value: float, unit: str) -> str:
    match unit:
        case "bytes":
            return _size(value)
        case "bytes/s":
            return format_rate(value)
        case "bits/s":
            return f"{significant(value / 1e9)} Gbit/s" if value >= 1e9 else f"{significant(value / 1e6)} Mbit/s"
        case "ns":
            return format_duration(value)
        case "ratio":
            return percent(value)
        case "celsius":
            return f"{value:.0f} °C"
        case "count":
            return significant(value) if isinstance(value, float) else str(value)
        case _:
            return f"{significant(value)} {unit}"


def _size(size_bytes: float) -> str:
    # Blocks and clusters are powers of two and known by that: 4096 bytes is 4 KiB and not 4.10 kB.
    whole = int(size_bytes)
    if 512 <= whole < 2**30 and whole & (whole - 1) == 0:
        shown = short_size(whole)
        return f"{shown[:-1]} B" if shown.endswith("B") else f"{shown[:-1]} {shown[-1]}iB"
    return format_size(size_bytes)
