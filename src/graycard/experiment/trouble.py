"""What goes wrong in an experiment, in sentences."""

from __future__ import annotations

from graycard.errors import Interrupted, TargetProblem
from graycard.experiment.sitting import Sitting
from graycard.model import Target


def cannot_measure(target: Target, why: str) -> TargetProblem:
    """The place refuses to be measured."""
    return TargetProblem(f"{target.shown} cannot be measured: {why}")


def stopped(sitting: Sitting, stop: BaseException) -> Interrupted:
    """The end that the user asked for, and how to go on; what could not be cleaned up (notes) is told with it."""
    count = sitting.new_runs_count
    kept = "1 run was finished and is kept" if count == 1 else f"{count} runs were finished and are kept"
    problem = Interrupted(f"stopped; {kept}; go on with: graycard experiment resume {sitting.record.id[:8]}")
    for note in getattr(stop, "__notes__", ()):
        problem.add_note(note)
    return problem
