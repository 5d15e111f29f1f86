"""A whole measurement on one page.

    facts → space → scratch folder → layout → ceilings → rounds of interleaved runs, with looks → checks → results

Every result is saved after each of its runs, so whatever happens later, what was finished is kept.
"""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from graycard import __version__
from graycard.checks import CheckEvidence, run_checks
from graycard.errors import Interrupted, PlanProblem, RunProblem, TargetProblem
from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Cache,
    Estimate,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Plan,
    Result,
    Run,
    Target,
    TargetKind,
)
from graycard.plan import check_space, order, run_task
from graycard.protocols import Clock, Engine, Host, Progress
from graycard.scratch import Scratch, others_running
from graycard.stats.between import runs_estimate
from graycard.stats.stopping import look
from graycard.summary import run_rates, summarise
from graycard.units import format_duration
from graycard.watch import Watch

LAYOUT_BLOCK_BYTES = 1 << 20
LAYOUT_DEPTH_COUNT = 8
FILE_NAME = "data"


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
class CrossCheck:
    """The other engine's rate over ours, from interleaved pairs."""

    task_label: str
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class Measurement:
    """What `measure` hands back. `notes` are sentences about the whole measurement."""

    id: str
    results: tuple[Result, ...]
    notes: tuple[str, ...]
    cross_checks: tuple[CrossCheck, ...] = ()


@dataclass(slots=True)
class Arm:
    """One task on one engine, and what it has gathered so far."""

    task_index: int
    task: IoTask
    engine: Engine
    result_id: str
    runs: list[Run] = field(default_factory=list)
    instrument: tuple[Fact, ...] = ()
    enough: bool = False
    result: Result | None = None


@dataclass(slots=True)
class Session:
    """All that one measurement holds in its hands."""

    id: str
    plan: Plan
    arms: list[Arm]
    host: Host
    keeper: Keeper
    clock: Clock
    on_event: OnEvent
    path: str = ""
    facts: tuple[Fact, ...] = ()
    file_before: tuple[Fact, ...] = ()
    others_count: int = 0
    started_ns: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def file(self) -> Target:
        """The file that is read and written."""
        return Target(self.path, TargetKind.FILE)

    def tell(self, phase: str, says: str, arm: Arm | None = None, progress: Progress | None = None) -> None:
        """Tell the listener, who may raise to stop the measurement."""
        done, eta_ns = self._outlook()
        label = arm.task.label if arm else None
        repeat = len(arm.runs) if arm else None
        self.on_event(Event(phase, says, self.clock.monotonic_ns(), label, repeat, progress, done, eta_ns))

    def _outlook(self) -> tuple[float | None, int | None]:
        """Share of the least number of runs that is done, and the time the rest will take."""
        least = self.plan.repeat.min_count
        done = sum(min(len(arm.runs), least) for arm in self.arms)
        if not done or not self.started_ns:
            return None, None
        share = done / (least * len(self.arms))
        return share, int((self.clock.monotonic_ns() - self.started_ns) * (1 - share) / share)


def measure(
    plan: Plan, *, engines: tuple[Engine, ...], host: Host, keeper: Keeper, clock: Clock, on_event: OnEvent
) -> Measurement:
    """Carry out `plan`. With two engines each task runs on both, interleaved, and their ratio is stated.

    Raises PlanProblem or TargetProblem before anything was written, RunProblem in the middle, Interrupted on Ctrl-C;
    in each case the runs finished so far are in the store and the scratch folder is gone.
    """
    arms = [Arm(i, task, engine, secrets.token_hex(8)) for i, task in enumerate(plan.tasks) for engine in engines]
    session = Session(secrets.token_hex(8), plan, arms, host, keeper, clock, on_event)
    try:
        prepare(session)
        with file_to_measure(session) as session.path:
            lay_out(session)
            calibrate(session)
            repeat(session)
            session.tell("cleanup", "removing the test file")
    except KeyboardInterrupt:
        raise Interrupted(stopped(session)) from None
    return Measurement(
        session.id,
        tuple(arm.result for arm in arms if arm.result),
        tuple(session.notes),
        tuple(cross_checks(session)),
    )


def prepare(session: Session) -> None:
    """Learn the set-up; refuse what cannot be done before anything is written."""
    plan = session.plan
    session.tell("prepare", "reading the facts of the volume")
    session.facts = (*session.host.facts(plan.target), *software_facts())
    session.notes += check_space(plan, session.facts)
    for arm in session.arms:
        reason = arm.engine.refuses(arm.task, plan.target)
        if reason:
            raise PlanProblem(f"the engine {arm.engine.name} cannot do {arm.task.label}: {reason}")


