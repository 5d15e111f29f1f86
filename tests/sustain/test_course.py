"""A whole test on drives of known truth: its parts, what ends it early, and what is kept then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.errors import Interrupted, PlanProblem, RunProblem, TargetProblem, io_problem
from graycard.facts import fact, value
from graycard.measurement import Event
from graycard.model import Cache, Fact, IoTask, Operation, Steady, Target, TargetKind, Tick
from graycard.protocols import Look, OnTick, Volume, unwatched
from graycard.sustain import Kind
from graycard.sustain.order import BLOCK_BYTES
from graycard.sustain.recovery import Recovered
from tests.cli.fakes import FakeHost
from tests.sustain.conftest import Make
from tests.sustain.drive import MB, Drive, S, even, falls

GB = 1000 * MB
FAST_LINK = fact("link_bits_per_s", 10_000_000_000, "sysfs")
CACHE = falls(10 * GB, 400 * MB, 80 * MB)
SOON = 20 * S


def test_a_drive_with_a_cache_is_written_until_it_is_steady(tested: Make) -> None:
    test = tested(CACHE, FAST_LINK, drive={"recovers_ns": 30 * S}, hold_ns=SOON)
    found = test.carry_out().figures
    assert found.verdict is Kind.CACHE_FULL
    assert found.cache is not None
    assert found.cache.value == pytest.approx(10 * GB, rel=0.01)
    assert found.burst.value == pytest.approx(400 * MB, rel=0.01)
    assert found.sustained.value == pytest.approx(80 * MB, rel=0.01)
    assert found.ended == "ended as the rate after its fall was steady"
    assert 11.6 * GB <= found.written_bytes < 12.4 * GB
    assert found.recovery is not None
    assert (found.recovery.verdict, found.recovery.rest_ns) == (Recovered.YES, 60 * S)


def test_the_parts_are_results_of_one_measurement(tested: Make) -> None:
    test = tested(CACHE, FAST_LINK, hold_ns=SOON)
    found = test.carry_out()
    assert [result.task.variant for result in test.stored] == ["sustained", "read back", "second burst"]
    assert found.results == tuple(test.stored)
    assert len({result.measurement_id for result in test.stored}) == 1
    assert [result.runs[0].task_index for result in test.stored] == [0, 1, 2]
    writing = test.stored[0]
    assert writing.summary is not None
    assert writing.summary.steadiness.verdict is Steady.CLIFF
    assert writing.summary.steadiness.phases == found.figures.phases
    assert writing.summary.rate.value == found.figures.sustained.value
    assert writing.task.byte_limit == writing.runs[0].samples.moved_bytes == found.figures.written_bytes
    checks = {check.name: check.verdict.value for check in writing.summary.checks}
    assert checks["bytes_conserved"] == "pass"
    assert value(writing.facts, "graycard_version") is not None


def test_a_drive_that_has_not_recovered_says_so(tested: Make) -> None:
    found = tested(CACHE, FAST_LINK, hold_ns=SOON).carry_out().figures
    assert found.recovery is not None
    assert found.recovery.verdict is Recovered.NO


def test_a_steady_drive_writes_its_budget_and_no_second_burst(tested: Make) -> None:
    test = tested(even(400 * MB), FAST_LINK, max_time_ns=60 * S)
    found = test.carry_out().figures
    assert (found.verdict, found.cache, found.recovery) == (Kind.STEADY, None, None)
    assert found.ended is not None
    assert "the most time that it was to take" in found.ended
    assert [task.operation for task in test.engine.tasks] == [Operation.WRITE] * 2 + [Operation.READ] * 2


def test_the_bytes_asked_for_are_written_through_a_fall(tested: Make) -> None:
    found = tested(CACHE, FAST_LINK, size_bytes=20 * GB).carry_out().figures
    assert 20 * GB - found.written_bytes < BLOCK_BYTES
    assert found.ended is None


def test_a_fall_across_many_files_is_one_fall(tested: Make) -> None:
    """As on FAT32: files of at most 4 GiB, here of 400 MB; each has data of its own."""
    test = tested(CACHE, FAST_LINK, piece=200 * BLOCK_BYTES, size_bytes=14 * GB)
    found = test.carry_out().figures
    writes = [task for task in test.engine.tasks if task.operation is Operation.WRITE]
    assert len(writes) == 34 + 1
    assert len({task.seed for task in writes[:-1]}) == 34
    assert found.cache is not None
    assert found.cache.value == pytest.approx(10 * GB, rel=0.01)
    assert len(found.changes) == 1


def test_a_slot_of_time_is_never_read_longer_than_it_was_written(tested: Make) -> None:
    test = tested(even(400 * MB), drive={"read_rate": 50 * MB}, max_time_ns=30 * S)
    test.carry_out()
    read = test.stored[1]
    assert read.runs[0].samples.elapsed_ns == pytest.approx(30 * S, rel=0.01)


def test_what_went_wrong_comes_after_what_was_measured(tested: Make) -> None:
    trouble = io_problem(28, operation="write", place="x", offset_bytes=4096, phase="measure")
    test = tested(CACHE, FAST_LINK, drive={"trouble": trouble, "trouble_bytes": 11 * GB})
    with pytest.raises(RunProblem, match="the volume is full"):
        test.carry_out()
    figures = test.shown[-1].figures
    assert figures.written_bytes == pytest.approx(11 * GB, rel=0.01)
    assert figures.verdict is Kind.FALLS
    assert figures.cache is not None
    assert figures.cache.value == pytest.approx(10 * GB, rel=0.01)
    stored = test.stored[0]
    assert stored.trouble is not None
    assert "the volume is full (ENOSPC)" in stored.trouble
    samples = stored.runs[0].samples
    assert sum(tick.moved_bytes for tick in samples.ticks) == samples.moved_bytes
    assert samples.latency is None


def test_trouble_before_the_first_byte_stores_nothing(tested: Make) -> None:
    trouble = io_problem(5, operation="write", place="x", offset_bytes=0, phase="measure")
    test = tested(CACHE, drive={"trouble": trouble, "trouble_bytes": 0})
    with pytest.raises(RunProblem, match="I/O error"):
        test.carry_out()
    assert (test.stored, test.shown) == ([], [])


@pytest.mark.parametrize(("part", "stored"), [("writing,", 1), ("reading back", 2), ("resting", 2), ("second", 3)])
def test_a_stop_keeps_the_figures_so_far(tested: Make, part: str, stored: int) -> None:
    seen = 0

    def strike(event: Event) -> None:
        nonlocal seen
        seen += part.replace("resting", "rest,") in event.says or (part == "resting" and event.phase == "rest")
        if seen >= 3:
            raise KeyboardInterrupt

    test = tested(CACHE, FAST_LINK, hold_ns=SOON)
    test.strike = strike
    with pytest.raises(Interrupted, match="the figures so far are kept, see them with: graycard results show"):
        test.carry_out()
    assert len(test.stored) == stored
    assert test.shown[-1].figures.written_bytes > 0
    assert all(result.trouble is None for result in test.stored)


def test_a_stop_before_the_start_leaves_nothing(tested: Make) -> None:
    def strike(event: Event) -> None:
        raise KeyboardInterrupt

    test = tested(CACHE)
    test.strike = strike
    with pytest.raises(Interrupted, match="stopped before anything was measured; nothing is left here"):
        test.carry_out()
    assert test.stored == []


def test_a_request_that_hangs_after_a_stop_is_left_to_its_thread(tested: Make) -> None:
    """An engine that does not end on a stop: what was seen of the run is what is kept."""

    class Hanging(Drive):
        def looked(self, task: IoTask, ticks: list[Tick], moved: int, on_tick: OnTick) -> bool:
            super().looked(task, ticks, moved, on_tick)
            return False

    class Silent(FakeHost):
        def counters(self, target: Target) -> tuple[Fact, ...]:
            assert count < 20, "a volume that does not answer must not be asked"
            return ()

        def file_facts(self, path: str, look: Look = unwatched) -> tuple[Fact, ...]:
            return self.counters(Target(path, TargetKind.FILE))

    test = tested(CACHE, FAST_LINK, hold_ns=SOON)
    test.engine = Hanging(test.engine.clock, CACHE)
    test.host = Silent(test.host.known)
    count = 0

    def strike(event: Event) -> None:
        nonlocal count
        count += "writing," in event.says
        if count == 20:
            raise KeyboardInterrupt

    test.strike = strike
    with pytest.raises(Interrupted, match=r"stopped after 1\.04 GB"):
        test.carry_out()
    assert test.stored[0].runs[0].samples.latency is None


class Filling(FakeHost):
    """A volume of which others leave 1 GB."""

    def volume(self, target: Target) -> Volume:
        return replace(self.place, free_bytes=GB)


def test_space_that_others_take_ends_the_writing(tested: Make) -> None:
    test = tested(even(400 * MB), FAST_LINK)
    test.host = Filling(test.host.known)
    found = test.carry_out().figures
    assert found.ended == "ended early: other programs took space, and only 1.00 GB were left"
    assert found.written_bytes < 2 * GB


class Indirect(FakeHost):
    """A file system that refuses direct I/O."""

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        if direct:
            raise TargetProblem("direct I/O is refused here")
        return super().open_file(path, write=write, direct=direct)


def test_what_refuses_direct_io_is_written_through_memory_and_no_cause_is_named(tested: Make) -> None:
    test = tested(CACHE, FAST_LINK, hold_ns=SOON)
    test.host = Indirect(test.host.known)
    found = test.carry_out()
    assert {task.cache for task in test.engine.tasks} == {Cache.COLD}
    assert found.notes == ("direct I/O is refused here; written through the system's memory instead",)
    assert found.figures.verdict is Kind.FALLS
    assert "through the system's memory" in found.figures.because[0]


class Warming(FakeHost):
    """A drive that tells its temperature: a degree for each reading."""

    readings = 40

    def counters(self, target: Target) -> tuple[Fact, ...]:
        Warming.readings += 1
        return (fact("temperature_celsius", float(self.readings), "hwmon"),)


def test_the_temperature_stands_beside_it(tested: Make) -> None:
    test = tested(CACHE, FAST_LINK, fact("temperature_limit_celsius", 45.0, "hwmon"))
    test.host = Warming(test.host.known)
    found = test.carry_out().figures
    assert found.verdict is Kind.HEAT
    assert found.coolest_celsius == 41
    assert found.hottest_celsius is not None
    assert found.hottest_celsius > 50
    names = [series.name for series in test.stored[0].runs[0].monitor]
    assert names == ["temperature_celsius"]


def test_an_engine_that_cannot_is_refused_before_anything_is_written(tested: Make) -> None:
    class Unable(Drive):
        def refuses(self, *_: object) -> str | None:
            return "the compiled core is missing"

    test = tested(CACHE)
    test.engine = Unable(test.engine.clock, CACHE)
    with pytest.raises(PlanProblem, match="cannot write on: the compiled core is missing"):
        test.carry_out()
    assert test.engine.tasks == []
