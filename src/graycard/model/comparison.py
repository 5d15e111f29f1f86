"""What is said of two set-ups beside each other, and of one set-up over time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graycard.model.diagnosis import Case
from graycard.model.result import Estimate, Result
from graycard.model.samples import FactValue


class Likeness(StrEnum):
    """How the other set-up does beside the base. Larger is better for a rate; "no difference" is never said."""

    FASTER = "faster"
    SLOWER = "slower"
    FASTER_SIZE_UNCERTAIN = "faster, size uncertain"
    SLOWER_SIZE_UNCERTAIN = "slower, size uncertain"
    SAME = "same"
    CANNOT_TELL = "cannot tell"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison: a name and its results, one or more for each task."""

    name: str
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that differs between two set-ups. `factor` is one of the six, or the medium; None is not known."""

    factor: str
    name: str
    unit: str | None
    base: FactValue
    other: FactValue
    says: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One task on two set-ups. `ratio` is other ÷ base with the interval that holds for all that is shown together.

    `threshold_ratio` is what counts as material. `detectable_ratio` is the smallest change that this many runs would
    find in 4 of 5 cases, `more_count` how many more pairs (or runs of each, if unpaired) would find the threshold.
    `chance_ratio` is the probability of so large a ratio by chance, corrected by Holm for all that is shown together.
    `order_effect` is the second run of a pair over the first. `differences` begin with the largest suspect.
    `failed_ids` are those of the compared results that failed a check: nothing should be built on the verdict.
    """

    task_label: str
    base: str
    other: str
    base_ids: tuple[str, ...]
    other_ids: tuple[str, ...]
    base_rate: Estimate | None
    other_rate: Estimate | None
    ratio: Estimate | None
    verdict: Likeness
    says: str
    threshold_ratio: float
    paired: bool
    randomised: bool
    chance_ratio: float | None = None
    detectable_ratio: float | None = None
    more_count: int | None = None
    order_effect: Estimate | None = None
    differences: tuple[Difference, ...] = ()
    caveats: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()


class Standing(StrEnum):
    """How a new result stands to those before it of the same set-up; one that failed a check is not counted."""

    USUAL = "usual"
    UNUSUAL = "unusual"
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    TOO_SHORT = "history too short"
    FIRST = "first"
    NOT_COUNTED = "not counted"


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored result in a history. `expected` is the robust prediction interval from those before it."""

    result_id: str
    measurement_id: str
    created_at: datetime
    rate_bytes_per_s: float
    rate_low_bytes_per_s: float | None
    rate_high_bytes_per_s: float | None
    expected: Estimate | None
    standing: Standing


@dataclass(frozen=True, slots=True)
class Era:
    """Entries of one set-up, oldest first. `changes` tell what began it: what differs from the era before."""

    entries: tuple[Entry, ...]
    changes: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """One task on one device and file system over time. `says` is a sentence on the newest result."""

    task_label: str
    device: str
    eras: tuple[Era, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a renderer turns into bytes: results with what is said of them, or one diagnosis and none of the rest.

    `formats` are keys of video formats: whether the figures are enough for so many streams of each is to be told; none
    where nobody asked for special ones.
    """

    title: str
    results: tuple[Result, ...]
    comparisons: tuple[Comparison, ...] = ()
    histories: tuple[History, ...] = ()
    notes: tuple[str, ...] = ()
    diagnosis: Case | None = None
    formats: tuple[str, ...] = ()
    streams_count: int = 1
