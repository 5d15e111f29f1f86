"""Going through the results of one history, the oldest first: eras of one set-up, and how each result stood."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from graycard.history import words
from graycard.history.setups import Setup, changes, filled, setup_of
from graycard.model import Difference, Entry, Era, Standing, Verdict
from graycard.stats.history import Level, Placed
from graycard.store import PastRow, ResultRow

# How many of the last set-ups are looked through for one that comes back.
_REMEMBERED_COUNT = 10


@dataclass(slots=True)
class _Series:
    """All results of one set-up, whether or not others came in between; `count` are those that are judged by."""

    setup: Setup
    level: Level = field(default_factory=Level)
    count: int = 0


@dataclass(slots=True)
class _Era:
    series: _Series
    changes: tuple[Difference, ...]
    entries: list[Entry] = field(default_factory=list)


class Follower:
    """Takes the results one by one; `says` is a sentence on the newest."""

    def __init__(self) -> None:
        self.says = ""
        self._newest: ResultRow | None = None
        self._known: dict[Setup, _Series] = {}
        self._all: list[_Series] = []
        self._eras: list[_Era] = []

    @property
    def eras(self) -> tuple[Era, ...]:
        """The eras that have entries."""
        return tuple(Era(tuple(era.entries), era.changes) for era in self._eras if era.entries)

    def take(self, row: PastRow, *, keep: bool, newest: bool) -> None:
        """Judge the next result; `keep` it as an entry, and as the `newest` say how it stands."""
        before = self._eras[-1].series if self._eras else None
        series = before if before and row.like is self._newest else self._series_of(setup_of(row.like))
        self._newest = row.like
        if series is not before:
            self._eras.append(_Era(series, changes(before.setup, series.setup) if before else ()))
        placed = _placed(series.level, row)
        if keep:
            self._eras[-1].entries.append(_entry(row, placed))
        if newest:
            self.says = self._sentence(row, placed, before)
        series.count += placed.standing is not Standing.NOT_COUNTED

    def _series_of(self, setup: Setup) -> _Series:
        """The series of that set-up: the one before if it may be, else one that comes back, else a new one."""
        if setup in self._known:
            return self._known[setup]
        before = [self._eras[-1].series] if self._eras else []
        whole = filled(setup, before[0].setup) if before else setup
        alike = (
            each for each in (*before, *reversed(self._all[-_REMEMBERED_COUNT:])) if not changes(each.setup, whole)
        )
        found = next(alike, None)
        if found is None:
            found = _Series(whole)
            self._all.append(found)
        found.setup = filled(found.setup, whole)
        self._known[setup] = found
        return found

    def _sentence(self, row: PastRow, placed: Placed, before: _Series | None) -> str:
        era, rate = self._eras[-1], row.rate_bytes_per_s or 0.0
        if placed.standing is not Standing.FIRST or before is None:
            return words.says(placed, rate, era.series.count)
        expected = before.level.expected()
        return words.since(era.changes, math.expm1(math.log(rate) - expected.centre) if expected else None)


def _placed(level: Level, row: PastRow) -> Placed:
    """A result that is not what it claims to be says nothing about the level, and neither does one of 0."""
    if row.verdict is Verdict.FAIL or not row.rate_bytes_per_s:
        return Placed(Standing.NOT_COUNTED, level.expected(), None)
    return level.place(row.rate_bytes_per_s)


def _entry(row: PastRow, placed: Placed) -> Entry:
    return Entry(
        result_id=row.id,
        measurement_id=row.measurement_id,
        created_at=row.created_at,
        rate_bytes_per_s=row.rate_bytes_per_s or 0.0,
        rate_low_bytes_per_s=row.rate_low_bytes_per_s,
        rate_high_bytes_per_s=row.rate_high_bytes_per_s,
        expected=placed.expected.estimate("bytes/s") if placed.expected else None,
        standing=placed.standing,
    )