def software_facts() -> tuple[Fact, ...]:
    """The factor "software"."""
    return (
        fact("graycard_version", __version__, "graycard"),
        fact("python_version", platform.python_version(), "platform.python_version"),
    )


@contextlib.contextmanager
def file_to_measure(session: Session) -> Iterator[str]:
    """The user's own file if it is to be read, else a file in a scratch folder that goes when the run ends."""
    target = session.plan.target
    if target.kind is TargetKind.FILE:
        yield target.path
        return
    with Scratch(target.path, version=__version__) as scratch:
        session.facts += session.host.folder_facts(scratch.path)
        path = scratch.file_path(FILE_NAME)
        os.close(session.host.create_file(path, direct=False, nocow=session.plan.nocow))
        session.others_count = others_running(target.path)
        yield path
        session.others_count = max(session.others_count, others_running(target.path))


def lay_out(session: Session) -> None:
    """Write the whole file with unique data, so that no read meets a hole, an extent never written, or zeros."""
    use_page_cache_if_direct_is_refused(session)
    if session.plan.target.kind is not TargetKind.FILE:
        span_bytes = max(arm.task.span_bytes for arm in session.arms)
        task = layout_task(span_bytes, session.arms[0].task, session.plan.seed)
        says = "writing the test file"
        try:
            session.arms[0].engine.run(
                task, session.file, lambda progress: session.tell("layout", says, None, progress)
            )
        except RunProblem as problem:
            raise RunProblem(
                f"while {says}: {problem}", errno=problem.errno, offset_bytes=problem.offset_bytes, phase="layout"
            ) from problem
    session.file_before = session.host.file_facts(session.path)


def layout_task(span_bytes: int, like: IoTask, seed: int) -> IoTask:
    """A sequential write of every block, through the same cache mode and with the same kind of data as `like`."""
    block_bytes = min(LAYOUT_BLOCK_BYTES, span_bytes & -span_bytes)
    return IoTask(
        Operation.WRITE,
        Pattern.SEQUENTIAL,
        block_bytes,
        span_bytes,
        depth_count=LAYOUT_DEPTH_COUNT,
        byte_limit=span_bytes,
        cache=like.cache,
        compressible_ratio=like.compressible_ratio,
        seed=seed,
    )


def use_page_cache_if_direct_is_refused(session: Session) -> None:
    """A file system that refuses direct I/O is measured through the emptied page cache, and the result says so."""
    if not any(arm.task.cache is Cache.BYPASS for arm in session.arms):
        return
    try:
        os.close(session.host.open_file(session.path, write=False, direct=True))
    except TargetProblem as problem:
        session.notes.append(f"{problem}; measured with --cache cold instead")
        for arm in session.arms:
            arm.task = replace(arm.task, cache=Cache.COLD)


def calibrate(session: Session) -> None:
    """The instrument's own ceiling for each task: what the engine reaches with no device at all."""
    for arm in session.arms:
        session.tell("calibrate", "measuring the instrument's own ceiling", arm)
        arm.instrument = arm.engine.ceiling(arm.task)


def repeat(session: Session) -> None:
    """Rounds of all open tasks in a seeded random order, until each is known well enough or time is up."""
    session.started_ns = session.clock.monotonic_ns()
    for repeat_index in range(session.plan.repeat.max_count):
        for task_index in order(session.plan, repeat_index):
            for arm in arms_of(session, task_index, repeat_index):
                one_run(session, arm, repeat_index)
                conclude(session, arm)
        if all(arm.enough for arm in session.arms) or out_of_time(session, repeat_index + 1):
            break
    say_what_is_short(session)


def arms_of(session: Session, task_index: int, repeat_index: int) -> list[Arm]:
    """The open arms of a task; with two engines in the order AB BA AB …, so that neither is always second."""
    arms = [arm for arm in session.arms if arm.task_index == task_index]
    if all(arm.enough for arm in arms):
        return []
    return arms if (repeat_index + task_index) % 2 == 0 else arms[::-1]


def out_of_time(session: Session, rounds_count: int) -> bool:
    """Whether another round would go over the budget; the least number of runs is always made."""
    budget_ns = session.plan.budget_ns
    if budget_ns is None or rounds_count < session.plan.repeat.min_count:
        return False
    used_ns = session.clock.monotonic_ns() - session.started_ns
    still_open = sum(not arm.enough for arm in session.arms)
    runs_count = sum(len(arm.runs) for arm in session.arms)
    return used_ns + used_ns / runs_count * still_open > budget_ns


