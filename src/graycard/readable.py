"""Facts as people read them: their names, and their values with the unit. Decimal point in every locale."""

from __future__ import annotations

from graycard.model import FactValue, short_size
from graycard.units import format_duration, format_rate, format_size, percent, significant

ABSENT = "—"
# The unit stands in a fact's name for programs; people read it beside the value.
_UNIT_ENDINGS = ("_bytes_per_s", "_bits_per_s", "_ops_per_s", "_bytes", "_ratio", "_celsius", "_dbm", "_ns")


def fact_title(name: str) -> str:
    """The words for a fact: "allocation_unit_bytes" is "allocation unit"."""
    for ending in _UNIT_ENDINGS:
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " ")
    return name.replace("_", " ")


def quantity(value: FactValue, unit: str | None) -> str:
    """The value of a fact with its unit: "480 Mbit/s", "4 KiB", "512 GB", "yes"; a dash where it is not known."""
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
        case "dBm":
            return f"{value:.0f} dBm"
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
