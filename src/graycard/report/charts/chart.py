"""A chart before it is drawn: one Vega-Lite description for the page and for the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Chart:
    """One picture. `name` is unique in a report ("speed-2"); `says` tells in words what the picture shows (alt text).

    `specification` is a Vega-Lite 6 description without a theme, with its data inside; `narrow` is the same picture
    for a width of about 340 px. All texts in both are printable.
    """

    name: str
    title: str
    says: str
    specification: dict[str, Any]
    narrow: dict[str, Any]
