"""What a simulation gives: shares of many measurements, each with the band in which it must lie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from graycard.model import Estimate


@dataclass(frozen=True, slots=True)
class Figure:
    """A share of `rows` measurements (of those of which it can be told), and the band in which it must lie.

    Where nothing is demanded the share is published only.
    """

    simulation: str
    truth: str
    what: str
    share: float
    rows: int
    low: float = 0.0
    high: float = 1.0
    demanded: bool = True

    def holds(self, errors: float) -> bool:
        """Whether the share lies in the band, widened by so many binomial standard errors."""
        low, high = (errors * math.sqrt(bound * (1 - bound) / max(self.rows, 1)) for bound in (self.low, self.high))
        return self.low - low <= self.share <= self.high + high


@dataclass(frozen=True, slots=True)
class Cell:
    """One device: `run` makes so many measurements. `ci_rows` 0 means: in the release tier only."""

    run: partial[Iterator[Figure]]
    ci_rows: int = 1000
    release_rows: int = 10_000

    def figures(self, seed: int, index: int, rows: int) -> list[Figure]:
        """The figures of cell number `index`; the same seed gives the same figures."""
        return list(self.run(np.random.default_rng([seed, index]), rows))


def share(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else math.nan


def covers(estimate: Estimate, value: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= value <= estimate.high
