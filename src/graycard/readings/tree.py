"""What stands in the JSON or property lists of other programs, whatever they hold instead of what is expected."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from graycard.facts import fact
from graycard.model import Fact, FactValue

# No name, option list or model is longer; what is, is no such thing.
_LONGEST = 2000
# Exabytes, and years in nanoseconds: beyond any device.
_MOST = 1 << 62
# Hubs behind hubs, mounts below mounts: seldom more than ten.
DEEPEST_COUNT = 40
_SIZES = {"device_size_bytes", "size_bytes", "logical_block_bytes", "physical_block_bytes", "allocation_unit_bytes"}
_FLAGS = {"1": True, "0": False, "yes": True, "no": False, "true": True, "false": False}


def at(told: Any, *keys: str) -> Any:
    """The value below these keys, or None."""
    for key in keys:
        told = told.get(key) if isinstance(told, dict) else None
    return told


def rows(told: Any) -> list[dict[str, Any]]:
    """The objects in a list, or the one object; what is none is left out."""
    entries = told if isinstance(told, list) else [told]
    return [entry for entry in entries if isinstance(entry, dict)]


def text(told: Any, *keys: str) -> str | None:
    """A text below these keys with its blanks made single; None for an empty one and for what is no text."""
    found = at(told, *keys)
    if not isinstance(found, str) or len(found) > _LONGEST:
        return None
    return " ".join(found.split()) or None


def number(told: Any, *keys: str) -> int | float | None:
    """A number from 0 to 2^62 below these keys; None for anything else."""
    found = at(told, *keys)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return None
    return found if math.isfinite(found) and 0 <= found <= _MOST else None


def flag(told: Any, *keys: str) -> bool | None:
    """A truth value below these keys: true, "1", 1 or "yes" and their contraries."""
    found = at(told, *keys)
    if isinstance(found, bool):
        return found
    word = str(found) if isinstance(found, int) else found
    return _FLAGS.get(word.lower()) if isinstance(word, str) and len(word) < 9 else None


def chains(tree: Any, *below: str, above: tuple[dict[str, Any], ...] = ()) -> Iterator[tuple[dict[str, Any], ...]]:
    """Every object of a tree with those that it hangs from, outermost first; `below` are the keys of its children."""
    if len(above) > DEEPEST_COUNT:
        return
    for row in rows(tree):
        chain = (*above, row)
        yield chain
        for key in below:
            yield from chains(row.get(key), *below, above=chain)


def told(facts: Iterable[tuple[str, FactValue, str]]) -> tuple[Fact, ...]:
    """Facts of (name, value, source); what is unknown, and what no device can be, is left out."""
    return sound(fact(name, value, source) for name, value, source in facts)


def sound(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts that are known and can be."""
    # A reader without a card has a device of no size.
    return tuple(each for each in facts if _is_told(each.value) and not (each.name in _SIZES and each.value == 0))


def _is_told(value: FactValue) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST
    if isinstance(value, bool):
        return True
    return value is not None and math.isfinite(value) and 0 <= value <= _MOST
