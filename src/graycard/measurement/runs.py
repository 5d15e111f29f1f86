"""The rounds: every open task once a round in a seeded random order, until each is known well enough."""

from __future__ import annotations

from graycard.measurement.conclusion import conclude
from graycard.measurement.session import Arm, Session
from graycard.model import Cache, IoTask, Operation, Pattern, Run
from graycard.plan import may_run, order, run_task, through
from graycard.plan.budget import layout_bytes
from graycard.protocols import Progress
from graycard.watch import Watch

WARM_BLOCK_BYTES = 1 << 20
WRITING_BACK = "writing back what is in memory"


def repeat(session: Session) -> None:
    """Rounds until every arm is enough, or no further run fits the plan's time and bytes."""
    done = min(arm.earlier_count for arm in session.arms)
    for repeat_index in range(done, session.plan.repeat.max_count):
        ran = [one_pair(session, task_index, repeat_index) for task_index in order(session.plan, repeat_index)]
        if not any(ran):
            break


def one_pair(session: Session, task_index: int, repeat_index: int) -> bool:
    """One run of the task on each engine; False where it is finished or no further run fits."""
    arms = arms_of(session, task_index, repeat_index)
    for arm in arms:
        one_run(session, arm, repeat_index)
        session.look_for_others()
        conclude(session, arm)
    return bool(arms)


def arms_of(session: Session, task_index: int, repeat_index: int) -> list[Arm]:
    """The arms of an open task that lack this run; two engines in the order AB BA AB …, so neither is always second."""
    arms = [arm for arm in session.arms if arm.task_index == task_index and arm.earlier_count <= repeat_index]
    if all(arm.enough for arm in arms) or not all(fits(session, arm) for arm in arms):
        return []
    return arms if (repeat_index + task_index) % 2 == 0 else arms[::-1]


def fits(session: Session, arm: Arm) -> bool:
    """Whether one more run fits the plan's bytes and, beyond the least number of runs, its time."""
    written = layout_bytes(session.plan) + session.written_bytes
    return may_run(session.plan, arm.task_index, len(arm.runs), session.elapsed_ns, written)


def one_run(session: Session, arm: Arm, repeat_index: int) -> None:
    """Rest, prepare the page cache where that is measured, run.

    What an earlier run or another program left there is written back before the engine empties it, so that a stop need
    not wait for all of it.
    """
    session.tell("rest", "resting", arm)
    session.clock.sleep_ns(session.plan.repeat.rest_ns)
    task = through(run_task(session.plan, arm.task_index, repeat_index), arm.task.cache)
    if task.cache is Cache.COLD:
        session.host.write_back(session.file_of(arm).path, lambda: session.tell("rest", WRITING_BACK, arm))
    if task.cache is Cache.WARM and task.operation is Operation.READ:
        warm_up(session, arm, task)
    arm.runs.append(watched_run(session, arm, task, repeat_index))


def watched_run(session: Session, arm: Arm, task: IoTask, repeat_index: int) -> Run:
    """The run itself, between two readings of the counters, with the levels watched in between."""
    target, file = session.plan.target, session.file_of(arm)
    watch = Watch(session.host, target)

    def on_tick(progress: Progress) -> None:
        watch.look(progress.elapsed_ns)
        session.tell("run", "measuring", arm, progress)

    before = session.host.counters(target)
    started_at = session.clock.utc_now()
    samples = arm.engine.run(task, file, on_tick)
    after = session.host.counters(target)
    after += session.host.file_facts(file.path, lambda: session.tell("run", WRITING_BACK, arm))
    return Run(arm.task_index, repeat_index, started_at, samples, before, after, watch.series())


def warm_up(session: Session, arm: Arm, task: IoTask) -> None:
    """Read the span once through the page cache, unmeasured."""
    block_bytes = min(WARM_BLOCK_BYTES, task.span_bytes & -task.span_bytes)
    once = IoTask(
        task.operation,
        Pattern.SEQUENTIAL,
        block_bytes,
        task.span_bytes,
        byte_limit=task.span_bytes,
        cache=task.cache,
        durability=task.durability,
    )

    def on_tick(progress: Progress) -> None:
        session.tell("rest", "warming the cache", arm, progress)

    arm.engine.run(once, session.file_of(arm), on_tick)
