"""What an offload is asked to do, and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass, field

from graycard.mhl import HashFormat
from graycard.model import Estimate, Fact, Result, Target
from graycard.offload.census import Census
from graycard.offload.faults import Fault
from graycard.offload.silence import USUAL_PATIENCE_NS
from graycard.protocols import Volume


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with what is known of its volume; `target.path` is the card, or where the copy's folder is made."""

    target: Target
    volume: Volume
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One offload. `card` is the kind of a synthetic card, whose place is where it is made; `size_bytes` its size.

    `name` is that of the new folder below each destination. `verify` None copies without hashes and without reading
    back. `card_bytes` is a full card's size, for which the time is estimated. A destination that does not answer for
    `patience_ns` is given up.
    """

    source: Place
    destinations: tuple[Place, ...]
    name: str
    census: Census
    verify: HashFormat | None
    card: str | None = None
    size_bytes: int = 0
    verifies_source: bool = False
    resumes: bool = False
    writes_manifest: bool = True
    card_bytes: int | None = None
    patience_ns: int = USUAL_PATIENCE_NS


@dataclass(frozen=True, slots=True)
class Leg:
    """One part of the offload, as it is shown and printed.

    `name` is "read", "hash", "write" or "verify"; `place` the folder. `busy_ns` is the time in which it worked,
    `wait_ns` that in which it waited for the others; `alone_bytes_per_s` its rate while it worked.
    """

    name: str
    place: str
    moved_bytes: int
    files_count: int
    elapsed_ns: int
    busy_ns: int
    wait_ns: int
    rate: Estimate | None
    alone_bytes_per_s: float | None
    result_id: str | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long a full card takes: copying, verifying (None where that is not done), both; `says` in a sentence."""

    card_bytes: int
    copy_ns: Estimate
    verify_ns: Estimate | None
    total_ns: int
    says: str


@dataclass(slots=True)
class Outcome:
    """What there is so far; whole when the offload has ended.

    `folders` are the copies, `manifests` those written; `complete` says for each folder whether all of the card is
    there, and verified where that was asked for.
    """

    id: str
    folders: tuple[str, ...] = ()
    legs: list[Leg] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    faults: tuple[Fault, ...] = ()
    faults_count: int = 0
    mismatch: bool = False
    complete: dict[str, bool] = field(default_factory=dict)
    manifests: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    limit: str | None = None
    forecast: Forecast | None = None
