"""The whole test of a link on one page: the own ceiling, idle round trips, flows in a seeded random order."""

from __future__ import annotations

import contextlib
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median

from graycard.agent.wire import ECHO
from graycard.facts import fact, value
from graycard.link.far_end import FarEnd, inside
from graycard.link.flow import Flow, flow, idle_round_trips
from graycard.link.path import Traffic, path_facts
from graycard.link.results import checks_of, link_task, result_of, run_of, worst
from graycard.measurement import Event, OnEvent
from graycard.model import Action, Check, Fact, IoTask, Result, Run
from graycard.protocols import Clock, Progress

LOOPBACK_NS = 500_000_000
IDLE_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """What to test: each direction with each number of streams, `run_count` runs of `time_ns` each."""

    actions: tuple[Action, ...] = (Action.SEND, Action.RECEIVE)
    stream_counts: tuple[int, ...] = (1, 4)
    time_ns: int = 5_000_000_000
    run_count: int = 3
    seed: int = 0
    rest_ns: int = 200_000_000

    @property
    def arms(self) -> tuple[tuple[Action, int], ...]:
        """Each direction with each number of streams."""
        return tuple((action, count) for action in self.actions for count in self.stream_counts)

    @property
    def whole_ns(self) -> int:
        """How long it takes, the beginning included."""
        runs = len(self.arms) * self.run_count
        return runs * (self.time_ns + self.rest_ns) + IDLE_NS + len(self.stream_counts) * LOOPBACK_NS


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What a test of a link gave. `idle_ns` are the round trips with nothing else on the way, in order of size."""

    results: tuple[Result, ...]
    idle_ns: tuple[int, ...]
    refused_count: int


@dataclass(slots=True)
class Arm:
    """One direction with one number of streams, and its runs so far."""

    action: Action
    stream_count: int
    task: IoTask
    ceiling_bytes_per_s: float
    runs: list[Run] = field(default_factory=list)
    checks: list[tuple[Check, ...]] = field(default_factory=list)
    result: Result | None = None


class LinkTest:
    """A test on its way. Each result is kept after each of its runs.

    RunProblem when the other end goes away; what was kept stays. What `on_event` raises ends the test.
    """

    def __init__(
        self, far: FarEnd, options: LinkOptions, clock: Clock, keep: Callable[[Result], None], on_event: OnEvent
    ) -> None:
        self._far = far
        self._options = options
        self._clock = clock
        self._keep = keep
        self._on_event = on_event
        self._id = secrets.token_hex(6)
        self._refused_count = 0

    def carry_out(self) -> LinkReport:
        """Test each direction with each number of streams, interleaved."""
        options = self._options
        ceilings = {count: self._loopback(count) for count in options.stream_counts}
        self._tell("idle", "round trips with nothing else on the way")
        idle = tuple(sorted(idle_round_trips(self._far, IDLE_NS)))
        facts = (*self._path_facts(), fact("round_trip_ns", median(idle) if idle else None, _ROUND_TRIPS))
        arms = [
            Arm(action, count, link_task(action, count, options.time_ns), ceilings[count])
            for action, count in options.arms
        ]
        for repeat, index in self._order(len(arms)):
            self._clock.sleep_ns(options.rest_ns)
            self._run(arms[index], index, repeat, facts)
        return LinkReport(tuple(arm.result for arm in arms if arm.result), idle, self._refused_count)

    def _order(self, count: int) -> Iterator[tuple[int, int]]:
        """(repeat, arm): each round has every arm once, in an order of its own."""
        for repeat in range(self._options.run_count):
            for index in random.Random(f"{self._options.seed}/{repeat}").sample(range(count), count):
                yield repeat, index

    def _run(self, arm: Arm, index: int, repeat: int, facts: tuple[Fact, ...]) -> None:
        started_at = self._clock.utc_now()
        interface = value(facts, "network_interface")
        traffic = Traffic(str(interface) if interface else None, arm.action)
        moved = self._flow(arm, repeat)
        seen = (arm.ceiling_bytes_per_s, traffic.moved_bytes(), traffic.stolen_ratio())
        arm.runs.append(run_of(moved, index, repeat, started_at))
        arm.checks.append(checks_of(moved, facts, *seen))
        self._refused_count = moved.refused_count
        arm.result = result_of(
            arm.task,
            tuple(arm.runs),
            worst(tuple(arm.checks)),
            measurement_id=self._id,
            index=index,
            server=self._far.name,
            facts=(*facts, fact("loopback_bytes_per_s", arm.ceiling_bytes_per_s, "graycard link")),
        )
        self._keep(arm.result)

    def _flow(self, arm: Arm, repeat: int) -> Flow:
        label = arm.task.label

        last = (0, 0)

        def hear(elapsed_ns: int, moved_bytes: int) -> None:
            nonlocal last
            last = last if moved_bytes == last[1] else (elapsed_ns, moved_bytes)
            progress = Progress(elapsed_ns, 0, moved_bytes, elapsed_ns - last[0])
            self._tell("run", "testing the link", label, repeat, progress)

        hear(0, 0)
        return flow(self._far, arm.action, arm.stream_count, self._options.time_ns, hear)

    def _loopback(self, stream_count: int) -> float:
        """Bytes/s that the same sender and receiver reach inside this computer: the instrument's own ceiling."""
        self._tell("calibrate", "measuring the instrument's own ceiling")
        with inside() as here:
            moved = flow(here, Action.SEND, stream_count, LOOPBACK_NS, self._calibrating)
        return moved.moved_bytes * 1e9 / max(1, moved.elapsed_ns)

    def _calibrating(self, _elapsed_ns: int, _moved_bytes: int) -> None:
        self._tell("calibrate", "measuring the instrument's own ceiling")

    def _path_facts(self) -> tuple[Fact, ...]:
        """The way and who is at its end."""
        self._far.ask("expect", role="echo", streams=1)
        with contextlib.closing(self._far.connect(ECHO)) as connection:
            found = path_facts(connection)
        told = self._far.facts
        who = f"{told.get('name')}, {told.get('system')}, Python {told.get('python')}"
        return (fact("server", self._far.name, "command line"), fact("far_end", who, "the agent there"), *found)

    def _tell(
        self,
        phase: str,
        says: str,
        label: str | None = None,
        repeat: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._on_event(Event(phase, says, self._clock.monotonic_ns(), label, repeat, progress))


_ROUND_TRIPS = "a byte there and back every 20 ms"
