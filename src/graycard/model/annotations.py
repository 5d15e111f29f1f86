"""What a person wrote beside a measurement or a result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Annotations:
    """A label names one measurement, or one result, and no other; notes are in the order of writing, tags sorted."""

    label: str | None = None
    notes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
