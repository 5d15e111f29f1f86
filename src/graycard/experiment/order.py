"""Which configuration is measured when.

The configurations that graycard can switch are measured in randomised complete blocks: in each block every one once, in
a random order, and in the next block in the mirrored order. With two configurations that is ABBA or BAAB. Mirroring
cancels a linear drift (heat, a filling cache) exactly, and the random start keeps a periodic one from falling on the
same configuration every time. What a person must switch comes after them, one configuration at a stretch; with more
than one visit they alternate (A, B, A, B), each time for an equal part of their runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graycard.model.experiment import Configuration, ExperimentPlan
from graycard.plan.seeds import derived_seed


@dataclass(frozen=True, slots=True)
class Slot:
    """One run of every task on one configuration, the `block_index`-th of that configuration.

    `visit_index` counts how often a person has brought the configuration about before.
    """

    block_index: int
    configuration: Configuration
    visit_index: int = 0


def slots(plan: ExperimentPlan, seed: int) -> tuple[Slot, ...]:
    """All slots of the experiment, in order; the same for the same seed."""
    return (*_blocks(plan, seed), *_stretches(plan))


def interleaved(plan: ExperimentPlan) -> tuple[Configuration, ...]:
    """The configurations that are switched run by run; none where one alone would be."""
    found = tuple(each for each in plan.configurations if each.step is None)
    return found if len(found) > 1 else ()


def _blocks(plan: ExperimentPlan, seed: int) -> Iterator[Slot]:
    configurations = [each for each in plan.configurations if each.step is None]
    for block_index in range(plan.pair_count):
        order = _random_order(configurations, seed, block_index // 2)
        yield from (Slot(block_index, each) for each in (order if block_index % 2 == 0 else reversed(order)))


def _random_order(configurations: list[Configuration], seed: int, number: int) -> list[Configuration]:
    # By the place in the plan: names may change their spelling without another order.
    places = sorted(range(len(configurations)), key=lambda place: derived_seed(seed, "block", number, place))
    return [configurations[place] for place in places]


def _stretches(plan: ExperimentPlan) -> Iterator[Slot]:
    for visit in range(plan.visit_count):
        begin, end = (plan.pair_count * number // plan.visit_count for number in (visit, visit + 1))
        for each in plan.configurations:
            if each.step is not None:
                yield from (Slot(block_index, each, visit) for block_index in range(begin, end))
