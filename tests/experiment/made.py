"""Experiments on a simulated device, with volumes that are mere folders: everything but the disk is real."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.errors import RunProblem
from graycard.experiment import Bench, Sitting, carry_out, new_record, read_plan
from graycard.facts import fact
from graycard.measurement import Event
from graycard.model import IoTask, Result, Samples, Target
from graycard.model.experiment import ExperimentPlan, ExperimentRecord
from graycard.model.image import Image
from graycard.protocols import Host, OnTick, OnWritten
from tests.cli.fakes import with_facts

MIB = 1 << 20
TWO = """
name = "two"
folder = "."
image_size = "64MiB"
pairs = 4
rest = "0s"
seed = 5
[measure]
presets = ["quick"]
size = "8MiB"
time = "50ms"
[[configuration]]
name = "A"
file_system = "ext4"
[[configuration]]
name = "B"
file_system = "btrfs"
"""


def plan_in(folder: Path, text: str = TWO) -> ExperimentPlan:
    return read_plan(text.encode(), str(folder / "plan.toml"))


class FakeMaker:
    """Makes files and mounts nothing; holds that what is mounted is unmounted, and nothing is made twice."""

    name = "fake"
    suffix = ".img"
    file_systems = ("ext4", "btrfs", "exFAT")

    def __init__(self) -> None:
        self.mounted: dict[str, str] = {}
        self.made: list[str] = []
        self.mounts: list[tuple[str, tuple[str, ...]]] = []
        self.missing: set[str] = set()
        self.failing: dict[str, str] = {}

    def refuses(self, image: Image) -> str | None:
        return f"mkfs.{image.file_system} is missing; install it" if image.file_system in self.missing else None

    def driver(self, image: Image) -> str | None:
        return "kernel"

    def make(self, image: Image, path: str, on_written: OnWritten | None = None) -> None:
        if image.file_system in self.failing:
            raise RunProblem(self.failing[image.file_system], errno=None, offset_bytes=None, phase="prepare")
        with open(path, "xb") as file:
            file.truncate(image.size_bytes)
        if on_written:
            on_written(image.size_bytes)
        self.made.append(image.file_system)

    def mount(self, image: Image, path: str, mount_point: str) -> None:
        assert os.listdir(mount_point) == []
        assert mount_point not in self.mounted
        self.mounted[mount_point] = path
        self.mounts.append((image.file_system, image.mount_options))

    def unmount(self, path: str, mount_point: str) -> None:
        self.mounted.pop(mount_point, None)

    def remove(self, path: str) -> None:
        os.unlink(path)


@dataclass
class Kept:
    """A store in memory. Every state is what a sitting after kill -9 would find."""

    results: dict[str, Result] = field(default_factory=dict)
    record: ExperimentRecord | None = None

    def save(self, result: Result) -> None:
        before = self.results.get(result.id)
        assert before is None or result.runs[: len(before.runs)] == before.runs, "a run was edited"
        self.results[result.id] = result

    def save_record(self, record: ExperimentRecord) -> None:
        self.record = record

    def of(self, name: str) -> list[Result]:
        return [each for each in self.results.values() if each.trial and each.trial.configuration == name]

    def runs_of(self, name: str) -> list[int]:
        return sorted(len(each.runs) for each in self.of(name))


class FailingEngine(SimulatedEngine):
    """Raises an I/O error in the runs for which `fails` says so; layouts do not count."""

    def __init__(self, clock: VirtualClock, fails: Callable[[Target, int], bool]) -> None:
        super().__init__(clock, 100e6, 0.01)
        self._fails = fails
        self.count = 0

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        self.count += 1
        if self._fails(target, self.count):
            raise RunProblem("input/output error at byte 4096", errno=5, offset_bytes=4096, phase="measure")
        return super().run(task, target, on_tick)


class Laboratory:
    """Everything for sittings at one experiment, one after the other."""

    def __init__(self, plan: ExperimentPlan) -> None:
        self.clock = VirtualClock()
        self.maker = FakeMaker()
        self.kept = Kept()
        self.engine = SimulatedEngine(self.clock, 100e6, 0.01)
        self.host: Host = with_facts(fact("kernel_version", "6.1", "uname"))
        self.record = new_record(plan, self.clock.utc_now())
        self.events: list[Event] = []

    def sit(self, on_event: Callable[[Event], None] | None = None) -> Sitting:
        """One sitting, from what is kept alone."""

        def hear(event: Event) -> None:
            self.events.append(event)
            if on_event:
                on_event(event)

        bench = Bench(self.host, self.engine, self.maker, self.clock, self.kept, hear)
        return carry_out(self.kept.record or self.record, tuple(self.kept.results.values()), bench)
