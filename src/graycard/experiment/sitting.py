"""One sitting at an experiment: what it holds in its hands, what is done, what is open, what has failed.

Everything is in the archive as soon as it is known, so that a sitting may end at any moment and the next one goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from graycard.errors import PlanProblem, RunProblem, TargetProblem
from graycard.experiment.load import tasks_of
from graycard.experiment.order import Slot, interleaved, slots
from graycard.experiment.words import in_plan_words, of_its_volume
from graycard.measurement import Event, OnEvent
from graycard.model import Result, Trial
from graycard.model.experiment import Configuration, ExperimentRecord, Failure
from graycard.protocols import Clock, Engine, Host, VolumeMaker

STOP_ARRIVES_NS = 200_000_000


class Archive(Protocol):
    """What an experiment needs of the store."""

    def save(self, result: Result) -> None:
        """Keep a result and those of its runs that are not yet kept."""

    def save_record(self, record: ExperimentRecord) -> None:
        """Keep the newest state of the experiment."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The machine and the tools that a sitting works with."""

    host: Host
    engine: Engine
    maker: VolumeMaker
    clock: Clock
    archive: Archive
    on_event: OnEvent


@dataclass(slots=True)
class Sitting:
    """`results` holds the newest state of every result of the experiment by id."""

    bench: Bench
    record: ExperimentRecord
    results: dict[str, Result]
    slots: tuple[Slot, ...] = ()
    tasks_count: int = 0
    began_ns: int = 0
    began_runs_count: int = 0
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.slots = slots(self.record.plan, self.record.seed)
        self.tasks_count = len(tasks_of(self.record.plan))
        self.began_ns = self.bench.clock.monotonic_ns()
        self.began_runs_count = self._runs_count()

    def save(self, result: Result) -> None:
        """Keep a result: this is the keeper of every measurement of the sitting."""
        self.bench.archive.save(result)
        self.results[result.id] = result

    def remember(self, record: ExperimentRecord) -> None:
        """Keep a new state of the experiment."""
        self.bench.archive.save_record(record)
        self.record = record

    def earlier(self, configuration: Configuration) -> tuple[Result, ...]:
        """The results of a configuration so far."""
        return results_of(self.results.values(), configuration.name)

    def is_open(self, slot: Slot) -> bool:
        """Whether the slot lacks a run of any task; what has failed is not gone on with in this sitting."""
        if any(each.configuration == slot.configuration.name for each in self.record.failures):
            return False
        counts = [len(result.runs) for result in self.earlier(slot.configuration)]
        return blocks_done(counts, self.tasks_count) <= slot.block_index

    def needs_step(self, slot: Slot) -> bool:
        """Whether a person has to do something before the slot."""
        # A step is remembered once for each visit.
        done_count = self.record.steps_done.count(slot.configuration.name)
        return slot.configuration.step is not None and done_count <= slot.visit_index

    def wait_for(self, slot: Slot) -> None:
        """Remember what was asked for, so that the next sitting may take it for done."""
        self.remember(replace(self.record, waiting=slot.configuration.name))

    def let_go(self) -> None:
        """The experiment is in nobody's hands any more."""
        self.remember(replace(self.record, held_by=None))

    def note(self, configuration: Configuration, notes: Iterable[str]) -> None:
        """Keep sentences of a measurement, each once."""
        for says in notes:
            sentence = in_plan_words(f"{configuration.name}: {says}")
            if sentence not in self.notes:
                self.notes.append(sentence)

    def trial(self, configuration: Configuration) -> Trial:
        """How the results of a configuration name their part in the experiment."""
        plan = self.record.plan
        randomised = configuration in interleaved(plan) and configuration.name not in self.record.apart
        return Trial(self.record.id, plan.name, configuration.name, randomised)

    @contextmanager
    def failures_of(self, configuration: Configuration) -> Iterator[None]:
        """What prevents this configuration is remembered, and the rest of the plan goes on."""
        try:
            yield
        except (PlanProblem, TargetProblem, RunProblem) as problem:
            # A Ctrl-C that has ended a program of ours, too, arrives an instant later: that is no failure.
            self.bench.clock.sleep_ns(STOP_ARRIVES_NS)
            self.fail(configuration, " ".join((str(problem), *getattr(problem, "__notes__", ()))))

    def fail(self, configuration: Configuration, says: str) -> None:
        """Remember why the configuration cannot be measured."""
        if configuration.image:
            says = of_its_volume(says, os.path.realpath(configuration.folder))
        failure = Failure(configuration.name, self.bench.clock.utc_now(), in_plan_words(says))
        self.remember(replace(self.record, failures=(*self.record.failures, failure)))

    def teller(self, configuration: Configuration) -> Callable[[Event], None]:
        """A listener that tells of the whole experiment: which configuration, how far, how long yet."""

        def tell(event: Event) -> None:
            done_ratio, eta_ns = self._outlook()
            says = f"{configuration.name}: {event.says}"
            self.bench.on_event(replace(event, says=says, done_ratio=done_ratio, eta_ns=eta_ns))

        return tell

    @property
    def new_runs_count(self) -> int:
        """Runs that this sitting has added."""
        return self._runs_count() - self.began_runs_count

    def _runs_count(self) -> int:
        return sum(len(result.runs) for result in self.results.values())

    def _outlook(self) -> tuple[float | None, int | None]:
        """The share of all runs that is done, and the time the rest will take at the pace of this sitting."""
        failed = {each.configuration for each in self.record.failures}
        missing = sum(
            self.record.plan.pair_count * self.tasks_count - sum(len(result.runs) for result in self.earlier(each))
            for each in self.record.plan.configurations
            if each.name not in failed
        )
        done, new = self._runs_count(), self.new_runs_count
        if not new:
            return None, None
        elapsed_ns = self.bench.clock.monotonic_ns() - self.began_ns
        return done / (done + missing), elapsed_ns * missing // new


def results_of(results: Iterable[Result], name: str) -> tuple[Result, ...]:
    """Those of one configuration."""
    return tuple(each for each in results if each.trial and each.trial.configuration == name)


def run_counts(results: Iterable[Result]) -> dict[str, list[int]]:
    """By configuration, the number of runs of each of its results."""
    counts: dict[str, list[int]] = {}
    for each in results:
        if each.trial:
            counts.setdefault(each.trial.configuration, []).append(len(each.runs))
    return counts


def blocks_done(counts: Sequence[int], tasks_count: int) -> int:
    """Blocks in which every task of a configuration has its run."""
    return min(counts, default=0) if len(counts) == tasks_count else 0
