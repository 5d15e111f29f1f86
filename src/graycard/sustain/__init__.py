"""A sustained test on one page: what a drive does when one writes on.

    facts → scratch folder → write on → read back → compare → rest → second burst → verdict

Every part is stored as a result of one measurement as soon as it has ended, whatever ended it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from graycard.errors import Interrupted, PlanProblem
from graycard.measurement import Keeper, OnEvent, software_facts
from graycard.model import Cache, Operation
from graycard.protocols import Clock, Engine, Host
from graycard.scratch import Scratch, clean, others_running
from graycard.sustain.course import Course
from graycard.sustain.order import Order, Wish, make_order
from graycard.sustain.outcome import Figures, Sustained
from graycard.sustain.session import Session
from graycard.sustain.verdict import Kind
from graycard.sustain.words import describe
from graycard.units import format_size

__all__ = ["Figures", "Kind", "Order", "Sustained", "Wish", "describe", "make_order", "sustain"]


def sustain(
    order: Order,
    *,
    engine: Engine,
    host: Host,
    keeper: Keeper,
    clock: Clock,
    on_event: OnEvent,
    so_far: Callable[[Sustained], None],
) -> Sustained:
    """Carry out `order`; `so_far` is told the figures after each part, so that an early end can show them.

    Raises PlanProblem or TargetProblem before anything was written, RunProblem in the middle, Interrupted on Ctrl-C;
    in each case what was written so far is judged and stored, and the files are gone.
    """
    session = Session(secrets.token_hex(8), order, engine, host, keeper, clock, on_event)
    course = Course(session, so_far)
    try:
        _prepare(session)
        with Scratch(order.target.path) as scratch:
            session.facts += host.folder_facts(scratch.path)
            session.count_others = lambda: others_running(order.target.path, scratch.id)
            course.carry_out(scratch)
            session.tell("cleanup", "removing the test files")
    except KeyboardInterrupt as stop:
        raise _interrupted(course, stop) from None
    return course.outcome()


def _prepare(session: Session) -> None:
    """Learn the set-up, and refuse what cannot be done before anything is written."""
    order = session.order
    session.tell("prepare", "reading the facts of the volume")
    removed = clean(order.target.path).removed
    if removed:
        session.notes.append(f"Removed {len(removed)} test folders that killed runs had left here.")
    session.facts = (*session.host.facts(order.target), *software_facts())
    task = order.task(Operation.WRITE, "", order.piece_bytes, Cache.BYPASS)
    reason = session.engine.refuses(task, order.target)
    if reason:
        raise PlanProblem(f"the engine {session.engine.name} cannot write on: {reason}")
    session.tell("calibrate", "measuring the instrument's own ceiling")
    session.instrument = session.engine.ceiling(replace(task, byte_limit=None, time_ns=10**9))


def _interrupted(course: Course, stop: KeyboardInterrupt) -> Interrupted:
    written, left = course.written_bytes, getattr(stop, "__notes__", ())
    if course.has_figures:
        says = (
            f"stopped after {format_size(written)}; the figures so far are kept, see them with: graycard results show "
        )
        problem = Interrupted(says + course.session.id[:8])
    else:
        problem = Interrupted("stopped before anything was measured" + ("" if left else "; nothing is left here"))
    for note in left:
        problem.add_note(note)
    return problem
