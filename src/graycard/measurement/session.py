"""What one measurement holds in its hands while it goes on, and what it tells and hands back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from graycard.model import CrossCheck, Fact, IoTask, Operation, Plan, Result, Run, Target, TargetKind, Trial
from graycard.plan import file_name
from graycard.protocols import Clock, Engine, Host, Progress


@dataclass(frozen=True, slots=True)
class Event:
    """What is going on now. `done_ratio` and `eta_ns` are estimates, None before the first run has ended."""

    phase: str
    says: str
    at_ns: int
    task_label: str | None = None
    repeat_index: int | None = None
    progress: Progress | None = None
    done_ratio: float | None = None
    eta_ns: int | None = None


OnEvent = Callable[[Event], None]


class Keeper(Protocol):
    """What a measurement needs of the store."""

    def save(self, result: Result) -> None:
        """Keep the result and those of its runs that are not yet kept."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What `measure` hands back. `notes` are sentences about the whole measurement."""

    id: str
    results: tuple[Result, ...]
    notes: tuple[str, ...]
    cross_checks: tuple[CrossCheck, ...] = ()


@dataclass(slots=True)
class Arm:
    """One task on one engine, and what it has gathered so far: `earlier_count` runs before. `enough` closes it."""

    task_index: int
    task: IoTask
    engine: Engine
    result_id: str
    runs: list[Run] = field(default_factory=list)
    earlier_count: int = 0
    instrument: tuple[Fact, ...] = ()
    enough: bool = False
    result: Result | None = None


@dataclass(slots=True)
class Session:
    """All that one measurement holds in its hands. `disown` leaves a file that somebody else made where it is."""

    id: str
    plan: Plan
    arms: list[Arm]
    host: Host
    keeper: Keeper
    clock: Clock
    on_event: OnEvent
    trial: Trial | None = None
    disown: Callable[[str], None] | None = None
    paths: dict[str, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    file_before: dict[str, tuple[Fact, ...]] = field(default_factory=dict)
    others_count: int | None = None
    count_others: Callable[[], int | None] | None = None
    started_ns: int = 0
    notes: list[str] = field(default_factory=list)

    def file_of(self, arm: Arm) -> Target:
        """The file that an arm reads or writes."""
        return Target(self.paths[file_name(self.plan, arm.task_index)], TargetKind.FILE)

    def file_before_of(self, arm: Arm) -> tuple[Fact, ...]:
        """The facts of that file after it was laid out."""
        return self.file_before.get(file_name(self.plan, arm.task_index), ())

    def name_file(self, name: str, path: str) -> None:
        """Tell where the file of that plain name lies."""
        self.paths[name] = os.path.abspath(path)

    def look_for_others(self) -> None:
        """Count the other measurements on the volume; the most that were ever seen at once is kept."""
        seen = self.count_others() if self.count_others else None
        if seen is not None:
            self.others_count = max(seen, self.others_count or 0)

    @property
    def elapsed_ns(self) -> int:
        """Time since the layout began."""
        return self.clock.monotonic_ns() - self.started_ns

    @property
    def written_bytes(self) -> int:
        """What the write runs of this measurement have written so far."""
        arms = (arm for arm in self.arms if arm.task.operation is Operation.WRITE)
        runs = (run for arm in arms for run in arm.runs[arm.earlier_count :])
        return sum(run.samples.moved_bytes for run in runs)

    def tell(self, phase: str, says: str, arm: Arm | None = None, progress: Progress | None = None) -> None:
        """Tell the listener, who may raise to stop the measurement."""
        done, eta_ns = self._outlook()
        label = arm.task.label if arm else None
        repeat = len(arm.runs) if arm else None
        self.on_event(Event(phase, says, self.clock.monotonic_ns(), label, repeat, progress, done, eta_ns))

    def _outlook(self) -> tuple[float | None, int | None]:
        """Share of the least number of new runs that is done, and the time the rest will take."""
        least = self.plan.repeat.min_count
        wanted = sum(max(0, least - arm.earlier_count) for arm in self.arms)
        missing = sum(0 if arm.enough else max(0, least - len(arm.runs)) for arm in self.arms)
        if missing == wanted:
            return None, None
        share = (wanted - missing) / wanted
        return share, int(self.elapsed_ns * (1 - share) / share)
