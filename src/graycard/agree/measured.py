"""One figure with all that is known of it: the results it stands for, its runs, and which fields are stated."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graycard.agree.tools import printed_bytes_per_s
from graycard.model import Cache, Check, Durability, Estimate, Fact, IoTask, Operation, Origin, Result, Verdict
from graycard.stats.between import runs_estimate
from graycard.summary import run_rates


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of one side that are repeats of each other; `rates` are of their runs in bytes/s, or of the results."""

    side: str
    name: str
    results: tuple[Result, ...]
    rates: tuple[float, ...]
    rate: Estimate

    @property
    def result(self) -> Result:
        """The first; the others differ in time alone."""
        return self.results[0]

    @property
    def task(self) -> IoTask:
        """The load."""
        return self.result.task

    @property
    def origin(self) -> Origin:
        """The tool."""
        return self.result.origin

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The set-up."""
        return self.result.facts

    @property
    def printed_bytes_per_s(self) -> float | None:
        """The rate as the tool printed it, where the importer corrected its unit."""
        return printed_bytes_per_s(self.result)

    @property
    def checks(self) -> tuple[Check, ...]:
        """Of all its results."""
        return tuple(check for result in self.results if result.summary for check in result.summary.checks)

    @property
    def failed(self) -> bool:
        """Whether a check failed."""
        return any(check.verdict is Verdict.FAIL for check in self.checks)

    @property
    def writes(self) -> bool:
        """Whether it is a figure of writing."""
        return self.task.operation is Operation.WRITE

    def states(self, *names: str) -> bool:
        """Whether the source states all of these fields of the task."""
        return not {*names} & {*self.task.unstated}

    @property
    def through_cache(self) -> bool | None:
        """Whether it went through the page cache; None where that is not stated."""
        return self.task.cache is not Cache.BYPASS if self.states("cache") else None

    @property
    def flushes(self) -> bool | None:
        """Whether a flush is inside the time; None where that is not stated, and for a read."""
        if not self.writes or not self.states("durability"):
            return None
        return self.task.durability is not Durability.NONE

    def caveat(self, names: Collection[str]) -> Check | None:
        """The first check of one of these names that is a caveat or failed."""
        doubts = (Verdict.CAVEAT, Verdict.FAIL)
        return next((check for check in self.checks if check.name in names and check.verdict in doubts), None)


def measured(side: str, results: Sequence[Result]) -> Measured | None:
    """The figure of repeats of one load; None where nothing was measured, or a rate is 0."""
    told = tuple(result for result in results if result.summary and 0 < result.summary.rate.value < math.inf)
    if not told:
        return None
    rates = tuple(rate for result in told for rate in run_rates(result.task, result.runs) if rate > 0)
    if len(told) == 1 and told[0].summary:
        # One result is its own figure; its runs tell the scatter.
        own = told[0].summary.rate
        return Measured(side, told[0].origin.tool, told, rates or (own.value,), own)
    values = rates or tuple(result.summary.rate.value for result in told if result.summary)
    return Measured(side, told[0].origin.tool, told, values, runs_estimate(values, "bytes/s"))
