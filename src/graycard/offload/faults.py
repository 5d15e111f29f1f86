"""What went wrong with single files or with a whole place; kept within bounds, all of it counted."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum

MOST_KEPT_COUNT = 1000


class Kind(StrEnum):
    """unreadable, changed: of the source; not_written: of a destination; the others are what verifying found.

    `failed`: the whole destination was given up. `new`: a file that no manifest has, which is no error.
    """

    UNREADABLE = "unreadable"
    CHANGED = "changed"
    NOT_WRITTEN = "not_written"
    FAILED = "failed"
    DIFFERS = "differs"
    SHORT = "short"
    MISSING = "missing"
    VANISHED = "vanished"
    NEW = "new"


# What says that bytes are not those of the card: a check failed. Everything else is an error of I/O.
MISMATCHES = frozenset({Kind.DIFFERS, Kind.SHORT, Kind.MISSING, Kind.CHANGED})


@dataclass(frozen=True, slots=True)
class Fault:
    """One sentence of a file, or of a whole place where `path` is None. `place` is the source's or destination's root.

    `offset_bytes` is the first byte that differs, where it is known.
    """

    kind: Kind
    place: str
    path: str | None
    says: str
    offset_bytes: int | None = None


class Faults:
    """All faults of an offload, told by several threads; the first `MOST_KEPT_COUNT` are kept, the rest are counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Fault] = []
        self._counts: dict[tuple[str, Kind], int] = {}
        self._unwritten: set[tuple[str, str | None]] = set()

    def add(self, fault: Fault) -> None:
        """Keep it. Of a file that could not be written it needs no telling that it is not there."""
        with self._lock:
            if (fault.place, fault.path) in self._unwritten:
                return
            key = fault.place, fault.kind
            self._counts[key] = self._counts.get(key, 0) + 1
            if len(self._kept) < MOST_KEPT_COUNT:
                self._kept.append(fault)
                if fault.kind is Kind.NOT_WRITTEN:
                    self._unwritten.add((fault.place, fault.path))

    @property
    def kept(self) -> tuple[Fault, ...]:
        """The first of them, in the order in which they were told."""
        with self._lock:
            return tuple(self._kept)

    @property
    def count(self) -> int:
        """How many there are."""
        with self._lock:
            return sum(self._counts.values())

    def of(self, *places: str) -> int:
        """How many there are at these places."""
        with self._lock:
            return sum(count for (place, _), count in self._counts.items() if place in places)

    def of_kind(self, kind: Kind) -> int:
        """How many there are of that kind."""
        with self._lock:
            return sum(count for (_, each), count in self._counts.items() if each is kind)

    def any_mismatch(self) -> bool:
        """Whether bytes were found that are not those of the card."""
        with self._lock:
            return any(kind in MISMATCHES for _, kind in self._counts)
