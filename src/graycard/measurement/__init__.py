"""A whole measurement on one page.

    facts → space → scratch folder → layout → ceilings → rounds of interleaved runs, with looks → results

Every result is checked, summarised and saved after each of its runs: whatever happens later, what was finished is kept.
"""

from __future__ import annotations

import platform

from graycard import __version__
from graycard.errors import PlanProblem
from graycard.facts import fact
from graycard.measurement.conclusion import cross_checks, say_what_is_short
from graycard.measurement.layout import files_to_measure, lay_out, remove_leftovers
from graycard.measurement.runs import repeat
from graycard.measurement.session import Event, Keeper, Measurement, OnEvent, Session
from graycard.measurement.start import session_of, still_to_do
from graycard.measurement.trouble import interrupted, under_way
from graycard.model import CrossCheck, Fact, Plan, Result, Trial
from graycard.plan import check_space
from graycard.protocols import Clock, Engine, Host

__all__ = ["CrossCheck", "Event", "Keeper", "Measurement", "OnEvent", "measure"]


def measure(
    plan: Plan,
    *,
    engines: tuple[Engine, ...],
    host: Host,
    keeper: Keeper,
    clock: Clock,
    on_event: OnEvent,
    earlier: tuple[Result, ...] = (),
    trial: Trial | None = None,
) -> Measurement:
    """Carry out `plan`. With two engines each task runs on both, interleaved, and their ratio is stated.

    `earlier` results of the same plan are continued: their runs count, and each result is of all its runs. As a part of
    an experiment the results carry `trial`.
    Raises PlanProblem or TargetProblem before anything was written, RunProblem in the middle, Interrupted on Ctrl-C;
    in each case the runs finished so far are in the store and the scratch folder is gone.
    """
    session = session_of(plan, engines, host, keeper, clock, on_event, earlier, trial)
    try:
        prepare(session)
        with files_to_measure(session):
            session.started_ns = clock.monotonic_ns()
            lay_out(session)
            calibrate(session)
            with under_way(session, "measure"):
                repeat(session)
            say_what_is_short(session)
            session.tell("cleanup", "removing the test files")
    except KeyboardInterrupt as stop:
        raise interrupted(session, stop) from None
    return Measurement(
        session.id,
        tuple(arm.result for arm in session.arms if arm.result),
        tuple(session.notes),
        tuple(cross_checks(session)),
    )


def prepare(session: Session) -> None:
    """Learn the set-up; refuse what cannot be done before anything is written."""
    plan = session.plan
    session.tell("prepare", "reading the facts of the volume")
    remove_leftovers(session)
    session.facts = (*session.host.facts(plan.target), *software_facts())
    session.notes += check_space(still_to_do(session), session.facts)
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


def calibrate(session: Session) -> None:
    """The instrument's own ceiling for each task: what the engine reaches with no device at all."""
    for arm in session.arms:
        session.tell("calibrate", "measuring the instrument's own ceiling", arm)
        arm.instrument = arm.engine.ceiling(arm.task)
