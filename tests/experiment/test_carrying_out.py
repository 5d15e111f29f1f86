"""Slots are carried out in their order, whatever fails or stops in between; nothing is lost or measured twice."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.errors import Interrupted, PlanProblem
from graycard.experiment import is_unfinished, run_counts, step_confirmed
from graycard.experiment.order import slots
from graycard.facts import fact
from graycard.measurement import Event
from graycard.model import Result
from tests.cli.fakes import with_facts
from tests.experiment.made import TWO, FailingEngine, Laboratory, plan_in

ALL = [4, 4, 4, 4]


@pytest.fixture
def lab(tmp_path: Path) -> Laboratory:
    return Laboratory(plan_in(tmp_path))


def pairs_are_whole(results: list[Result]) -> None:
    for result in results:
        assert [run.repeat_index for run in result.runs] == list(range(len(result.runs)))


def test_every_slot_is_measured_in_its_order_and_nothing_stays(lab: Laboratory, tmp_path: Path) -> None:
    lab.sit()
    assert (lab.kept.runs_of("A"), lab.kept.runs_of("B")) == (ALL, ALL)
    names = {"ext4": "A", "btrfs": "B"}
    order = [slot.configuration.name for slot in slots(lab.record.plan, lab.record.seed)]
    assert [names[kind] for kind, _ in lab.maker.mounts] == order
    assert sorted(lab.maker.made) == ["btrfs", "ext4"]
    assert lab.maker.mounted == {}
    assert os.listdir(tmp_path) == []
    for result in lab.kept.results.values():
        assert result.trial is not None
        assert (result.trial.experiment_id, result.trial.randomised) == (lab.record.id, True)
    pairs_are_whole(list(lab.kept.results.values()))


def test_the_runs_of_a_pair_touch_the_same_offsets_in_the_same_task_order(lab: Laboratory) -> None:
    lab.sit()
    for block in range(4):
        orders = []
        for name in ("A", "B"):
            runs = [(run.started_at, run.task_index) for r in lab.kept.of(name) for run in r.runs[block : block + 1]]
            orders.append([index for _, index in sorted(runs)])
        assert orders[0] == orders[1]


class Stop:
    """Stops at the n-th event of a phase, as Ctrl-C does."""

    def __init__(self, phase: str, count: int) -> None:
        self.phase, self.left = phase, count

    def __call__(self, event: Event) -> None:
        if event.phase == self.phase:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("phase", "count"),
    [("format", 4), ("prepare", 3), ("layout", 9), ("calibrate", 9), ("rest", 9), ("run", 9), ("cleanup", 2)],
)
def test_stopped_again_and_again_it_ends_as_if_never_stopped(tmp_path: Path, phase: str, count: int) -> None:
    lab, sittings = Laboratory(plan_in(tmp_path)), 0
    while lab.kept.record is None or is_unfinished(lab.kept.record, run_counts(lab.kept.results.values())):
        sittings += 1
        before = sum(len(result.runs) for result in lab.kept.results.values())
        told = sat_until(lab, Stop(phase, count))
        new = sum(len(result.runs) for result in lab.kept.results.values()) - before
        assert new > 0
        assert told is None or f"stopped; {new} run" in told
        assert told is None or told.endswith(f"graycard experiment resume {lab.record.id[:8]}")
        assert lab.maker.mounted == {}
    lab.sit()
    assert sittings > 3
    assert (lab.kept.runs_of("A"), lab.kept.runs_of("B")) == (ALL, ALL)
    assert len(lab.kept.results) == 8
    pairs_are_whole(list(lab.kept.results.values()))
    assert os.listdir(tmp_path) == []
    assert sorted(lab.maker.made) == ["btrfs", "ext4"], "images are kept from sitting to sitting"


def sat_until(lab: Laboratory, stop: Stop) -> str | None:
    """What a stopped sitting says, or None for one that ends by itself."""
    try:
        lab.sit(stop)
    except Interrupted as interrupted:
        return str(interrupted)
    return None


def test_a_failing_mkfs_is_told_and_the_rest_goes_on(lab: Laboratory, tmp_path: Path) -> None:
    lab.maker.failing["btrfs"] = "mkfs.btrfs failed: it is Sunday; use --size 1GiB"
    sitting = lab.sit()
    assert [(each.configuration, each.says) for each in sitting.record.failures] == [
        ("B", "mkfs.btrfs failed: it is Sunday; use size 1GiB")
    ]
    assert (lab.kept.runs_of("A"), lab.kept.runs_of("B")) == (ALL, [])
    assert not is_unfinished(sitting.record, run_counts(sitting.results.values()))
    assert os.listdir(tmp_path) == []


def test_what_failed_is_made_up_for_later_and_is_then_not_randomised(lab: Laboratory) -> None:
    lab.maker.failing["btrfs"] = "mkfs.btrfs failed"
    lab.sit()
    lab.maker.failing.clear()
    sitting = lab.sit()
    assert sitting.record.failures == ()
    assert (lab.kept.runs_of("A"), lab.kept.runs_of("B")) == (ALL, ALL)
    assert {result.trial.randomised for result in lab.kept.of("B") if result.trial} == {False}
    assert {result.trial.randomised for result in lab.kept.of("A") if result.trial} == {True}


def test_an_io_error_in_the_middle_of_a_slot_keeps_what_was_measured(lab: Laboratory, tmp_path: Path) -> None:
    # Each slot has two layouts and four runs: the second run of the second slot fails.
    lab.engine = FailingEngine(lab.clock, lambda _, count: count == 6 + 2 + 2)
    sitting = lab.sit()
    (failure,) = sitting.record.failures
    assert "input/output error" in failure.says
    assert lab.kept.runs_of(failure.configuration) == [1]
    other = "B" if failure.configuration == "A" else "A"
    assert lab.kept.runs_of(other) == ALL
    assert lab.maker.mounted == {}
    assert os.listdir(tmp_path) == []


def test_ctrl_c_that_also_ends_a_program_of_ours_is_no_failure(lab: Laboratory) -> None:
    lab.maker.failing["btrfs"] = "mkfs.btrfs was killed"
    lab.maker.failing["ext4"] = "mkfs.ext4 was killed"

    class Stopping:
        def __getattr__(self, name: str) -> object:
            return getattr(clock, name)

        def sleep_ns(self, duration_ns: int) -> None:
            raise KeyboardInterrupt

    clock = lab.clock
    lab.clock = Stopping()
    with pytest.raises(Interrupted):
        lab.sit()
    assert lab.kept.record is not None
    assert lab.kept.record.failures == ()


def test_two_configurations_of_one_volume_share_its_image(tmp_path: Path) -> None:
    shared = TWO + '[[configuration]]\nname = "A, noatime"\nvolume_of = "A"\nmount_options = ["noatime"]\n'
    lab = Laboratory(plan_in(tmp_path, shared))
    lab.sit()
    assert Counter(lab.maker.made) == {"ext4": 1, "btrfs": 1}
    assert Counter(lab.maker.mounts) == {("ext4", ()): 4, ("ext4", ("noatime",)): 4, ("btrfs", ()): 4}
    assert lab.kept.runs_of("A, noatime") == ALL


STEPS = """
name = "steps"
folder = "."
pairs = 2
rest = "0s"
[measure]
tasks = ["SEQ1M QD1"]
size = "8MiB"
time = "50ms"
[[configuration]]
name = "now"
[[configuration]]
name = "after"
step = "Reformat the drive"
[[configuration]]
name = "later"
step = "Reformat it again"
"""


def test_it_waits_for_every_step_and_goes_on_when_that_is_done(tmp_path: Path) -> None:
    lab = Laboratory(plan_in(tmp_path, STEPS))
    assert lab.sit().record.waiting == "after"
    assert (lab.kept.runs_of("now"), lab.kept.runs_of("after")) == ([2, 2], [])
    assert lab.sit().record.waiting == "after", "nobody has said that it is done"
    assert lab.kept.runs_of("after") == []
    assert lab.kept.record is not None
    lab.kept.record = step_confirmed(lab.kept.record)
    with pytest.raises(Interrupted):
        lab.sit(Stop("run", 2))
    assert lab.sit().record.waiting == "later", "a confirmed step is not asked for again"
    assert lab.kept.runs_of("after") == [2, 2]
    lab.kept.record = step_confirmed(lab.kept.record)
    sitting = lab.sit()
    assert sitting.record.waiting is None
    assert lab.kept.runs_of("later") == [2, 2]
    assert {result.trial.randomised for result in lab.kept.results.values() if result.trial} == {False}


ALTERNATING = STEPS.replace("pairs = 2", "pairs = 4\nvisits = 2").replace('[[configuration]]\nname = "now"\n', "")


def test_visits_alternate_and_each_asks_for_its_step(tmp_path: Path) -> None:
    lab = Laboratory(plan_in(tmp_path, ALTERNATING))
    seen = []
    while waiting := lab.sit().record.waiting:
        seen.append((waiting, lab.kept.runs_of("after"), lab.kept.runs_of("later")))
        assert lab.kept.record is not None
        lab.kept.record = step_confirmed(lab.kept.record)
    assert seen == [
        ("after", [], []),
        ("later", [2, 2], []),
        ("after", [2, 2], [2, 2]),
        ("later", [4, 4], [2, 2]),
    ]
    assert lab.kept.runs_of("later") == [4, 4]
    assert {result.trial.randomised for result in lab.kept.results.values() if result.trial} == {False}


def test_a_step_whose_set_up_changed_in_between_is_not_measured_on(tmp_path: Path) -> None:
    lab = Laboratory(plan_in(tmp_path, STEPS))
    lab.sit()
    assert lab.kept.record is not None
    lab.kept.record = step_confirmed(lab.kept.record)
    with pytest.raises(Interrupted):
        lab.sit(Stop("run", 2))

    lab.host = with_facts(fact("kernel_version", "6.2", "uname"))
    sitting = lab.sit()
    assert [each.configuration for each in sitting.record.failures] == ["after"]
    assert "“after” is not what it was: kernel release was 6.1, now it is 6.2" in sitting.record.failures[0].says


def test_an_experiment_in_other_hands_is_left_alone(lab: Laboratory) -> None:
    with pytest.raises(Interrupted):
        lab.sit(Stop("run", 2))
    assert lab.kept.record is not None
    assert lab.kept.record.held_by is None

    def second(event: Event) -> None:
        with pytest.raises(PlanProblem, match="works on this experiment"):
            lab.sit()
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        lab.sit(second)


def test_the_display_tells_of_the_whole_experiment(lab: Laboratory) -> None:
    lab.sit()
    assert {event.says.split(":")[0] for event in lab.events} == {"A", "B"}
    shares = [event.done_ratio for event in lab.events if event.done_ratio is not None]
    assert shares == sorted(shares)
    assert 0.9 < shares[-1] <= 1
    assert [event for event in lab.events if event.phase == "format" and event.progress]


def test_another_seed_gives_another_order(lab: Laboratory) -> None:
    plan = replace(lab.record.plan, pair_count=20)
    orders = {tuple(slot.configuration.name for slot in slots(plan, seed)) for seed in range(20)}
    assert len(orders) == 20
