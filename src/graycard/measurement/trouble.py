"""What goes wrong in the middle, and what an end before the end has left."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from graycard.errors import Interrupted, RunProblem, TargetProblem, io_problem
from graycard.measurement.session import Session
from graycard.model import TargetKind
from graycard.plan.budget import layout_bytes
from graycard.units import format_duration, format_size


@contextlib.contextmanager
def under_way(session: Session, phase: str) -> Iterator[None]:
    """What would have made the place unfit before the start (gone, read-only) is an error of the run from here on."""
    try:
        yield
    except TargetProblem as problem:
        raise in_the_middle(session, problem, phase) from problem
    except RunProblem as problem:
        note_room(session, problem)
        raise


def in_the_middle(session: Session, problem: TargetProblem, phase: str) -> RunProblem:
    """The same as an error of the run: in the words of the system's error where there was one."""
    cause, target = problem.__cause__, session.plan.target
    if not isinstance(cause, OSError) or not cause.errno:
        return RunProblem(str(problem), errno=None, offset_bytes=None, phase=phase)
    place = target.shown if target.kind is TargetKind.FILE else f"a test file in {target.shown}"
    return io_problem(cause.errno, operation="open", place=place, phase=phase)


def note_room(session: Session, problem: RunProblem) -> None:
    """No space on a volume that says it has some: thin volumes, images and pools are full below."""
    if problem.errno != errno.ENOSPC:
        return
    free_bytes = session.host.volume(session.plan.target).free_bytes
    if free_bytes and free_bytes > layout_bytes(session.plan):
        problem.add_note(
            f"The volume says that {format_size(free_bytes)} are free: "
            "what it lies on (a thin volume, an image, a pool) may be full."
        )


def interrupted(session: Session, stop: KeyboardInterrupt) -> Interrupted:
    """The end that the user asked for; what could not be removed (a note on `stop`) is told with it."""
    left = getattr(stop, "__notes__", ())
    problem = Interrupted(stopped(session, cleaned=not left))
    for note in left:
        problem.add_note(note)
    return problem


def stopped(session: Session, *, cleaned: bool) -> str:
    """The sentence for an interrupted measurement."""
    runs_count = sum(len(arm.runs) - arm.earlier_count for arm in session.arms)
    if not runs_count:
        return "stopped before the first run had ended" + ("; nothing is left on the volume" if cleaned else "")
    kept = "1 finished run is kept, see it" if runs_count == 1 else f"{runs_count} finished runs are kept, see them"
    return f"stopped after {format_duration(session.elapsed_ns)}; {kept} with: graycard results show {session.id[:8]}"
