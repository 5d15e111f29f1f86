"""Which typeface a report is set in.

typst brings a serif (Libertinus Serif) and a monospaced face, and no sans; graycard brings none at all. So the first
sans below that the system has with both weights is taken: faces made for screens and figures first, then what Linux
distributions, macOS and Windows install by themselves. Where there is none of them, it is typst's own serif. Letters
that the face lacks (another script) come from whatever the system has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SANS = (
    "Inter",
    "Helvetica Neue",  # macOS
    "Segoe UI",  # Windows
    "Source Sans 3",
    "Noto Sans",
    "Open Sans",
    "Roboto",
    "Liberation Sans",
    "Helvetica",
    "Arial",
    "DejaVu Sans",
)
BUILT_IN = "Libertinus Serif"
REGULAR_WEIGHT = 400
# Headings are set in 600; the nearest weight from here on is visibly bolder than the text.
BOLD_WEIGHT = 600


@dataclass(frozen=True, slots=True)
class Face:
    """One font of a family; `style` is normal, italic or oblique, `weight` 400 for regular and 700 for bold."""

    family: str
    style: str
    weight: int


def chosen_family(faces: Iterable[Face]) -> str:
    """The family to set the text and the charts in: the first of SANS with a regular and a bold face, or BUILT_IN."""
    weights: dict[str, set[int]] = {}
    for face in faces:
        if face.style == "normal":
            weights.setdefault(face.family, set()).add(face.weight)
    for family in SANS:
        found = weights.get(family, set())
        if REGULAR_WEIGHT in found and any(weight >= BOLD_WEIGHT for weight in found):
            return family
    return BUILT_IN
