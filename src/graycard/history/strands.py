"""Which stored results belong to one history: of one device and one load, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from graycard.store import PastRow

# The drive, or where that is not known the file system; and the load.
Key = tuple[str, str]


@dataclass(slots=True)
class _Strand:
    """Results that share file system, engine, file size and time of a run; from the first measurement to the last."""

    rows: list[PastRow]
    first: datetime
    last: datetime


def by_device_and_load(rows: Iterable[PastRow]) -> dict[Key, list[PastRow]]:
    """The results of each history or several, by device and load, the oldest first."""
    found: dict[Key, list[PastRow]] = {}
    for row in rows:
        found.setdefault((row.like.device_id or row.like.file_system_id or "", row.like.task_key), []).append(row)
    for group in found.values():
        # The store gives the newest first: of two of one moment the one saved later stays the later one.
        group.reverse()
        group.sort(key=lambda row: row.created_at)
    return found


def strands(rows: list[PastRow]) -> list[list[PastRow]]:
    """The results of one device and load (the oldest first), parted into histories.

    What is measured side by side (two volumes of one drive, two engines, files of several sizes) gives a history each;
    what follows one another (a reformatted drive has another file system's id) is one history. So strands whose times
    overlap are kept apart, and each other strand continues the one that ended last.
    """
    chains: list[_Strand] = []
    for strand in sorted(_parted(rows), key=lambda strand: strand.first):
        before = [chain for chain in chains if chain.last < strand.first]
        if before:
            newest = max(before, key=lambda chain: chain.last)
            newest.rows += strand.rows
            newest.last = strand.last
        else:
            chains.append(strand)
    return [chain.rows for chain in chains]


def _parted(rows: list[PastRow]) -> Iterable[_Strand]:
    begun: dict[str, datetime] = {}
    found: dict[tuple[object, ...], _Strand] = {}
    for row in rows:
        # The tasks of one measurement run interleaved: they are measured side by side, whichever came first.
        moment = begun.setdefault(row.measurement_id, row.created_at)
        key = (row.like.file_system_id, row.like.engine, row.like.span_bytes, row.like.time_ns)
        strand = found.setdefault(key, _Strand([], moment, moment))
        strand.rows.append(row)
        strand.last = max(strand.last, moment)
    return found.values()
