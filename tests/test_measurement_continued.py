"""A measurement that continues earlier results: their runs count, nothing is measured twice, nothing is mixed."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.errors import Interrupted, PlanProblem, TargetProblem
from graycard.host import this_host
from graycard.measurement import Event, Measurement, measure
from graycard.model import Cache, Plan, Repeat, Result, Trial
from graycard.plan import TaskOptions, make_plan
from graycard.plan.budget import layout_bytes, rounds_bytes
from graycard.protocols import Host

MIB = 1 << 20
TRIAL = Trial("e1", "file systems", "ext4", randomised=True)


class Kept:
    """A store that keeps the newest state, and holds that no stored run changes."""

    def __init__(self) -> None:
        self.results: dict[str, Result] = {}

    def save(self, result: Result) -> None:
        before = self.results.get(result.id)
        assert before is None or result.runs[: len(before.runs)] == before.runs
        self.results[result.id] = result


def plan_of(folder: Path, runs_count: int, **options: object) -> Plan:
    host = this_host()
    target = host.resolve(str(folder))
    asked = replace(TaskOptions(seed=7, size_bytes=32 * MIB), **options)
    plan = make_plan(target, "quick", asked, host.facts(target))
    plan = replace(plan, repeat=Repeat(runs_count, runs_count, None), budget_ns=None)
    return replace(plan, write_limit_bytes=rounds_bytes(plan, 1))


def carried_out(plan: Plan, earlier: tuple[Result, ...] = (), **others: object) -> Measurement:
    clock = VirtualClock()
    given = {
        "engines": (SimulatedEngine(clock, 100e6, 0.02),),
        "host": this_host(),
        "keeper": Kept(),
        "clock": clock,
        "on_event": lambda _: None,
        "trial": TRIAL,
        **others,
    }
    return measure(plan, earlier=earlier, **given)


def test_slot_by_slot_is_one_measurement_with_all_runs(tmp_path: Path) -> None:
    keeper, earlier = Kept(), ()
    for count in (1, 2, 3):
        measurement = carried_out(plan_of(tmp_path, count), earlier, keeper=keeper)
        assert [len(result.runs) for result in measurement.results] == [count] * 4
        earlier = measurement.results
    assert len(keeper.results) == 4
    assert len({result.measurement_id for result in earlier}) == 1
    for result in earlier:
        assert [run.repeat_index for run in result.runs] == [0, 1, 2]
        assert result.summary is not None
        assert result.summary.rate.n_count == 3
        assert result.trial == TRIAL
        assert result.created_at == result.runs[0].started_at


def test_the_offsets_and_the_order_are_those_of_an_uninterrupted_measurement(tmp_path: Path) -> None:
    whole = plan_of(tmp_path, 3)
    whole = replace(whole, write_limit_bytes=rounds_bytes(whole, 3))
    at_once = carried_out(whole)
    earlier: tuple[Result, ...] = ()
    for count in (1, 2, 3):
        earlier = carried_out(plan_of(tmp_path, count), earlier).results

    def rates(results: tuple[Result, ...]) -> list[list[float | None]]:
        return [[run.samples.rate_bytes_per_s for run in result.runs] for result in results]

    assert rates(earlier) == rates(at_once.results)


def test_the_write_limit_counts_only_new_bytes(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, 6)
    assert plan.write_limit_bytes < layout_bytes(plan) + 2 * (rounds_bytes(plan, 1) - layout_bytes(plan))
    earlier = carried_out(replace(plan, repeat=Repeat(1, 1, None))).results
    for count in range(2, 7):
        earlier = carried_out(plan_of(tmp_path, count), earlier).results
    assert {len(result.runs) for result in earlier} == {6}


def test_a_slot_that_was_stopped_in_its_middle_is_completed_and_nothing_is_measured_twice(tmp_path: Path) -> None:
    keeper = Kept()
    carried_out(plan_of(tmp_path, 1), keeper=keeper)
    labels: list[str | None] = []

    def stop_at_the_third(event: Event) -> None:
        if event.phase == "run":
            labels.append(event.task_label)
        if len(labels) == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="2 finished runs are kept"):
        carried_out(plan_of(tmp_path, 2), tuple(keeper.results.values()), keeper=keeper, on_event=stop_at_the_third)
    assert sorted(len(result.runs) for result in keeper.results.values()) == [1, 1, 2, 2]
    again: list[str | None] = []
    measurement = carried_out(
        plan_of(tmp_path, 2),
        tuple(keeper.results.values()),
        keeper=keeper,
        on_event=lambda event: again.append(event.task_label) if event.phase == "run" else None,
    )
    assert set(again).isdisjoint(labels[:2])
    assert [[run.repeat_index for run in result.runs] for result in measurement.results] == [[0, 1]] * 4
    assert os.listdir(tmp_path) == []


def test_what_is_all_there_is_not_measured_again(tmp_path: Path) -> None:
    full = carried_out(plan_of(tmp_path, 1)).results
    assert carried_out(plan_of(tmp_path, 1), full).results == full


def test_the_share_that_is_done_is_of_the_new_runs(tmp_path: Path) -> None:
    earlier = carried_out(plan_of(tmp_path, 1)).results
    shares: list[float | None] = []
    carried_out(plan_of(tmp_path, 2), earlier, on_event=lambda event: shares.append(event.done_ratio))
    assert shares[0] is None
    assert [share for share in dict.fromkeys(shares) if share is not None] == [0.25, 0.5, 0.75, 1.0]


def test_results_of_another_plan_are_not_continued(tmp_path: Path) -> None:
    earlier = carried_out(plan_of(tmp_path, 1)).results
    with pytest.raises(PlanProblem, match="cannot be continued"):
        carried_out(plan_of(tmp_path, 2, size_bytes=16 * MIB), earlier)
    plan = plan_of(tmp_path, 2)
    with pytest.raises(PlanProblem, match="has no task"):
        carried_out(replace(plan, tasks=plan.tasks[:2]), earlier)


class RefusesDirect:
    """The host, on a file system that has come to refuse direct I/O."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def __getattr__(self, name: str) -> object:
        return getattr(self._host, name)

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        if direct:
            raise TargetProblem("direct I/O is refused") from OSError(errno.EINVAL, "no")
        return self._host.open_file(path, write=write, direct=direct)


def test_buffered_runs_are_never_mixed_with_direct_ones(tmp_path: Path) -> None:
    buffered = carried_out(plan_of(tmp_path, 1), host=RefusesDirect(this_host())).results
    assert {result.task.cache for result in buffered} == {Cache.COLD}
    assert {r.task.cache for r in carried_out(plan_of(tmp_path, 2), buffered).results} == {Cache.COLD}
    direct = carried_out(plan_of(tmp_path, 1)).results
    with pytest.raises(TargetProblem, match="refused"):
        carried_out(plan_of(tmp_path, 2), direct, host=RefusesDirect(this_host()))
    assert os.listdir(tmp_path) == []
