"""Sessions of pairs whose truth is known: quads of runs, each at random ABBA or BAAB, in an environment that changes.

Rates are about 1; runs scatter lognormally. An environment is a logarithm for each run, in the order of the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from graycard.stats.judge import Judged, judge_pairs
from tests.stats import truth
from tests.stats.truth import Array, Random

Environment = Callable[[Random, int, int], Array]


@dataclass(frozen=True, slots=True)
class Session:
    """Rates of base and other, and whose run was first, each of rows × pairs."""

    base: Array
    other: Array
    base_first: Array

    def judged(self, threshold_ratio: float = 0.03) -> Iterator[Judged]:
        rows = zip(self.base.tolist(), self.other.tolist(), (self.base_first > 0).tolist(), strict=True)
        return (judge_pairs(base, other, first, threshold_ratio) for base, other, first in rows)


def orders(rng: Random, rows: int, pair_count: int) -> Array:
    """1 where the base runs first, else 0; the last pair of an odd number is half a quad."""
    first = rng.integers(0, 2, (rows, (pair_count + 1) // 2))
    return np.stack([first, 1 - first], axis=2).reshape(rows, -1)[:, :pair_count].astype(np.float64)


def session(rng: Random, rows: int, pair_count: int, run_cv: float, ratio: float, environment: Environment) -> Session:
    """`ratio` is the truth: other over base."""
    base_first = orders(rng, rows, pair_count)
    runs = environment(rng, rows, 2 * pair_count) + run_cv * rng.standard_normal((rows, 2 * pair_count))
    first, second = runs[:, 0::2], runs[:, 1::2]
    base = np.exp(np.where(base_first > 0, first, second))
    other = ratio * np.exp(np.where(base_first > 0, second, first))
    return Session(base, other, base_first)


def quiet(rng: Random, rows: int, count: int) -> Array:
    return np.zeros((rows, count))


def drifting(share: float) -> Environment:
    """Slower by so much at the end of the session, evenly."""
    return lambda rng, rows, count: np.broadcast_to(np.log1p(-share) * np.arange(count) / (count - 1), (rows, count))


def second_run(share: float) -> Environment:
    """The second run of each pair is slower by so much."""
    return lambda rng, rows, count: np.broadcast_to(np.log1p(-share) * (np.arange(count) % 2), (rows, count))


def slow_noise(rng: Random, rows: int, count: int) -> Array:
    """An environment that wanders: AR .9 from run to run, 5 %."""
    return 0.05 * truth.ar1(rng, 0.9, rows, count)


def step(share: float) -> Environment:
    """Slower by so much from some run in the middle third on."""

    def made(rng: Random, rows: int, count: int) -> Array:
        moments = rng.integers(count // 3, count - count // 3 + 1, (rows, 1))
        return np.where(np.arange(count) < moments, 0.0, np.log1p(-share))

    return made


ENVIRONMENTS: dict[str, Environment] = {
    "nothing else changes": quiet,
    "drift of 10 %": drifting(0.1),
    "drift of 30 %": drifting(0.3),
    "second run 5 % slower": second_run(0.05),
    "environment AR 0.9, 5 %": slow_noise,
}
