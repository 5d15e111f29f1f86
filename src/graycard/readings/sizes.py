"""Sizes as lsblk, findmnt and df write them: bytes, or three digits with a binary letter ("14.3G")."""

from __future__ import annotations

from typing import Any

from graycard.readings.tree import at, number, text
from graycard.units import parse_ratio, parse_size


def size_bytes(told: Any, key: str) -> int | float | None:
    """The bytes below the key; a size for people is rounded to its three digits."""
    found = number(told, key)
    if found is not None:
        return found
    words = text(told, key)
    if words is None:
        return None
    try:
        return number({"it": parse_size(words.replace(",", "."))}, "it")
    except (ValueError, OverflowError):
        return None


def share(told: Any, key: str) -> float | None:
    """The ratio of a percentage below the key: 0.51 of "51%"."""
    words = text(told, key)
    try:
        return parse_ratio(words) if words else None
    except ValueError:
        return None


def is_rounded(told: Any, key: str) -> str:
    """What to add to a fact's source: that its size is for people."""
    return "" if number(told, key) is not None else f" ({at(told, key)}, rounded)"
