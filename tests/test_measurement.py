"""The whole flow on a real folder with the simulated engine and a virtual clock: what was put in comes out."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.errors import Interrupted, PlanProblem, RunProblem, TargetProblem
from graycard.host import this_host
from graycard.measurement import Event, Measurement, measure
from graycard.model import Cache, Durability, IoTask, Operation, Plan, Result, Samples, Target
from graycard.plan import TaskOptions, make_plan
from graycard.protocols import Look, OnTick
from tests.cli.fakes import FakeHost

MIB = 1 << 20
RATE = 100e6


class Kept:
    """A store that counts what it was given."""

    def __init__(self) -> None:
        self.results: dict[str, Result] = {}
        self.saves = 0

    def save(self, result: Result) -> None:
        before = self.results.get(result.id)
        assert before is None or result.runs[: len(before.runs)] == before.runs, "a run was edited"
        self.results[result.id] = result
        self.saves += 1


def plan_for(folder: Path, preset: str = "quick", **options: object) -> Plan:
    host = this_host()
    target = host.resolve(str(folder))
    asked = replace(TaskOptions(seed=7, size_bytes=64 * MIB), **options)
    return make_plan(target, preset, asked, host.facts(target))


def carry_out(plan: Plan, spread: float = 0.0, rates: tuple[float, ...] = (RATE,), **kept: Kept) -> Measurement:
    clock = VirtualClock()
    engines = tuple(SimulatedEngine(clock, rate, spread) for rate in rates)
    keeper = kept.get("keeper", Kept())
    return measure(plan, engines=engines, host=this_host(), keeper=keeper, clock=clock, on_event=lambda _: None)


def test_what_was_put_in_comes_out(tmp_path: Path) -> None:
    plan = plan_for(tmp_path)
    measurement = carry_out(plan)
    assert [result.task.label for result in measurement.results] == [task.label for task in plan.tasks]
    for result in measurement.results:
        assert result.summary is not None
        assert result.summary.rate.value == pytest.approx(RATE, rel=1e-6)
        assert len(result.runs) == plan.repeat.min_count
    assert os.listdir(tmp_path) == []


def test_every_run_is_saved_when_it_ends(tmp_path: Path) -> None:
    keeper = Kept()
    measurement = carry_out(plan_for(tmp_path), keeper=keeper)
    assert keeper.saves >= sum(len(result.runs) for result in measurement.results)
    assert set(keeper.results) == {result.id for result in measurement.results}


def test_the_seed_repeats_the_order(tmp_path: Path) -> None:
    def orders() -> list[tuple[str | None, int | None]]:
        seen: list[tuple[str | None, int | None]] = []
        clock = VirtualClock()
        measure(
            plan_for(tmp_path),
            engines=(SimulatedEngine(clock, RATE),),
            host=this_host(),
            keeper=Kept(),
            clock=clock,
            on_event=lambda event: (
                seen.append((event.task_label, event.repeat_index)) if event.phase == "run" else None
            ),
        )
        return seen

    first = orders()
    assert first == orders()
    labels = [label for label, _ in first]
    rounds = [labels[index : index + len(set(labels))] for index in range(0, len(labels), len(set(labels)))]
    assert all(sorted(map(str, each)) == sorted(map(str, rounds[0])) for each in rounds)
    assert len({tuple(each) for each in rounds}) > 1, "every round has the same order"


def test_a_wide_scatter_takes_more_runs_and_says_what_is_short(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, "standard", precision_ratio=0.02)
    measurement = carry_out(plan, spread=0.15)
    for result in measurement.results:
        assert result.summary is not None
        assert len(result.runs) > plan.repeat.min_count
        assert any("not reached" in caveat for caveat in result.summary.caveats)


def test_two_engines_are_interleaved_and_their_ratio_is_stated(tmp_path: Path) -> None:
    measurement = carry_out(plan_for(tmp_path), rates=(RATE, 1.1 * RATE))
    assert measurement.cross_checks
    for check in measurement.cross_checks:
        assert check.ratio.value == pytest.approx(1.1, rel=1e-4)


@pytest.mark.parametrize("phase", ["prepare", "layout", "calibrate", "rest", "run", "cleanup"])
def test_ctrl_c_in_any_phase_keeps_what_was_finished_and_leaves_nothing(tmp_path: Path, phase: str) -> None:
    keeper, seen, clock = Kept(), [], VirtualClock()

    def on_event(event: Event) -> None:
        seen.append(event.phase)
        if event.phase == phase and seen.count(phase) == (3 if phase == "run" else 1):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        measure(
            plan_for(tmp_path),
            engines=(SimulatedEngine(clock, RATE),),
            host=this_host(),
            keeper=keeper,
            clock=clock,
            on_event=on_event,
        )
    assert caught.value.exit_code == 130
    assert os.listdir(tmp_path) == []
    runs = sum(len(result.runs) for result in keeper.results.values())
    assert (str(runs) in str(caught.value)) == (runs > 0)


class FailingEngine(SimulatedEngine):
    """A device that gives an I/O error after a number of runs, the two layouts among them."""

    def __init__(self, clock: VirtualClock, good_count: int) -> None:
        super().__init__(clock, RATE)
        self._left = good_count

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        self._left -= 1
        if self._left < 0:
            raise RunProblem("input/output error at byte 4096", errno=5, offset_bytes=4096, phase="measure")
        return super().run(task, target, on_tick)


def test_an_io_error_keeps_the_runs_before_it(tmp_path: Path) -> None:
    keeper, clock = Kept(), VirtualClock()
    with pytest.raises(RunProblem) as caught:
        measure(
            plan_for(tmp_path),
            engines=(FailingEngine(clock, 5),),
            host=this_host(),
            keeper=keeper,
            clock=clock,
            on_event=lambda _: None,
        )
    assert caught.value.errno == 5
    assert sum(len(result.runs) for result in keeper.results.values()) == 3
    assert os.listdir(tmp_path) == []


def test_an_error_while_laying_out_names_the_phase(tmp_path: Path) -> None:
    clock = VirtualClock()
    with pytest.raises(RunProblem, match="while writing the test file") as caught:
        measure(
            plan_for(tmp_path),
            engines=(FailingEngine(clock, 0),),
            host=this_host(),
            keeper=Kept(),
            clock=clock,
            on_event=lambda _: None,
        )
    assert caught.value.phase == "layout"


def test_an_engine_that_refuses_is_asked_before_anything_is_written(tmp_path: Path) -> None:
    class Refusing(SimulatedEngine):
        def refuses(self, task: IoTask, target: Target) -> str | None:
            return "it is Sunday"

    clock = VirtualClock()
    with pytest.raises(PlanProblem, match="it is Sunday"):
        measure(
            plan_for(tmp_path),
            engines=(Refusing(clock, RATE),),
            host=this_host(),
            keeper=Kept(),
            clock=clock,
            on_event=lambda _: None,
        )
    assert os.listdir(tmp_path) == []


class Noting(SimulatedEngine):
    """Notes the tasks that it is given, beside what its host is asked for."""

    def __init__(self, clock: VirtualClock, noted: list[str]) -> None:
        super().__init__(clock, RATE)
        self._noted = noted

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        self._noted.append(f"{os.path.basename(target.path)}: {task.operation} {task.cache} {task.durability}")
        return super().run(task, target, on_tick)


class RefusesDirect(FakeHost):
    """A file system that refuses direct I/O, whose write-backs are noted."""

    noted: ClassVar[list[str]] = []

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        if direct:
            raise TargetProblem("direct I/O is refused")
        return super().open_file(path, write=write, direct=direct)

    def write_back(self, path: str, look: Look) -> None:
        look()
        self.noted.append(f"{os.path.basename(path)}: written back")


@pytest.mark.parametrize("host_kind", [FakeHost, RefusesDirect])
def test_no_flush_outside_of_the_runs_is_one_long_call(tmp_path: Path, host_kind: type[FakeHost]) -> None:
    """Laid out past the page cache where that can be, else flushed in pieces, as is what runs have left dirty."""
    RefusesDirect.noted.clear()
    clock = VirtualClock()
    plan = plan_for(tmp_path, operations=(Operation.WRITE,), cache=Cache.COLD, durability=Durability.NONE)
    engine, keeper = Noting(clock, RefusesDirect.noted), Kept()
    measure(plan, engines=(engine,), host=host_kind(), keeper=keeper, clock=clock, on_event=lambda _: None)
    noted = [says for says in RefusesDirect.noted if "write" in says]
    run = "write.graycard: write cold none"
    if host_kind is RefusesDirect:
        assert noted[:4] == [run, "write.graycard: written back", "write.graycard: written back", run]
    else:
        assert noted[:2] == ["write.graycard: write bypass at_end", run]
