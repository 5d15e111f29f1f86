"""What is published: estimates, checks, summaries and results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graycard.model.samples import Fact, Run
from graycard.model.task import IoTask, Target

SCHEMA = "graycard/1"


class Verdict(StrEnum):
    """caveat: true, but limits what the figure means; fail: the figure is not what it claims to be."""

    PASS = "pass"
    CAVEAT = "caveat"
    FAIL = "fail"
    UNKNOWN = "unknown"


class Aggregate(StrEnum):
    """How a tool made one figure of its repeats."""

    MEAN = "mean"
    MEDIAN = "median"
    BEST = "best"
    LAST = "last"

    def of(self, count: int) -> str:
        """The words for such a figure of so many runs, "best of 5 runs"; "best of its runs" where 0 are known."""
        return f"{self.value} of {count or 'its'} runs"


class Steady(StrEnum):
    """How the rate behaved over the time of the runs."""

    STEADY = "steady"
    CLIFF = "cliff"
    UNDULATING = "undulating"
    STALLING = "stalling"
    FIRST_RUN_DIFFERS = "first run differs"
    SCATTERED = "scattered"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that never travels alone. `low` and `high` are None where no interval can be given (single run)."""

    value: float
    low: float | None
    high: float | None
    unit: str
    n_count: int
    level_ratio: float | None
    method: str

    @property
    def half_width_ratio(self) -> float | None:
        """Half the interval's width as a share of the value (what users call ±), or None."""
        if self.low is None or self.high is None or not self.value:
            return None
        return (self.high - self.low) / 2 / abs(self.value)


@dataclass(frozen=True, slots=True)
class Check:
    """One test of a figure's truth. `says` is a sentence for the user; the numbers stand beside it."""

    name: str
    expected: float | None
    measured: float | None
    unit: str | None
    tolerance_ratio: float | None
    verdict: Verdict
    says: str


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of one run at one level; `start_bytes` are the bytes moved before it began."""

    run_index: int
    start_ns: int
    end_ns: int
    start_bytes: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Stalls:
    """Times with under a quarter of the usual rate for 0.3 s or more. `per_min` has a Garwood interval."""

    count: int
    per_min: Estimate | None
    longest_ns: int
    share_ratio: float


@dataclass(frozen=True, slots=True)
class Undulation:
    """The rate swings between two levels; `period_ns` is None where no period was found."""

    low_bytes_per_s: float
    high_bytes_per_s: float
    explained_ratio: float
    period_ns: int | None


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How even the rate was: within the runs and between them. `says` is a sentence for the user."""

    verdict: Steady
    says: str
    run_spread_ratio: float | None
    phases: tuple[Phase, ...] = ()
    undulation: Undulation | None = None
    first_run: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Percentile:
    """A latency percentile; 100 stands for the maximum."""

    percentile: float
    latency: Estimate


@dataclass(frozen=True, slots=True)
class Summary:
    """What is published of a result: numbers with intervals, how steady, and what was checked.

    `ops` is None where another tool tells a rate and no count; `mean_latency` is what another tool gives as its mean.
    """

    rate: Estimate
    ops: Estimate | None
    latency_ns: tuple[Percentile, ...]
    stalls: Stalls | None
    steadiness: Steadiness
    checks: tuple[Check, ...]
    caveats: tuple[str, ...]
    mean_latency: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Who measured. `aggregate` names how the tool made one figure of its repeats."""

    tool: str
    tool_version: str | None
    engine: str | None
    imported_from: str | None = None
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """The part that a result has in an experiment: runs of equal `repeat_index` in its results are pairs.

    `randomised` is False where the configurations could not be switched run by run (a reformat, another OS).
    """

    experiment_id: str
    experiment: str
    configuration: str
    randomised: bool


@dataclass(frozen=True, slots=True)
class Result:
    """One task, measured. The tasks of one `measure` share `measurement_id`. `summary` is None before the first run.

    `trouble` says in a sentence why another tool gave no figure, or not a whole one: not measured, failed, interrupted.
    """

    id: str
    measurement_id: str
    schema: str
    created_at: datetime
    origin: Origin
    target: Target
    task: IoTask
    facts: tuple[Fact, ...]
    runs: tuple[Run, ...]
    summary: Summary | None
    trial: Trial | None = None
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """The other engine's rate over that of `engine`, from interleaved pairs of one task."""

    task_label: str
    engine: str
    other_engine: str
    ratio: Estimate
