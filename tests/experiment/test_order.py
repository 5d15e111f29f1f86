"""The order of the slots: complete, mirrored, random, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.experiment.order import interleaved, slots
from graycard.model.experiment import Configuration, ExperimentPlan, Load


def plan_of(count: int, steps_count: int = 0, pair_count: int = 6) -> ExperimentPlan:
    found = [Configuration(f"c{index}", "/x") for index in range(count)]
    found += [Configuration(f"s{index}", "/x", step="do it") for index in range(steps_count)]
    return ExperimentPlan("x", tuple(found), Load(("quick",)), pair_count, 0, None, None, "native")


def blocks(plan: ExperimentPlan, seed: int, count: int) -> list[tuple[str, ...]]:
    """The names in each block of the interleaved part."""
    names = [slot.configuration.name for slot in slots(plan, seed)][: count * plan.pair_count]
    return [tuple(names[start : start + count]) for start in range(0, len(names), count)]


@given(count=st.integers(2, 6), pairs=st.integers(1, 10), seed=st.integers(0, 1 << 53))
def test_each_block_has_every_configuration_once_and_the_next_one_mirrors_it(count: int, pairs: int, seed: int) -> None:
    found = blocks(plan_of(count, pair_count=2 * pairs), seed, count)
    assert len(found) == 2 * pairs
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert sorted(first) == [f"c{index}" for index in range(count)]
        assert second == first[::-1]


@given(seed=st.integers(0, 1 << 53), steps=st.integers(0, 3))
def test_a_slot_stands_in_the_block_that_its_runs_will_bear(seed: int, steps: int) -> None:
    plan = plan_of(3, steps)
    seen: Counter[str] = Counter()
    for slot in slots(plan, seed):
        assert slot.block_index == seen[slot.configuration.name]
        seen[slot.configuration.name] += 1
    assert set(seen.values()) == {6}


def test_two_configurations_are_measured_as_abba_or_baab_each_as_often() -> None:
    firsts = Counter(blocks(plan_of(2, pair_count=2), seed, 2)[0][0] for seed in range(1000))
    # 1000 fair draws: four standard deviations are 63.
    assert abs(firsts["c0"] - 500) < 63


def test_every_order_of_three_comes_as_often() -> None:
    orders = Counter(blocks(plan_of(3, pair_count=2), seed, 3)[0] for seed in range(1200))
    assert len(orders) == 6
    # 200 expected of each, standard deviation 12.9.
    assert all(abs(count - 200) < 52 for count in orders.values())


def test_a_linear_drift_cancels_exactly() -> None:
    """The sum of the places of a configuration is the same for all: a drift adds the same to each."""
    for seed in range(50):
        names = [slot.configuration.name for slot in slots(plan_of(4), seed)]
        sums = {name: sum(place for place, each in enumerate(names) if each == name) for name in set(names)}
        assert len(set(sums.values())) == 1


def test_steps_come_last_one_at_a_stretch_and_are_not_interleaved() -> None:
    plan = plan_of(2, 2)
    names = [slot.configuration.name for slot in slots(plan, 1)]
    assert names[12:] == ["s0"] * 6 + ["s1"] * 6
    assert [each.name for each in interleaved(plan)] == ["c0", "c1"]
    assert interleaved(plan_of(1, 1)) == (), "one alone is switched with nothing"


@pytest.mark.parametrize(
    ("visits", "names"), [(2, ["s0"] * 3 + ["s1"] * 3), (3, ["s0"] * 2 + ["s1"] * 2), (6, ["s0", "s1"])]
)
def test_visits_alternate_and_share_the_runs(visits: int, names: list[str]) -> None:
    found = slots(replace(plan_of(0, 2), visit_count=visits), 1)
    assert [slot.configuration.name for slot in found] == names * visits
    for name in ("s0", "s1"):
        own = [slot for slot in found if slot.configuration.name == name]
        assert [slot.block_index for slot in own] == list(range(6))
        assert {slot.visit_index for slot in own} == set(range(visits))


@pytest.mark.parametrize("seed", [0, 7])
def test_the_seed_fixes_the_order(seed: int, tmp_path: Path) -> None:
    assert slots(plan_of(3), seed) == slots(plan_of(3), seed)