def one_run(session: Session, arm: Arm, repeat_index: int) -> None:
    """Rest, read the counters, run, read the counters again."""
    rest(session, arm)
    task = replace(run_task(session.plan, arm.task_index, repeat_index), cache=arm.task.cache)
    if task.cache is Cache.WARM and task.operation is Operation.READ:
        warm_up(session, arm)
    watch = Watch(session.host, session.plan.target)
    before = session.host.counters(session.plan.target)
    started_at = session.clock.utc_now()

    def on_tick(progress: Progress) -> None:
        watch.look(progress.elapsed_ns)
        session.tell("run", "measuring", arm, progress)

    samples = arm.engine.run(task, session.file, on_tick)
    after = (*session.host.counters(session.plan.target), *session.host.file_facts(session.path))
    arm.runs.append(Run(arm.task_index, repeat_index, started_at, samples, before, after, watch.series()))


def rest(session: Session, arm: Arm) -> None:
    """The pause before a run, in which the device may settle."""
    session.tell("rest", "resting", arm)
    session.clock.sleep_ns(session.plan.repeat.rest_ns)


def warm_up(session: Session, arm: Arm) -> None:
    """Read the file once through the page cache, unmeasured."""
    task = replace(
        layout_task(arm.task.span_bytes, arm.task, session.plan.seed), operation=Operation.READ, cache=Cache.WARM
    )
    arm.engine.run(task, session.file, lambda progress: session.tell("rest", "warming the cache", arm, progress))


def conclude(session: Session, arm: Arm) -> None:
    """Check and summarise what there is so far, save it, and see whether it is enough."""
    repeats = session.plan.repeat
    evidence = CheckEvidence(
        task=arm.task,
        facts=session.facts,
        runs=tuple(arm.runs),
        file_before=session.file_before,
        file_after=arm.runs[-1].after,
        instrument=arm.instrument,
        engine=arm.engine.name,
        others_count=session.others_count,
    )
    summary = summarise(arm.task, tuple(arm.runs), run_checks(evidence))
    save(session, arm, replace(empty_result(session, arm), runs=tuple(arm.runs), summary=summary))
    if len(arm.runs) >= repeats.min_count:
        arm.enough = (
            repeats.precision_ratio is None
            or look(run_rates(arm.task, tuple(arm.runs)), repeats.precision_ratio).enough
        )


def save(session: Session, arm: Arm, result: Result) -> None:
    """Keep the result in the store and in hand."""
    arm.result = result
    session.keeper.save(result)


def empty_result(session: Session, arm: Arm) -> Result:
    """The result without its runs."""
    settings = fact("engine_settings", arm.engine.settings(), arm.engine.name)
    return Result(
        id=arm.result_id,
        measurement_id=session.id,
        schema=SCHEMA,
        created_at=arm.runs[0].started_at,
        origin=Origin("graycard", __version__, arm.engine.name),
        target=session.plan.target,
        task=arm.task,
        facts=(*session.facts, *session.file_before, *arm.instrument, settings),
        runs=(),
        summary=None,
    )


def say_what_is_short(session: Session) -> None:
    """Mark the results whose interval is wider than what was asked for."""
    wanted = session.plan.repeat.precision_ratio
    for arm in session.arms:
        if arm.enough or wanted is None or not arm.result or not arm.result.summary:
            continue
        reached = arm.result.summary.rate.half_width_ratio
        says = f"target of ±{wanted:.1%} not reached after {len(arm.runs)} runs"
        says += f": ±{reached:.1%}." if reached is not None else "."
        summary = replace(arm.result.summary, caveats=(*arm.result.summary.caveats, says))
        save(session, arm, replace(arm.result, summary=summary))


def cross_checks(session: Session) -> Iterator[CrossCheck]:
    """Ratio of the second engine's rate to the first's, task by task, from the interleaved pairs."""
    for task_index, task in enumerate(session.plan.tasks):
        arms = [arm for arm in session.arms if arm.task_index == task_index]
        if len(arms) == 2:
            rates = [[run.samples.rate_bytes_per_s for run in arm.runs] for arm in arms]
            ratios = [b / a for a, b in zip(*rates, strict=True) if a and b]
            if ratios:
                yield CrossCheck(task.label, runs_estimate(ratios, "ratio"))


def stopped(session: Session) -> str:
    """The sentence for an interrupted measurement."""
    runs_count = sum(len(arm.runs) for arm in session.arms)
    if not runs_count:
        return "stopped before the first run had ended; nothing was kept and nothing is left on the volume"
    after = format_duration(session.clock.monotonic_ns() - session.started_ns)
    return (
        f"stopped after {after}; {runs_count} finished runs are kept, "
        f"see them with: graycard results show {session.id[:8]}"
    )
