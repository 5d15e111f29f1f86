"""What `graycard offload` and `graycard verify` print with --json."""

from __future__ import annotations

from dataclasses import dataclass, field

from graycard.model import SCHEMA, Result
from graycard.offload import Fault, Forecast, Leg, Outcome


@dataclass(frozen=True, slots=True)
class OffloadPlanDocument:
    """What `offload --plan` prints: the copies that would be made, what of, and the sentences about it."""

    schema: str = SCHEMA
    source: str = ""
    folders: tuple[str, ...] = ()
    files_count: int = 0
    total_bytes: int = 0
    verify: str | None = None
    says: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OffloadDocument:
    """What an offload, or the check of a folder, did.

    `complete` says of each folder whether all of it is there and, where hashes were taken, right. The first 1000
    faults are listed, `faults_count` counts all. `limit` says which leg set the pace.
    """

    schema: str = SCHEMA
    id: str = ""
    folders: tuple[str, ...] = ()
    complete: dict[str, bool] = field(default_factory=dict)
    legs: tuple[Leg, ...] = ()
    limit: str | None = None
    forecast: Forecast | None = None
    faults: tuple[Fault, ...] = ()
    faults_count: int = 0
    manifests: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()


def document_of(outcome: Outcome) -> OffloadDocument:
    """The outcome as it is printed."""
    return OffloadDocument(
        id=outcome.id,
        folders=outcome.folders,
        complete=outcome.complete,
        legs=tuple(outcome.legs),
        limit=outcome.limit,
        forecast=outcome.forecast,
        faults=outcome.faults,
        faults_count=outcome.faults_count,
        manifests=tuple(outcome.manifests),
        notes=tuple(outcome.notes),
        results=tuple(outcome.results),
    )
