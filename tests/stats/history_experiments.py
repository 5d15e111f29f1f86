"""The simulation V11: what a history says of devices of known truth, whose results scatter by 3 %."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from graycard.model import Standing
from graycard.stats.history import Level, Placed
from tests.stats import truth
from tests.stats.figures import Cell, Figure, share
from tests.stats.truth import Array, Random

RESULT_CV = 0.03
NEW_COUNT = 100
WITHIN_COUNT = 3
ALARMS = {Standing.REGRESSION, Standing.IMPROVEMENT}

Made = Callable[[Random, int, int], Array]


def independent(rng: Random, rows: int, count: int) -> Array:
    return np.exp(RESULT_CV * rng.standard_normal((rows, count)))


def correlated(rng: Random, rows: int, count: int) -> Array:
    return np.exp(RESULT_CV * truth.ar1(rng, 0.5, rows, count))


def with_outliers(rng: Random, rows: int, count: int) -> Array:
    """One result in 20 is 20 to 50 % slower."""
    slow = rng.random((rows, count)) < 0.05
    return independent(rng, rows, count) * np.where(slow, rng.uniform(0.5, 0.8, (rows, count)), 1.0)


def placed(values: list[float]) -> list[Placed]:
    level = Level()
    return [level.place(value) for value in values]


def alarms(found: list[Placed]) -> list[bool]:
    """Where an alarm begins: a change of level goes on until five results have shown the new one."""
    before = [None, *(each.standing for each in found)]
    return [each.standing in ALARMS and each.standing is not last for each, last in zip(found, before, strict=False)]


def v11_quiet(name: str, make: Made, stored_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """A level that never changes: what is said of 100 new results after so many stored ones."""
    found = [placed(row) for row in make(rng, rows, stored_count + NEW_COUNT).tolist()]
    false = [hit for each in found for hit in alarms(each)[stored_count:]]
    told = [each.standing is not Standing.USUAL for row in found for each in row[stored_count:] if each.expected]
    device = f"{name}, {stored_count} stored results" if stored_count else f"{name}, from the first result on"
    yield Figure("V11", device, "alarm, falsely", share(false), len(false), 0.0, 0.004)
    yield Figure("V11", device, "outside the interval", share(told), len(told), demanded=False)


def v11_drop(drop: float, stored_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """A level that drops for good after so many stored results."""
    values = independent(rng, rows, stored_count + WITHIN_COUNT)
    values[:, stored_count:] *= 1 - drop
    new = [placed(row)[stored_count:] for row in values.tolist()]
    name = f"drop by {drop * 100:g} % after {stored_count} results"
    told = [any(each.standing is Standing.REGRESSION for each in row) for row in new]
    seen = [any(each.standing is not Standing.USUAL for each in row) for row in new]
    demanded = drop >= 0.1 and stored_count >= 10
    yield Figure("V11", name, "regression told within 3 results", share(told), rows, 0.45, demanded=demanded)
    yield Figure("V11", name, "unusual or worse within 3 results", share(seen), rows, demanded=False)


QUIET: dict[str, Made] = {
    "independent": independent,
    "AR 0.5": correlated,
    "1 result in 20 slow by 20 to 50 %": with_outliers,
}


def history_cells() -> list[Cell]:
    """In the order of the table."""
    return [
        *(
            Cell(partial(v11_quiet, name, make, count), 100, 2000)
            for name, make in QUIET.items()
            for count in (0, 10, 20)
        ),
        *(Cell(partial(v11_drop, drop, count), 1000) for drop in (0.05, 0.1, 0.25) for count in (5, 10, 20)),
    ]
