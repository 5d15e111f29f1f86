"""What `sustain --json` prints."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import SCHEMA, Result
from graycard.sustain import Figures, Order


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainPlanDocument:
    """What `sustain --plan --json` prints."""

    schema: str = SCHEMA
    order: Order
    says: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainDocument:
    """What `sustain --json` prints: the figures of the test, and its parts as results."""

    schema: str = SCHEMA
    sustained: Figures
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()
