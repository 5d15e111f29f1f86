"""One seed fixes everything random in a measurement: the order of the tasks, the offsets and the data of each run."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

from graycard.model import IoTask, Plan


def derived_seed(seed: int, *parts: str | int) -> int:
    """A seed below 2^53 (every JSON reader keeps it) that differs for other parts; the same on every machine."""
    text = "/".join(str(part) for part in (seed, *parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 11


def order(plan: Plan, repeat_index: int) -> tuple[int, ...]:
    """All task indexes in the random order of one round; the caller leaves out those that are finished.

    A random order in each round keeps drift (heat, a filling cache) from falling on the same task every time.
    """
    indexes = range(len(plan.tasks))
    return tuple(sorted(indexes, key=lambda index: derived_seed(plan.seed, "order", repeat_index, index)))


def run_task(plan: Plan, task_index: int, repeat_index: int) -> IoTask:
    """The task with the seed of this run: no two runs touch the offsets in the same order or write the same data."""
    return replace(plan.tasks[task_index], seed=derived_seed(plan.seed, "run", task_index, repeat_index))
