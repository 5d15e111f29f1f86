"""The beginning of an experiment and of each sitting at it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graycard.errors import PlanProblem
from graycard.experiment.load import tasks_of
from graycard.experiment.order import interleaved
from graycard.experiment.reading import MOST_SEED, fingerprint
from graycard.experiment.sitting import blocks_done, run_counts
from graycard.model import Result
from graycard.model.experiment import ExperimentPlan, ExperimentRecord
from graycard.scratch.owner import State, decode, encode, state, this_owner


def new_record(plan: ExperimentPlan, now: datetime) -> ExperimentRecord:
    """A new experiment of the plan; nothing is kept yet."""
    seed = secrets.randbelow(MOST_SEED) if plan.seed is None else plan.seed
    return ExperimentRecord(secrets.token_hex(8), now, fingerprint(plan), seed, plan)


def is_unfinished(record: ExperimentRecord, counts: Mapping[str, Sequence[int]]) -> bool:
    """Whether anything is open but what has failed, by the run counts of each configuration's results."""
    failed = {each.configuration for each in record.failures}
    tasks_count = len(tasks_of(record.plan))
    return any(
        blocks_done(counts.get(each.name, ()), tasks_count) < record.plan.pair_count
        for each in record.plan.configurations
        if each.name not in failed
    )


def step_confirmed(record: ExperimentRecord) -> ExperimentRecord:
    """The step that was waited for is done."""
    if record.waiting is None:
        return record
    return replace(record, waiting=None, steps_done=(*record.steps_done, record.waiting))


def taken_up(record: ExperimentRecord, results: Iterable[Result]) -> ExperimentRecord:
    """The experiment in the hands of this process, all that has failed to be tried again.

    PlanProblem where another process still works on it.
    """
    owner = decode(record.held_by.encode(), record.id) if record.held_by else None
    if owner is not None and state(owner) is State.ALIVE:
        raise PlanProblem(f"The process {owner.pid} works on this experiment; wait until it ends, or stop it first.")
    apart = (*record.apart, *_left_behind(record, run_counts(results)))
    held_by = encode(this_owner(record.id)).decode()
    return replace(record, failures=(), apart=tuple(dict.fromkeys(apart)), held_by=held_by)


def _left_behind(record: ExperimentRecord, counts: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """What has failed while others went on: its runs will not be among theirs in time, so they are not randomised."""
    tasks_count = len(tasks_of(record.plan))
    done = {each.name: blocks_done(counts.get(each.name, ()), tasks_count) for each in interleaved(record.plan)}
    failed = {each.configuration for each in record.failures} & set(done)
    return tuple(name for name in failed if max(done.values()) > done[name] + 1)
