"""Where a measurement begins: at nothing, or at the results of an earlier one that it continues."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace

from graycard.errors import PlanProblem
from graycard.measurement.session import Arm, Keeper, OnEvent, Session
from graycard.model import Plan, Result, Trial
from graycard.plan import through
from graycard.protocols import Clock, Engine, Host


def session_of(
    plan: Plan,
    engines: tuple[Engine, ...],
    host: Host,
    keeper: Keeper,
    clock: Clock,
    on_event: OnEvent,
    earlier: tuple[Result, ...],
    trial: Trial | None,
) -> Session:
    """A session whose arms hold the earlier runs; PlanProblem where those are of another plan."""
    arms = list(_arms(plan, engines, earlier))
    id_ = earlier[0].measurement_id if earlier else secrets.token_hex(8)
    return Session(id_, plan, arms, host, keeper, clock, on_event, trial, started_ns=clock.monotonic_ns())


def _arms(plan: Plan, engines: tuple[Engine, ...], earlier: tuple[Result, ...]) -> Iterator[Arm]:
    known = {(result.runs[0].task_index, result.origin.engine): result for result in earlier if result.runs}
    for index, task in enumerate(plan.tasks):
        for engine in engines:
            before = known.pop((index, engine.name), None)
            if before is None:
                yield Arm(index, task, engine, secrets.token_hex(8))
            elif before.task != through(task, before.task.cache):
                raise PlanProblem(f"{task.label} is not what {before.id[:8]} measured, so it cannot be continued.")
            else:
                runs = list(before.runs)
                yield Arm(index, before.task, engine, before.id, runs, earlier_count=len(runs), result=before)
    if known:
        raise PlanProblem(f"The plan has no task for {next(iter(known.values())).id[:8]}, so it cannot be continued.")


def still_to_do(session: Session) -> Plan:
    """The plan without the runs that every arm has already: what it will yet write and take."""
    done = min(arm.earlier_count for arm in session.arms)
    repeat = session.plan.repeat
    left = replace(repeat, min_count=max(0, repeat.min_count - done), max_count=max(0, repeat.max_count - done))
    return replace(session.plan, repeat=left)
