"""The load of an experiment as the plan of one measurement: the same tasks, in the same order, everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from graycard.model import Fact, IoTask, Operation, Pattern, Plan, Repeat, Target, TargetKind
from graycard.model.experiment import ExperimentPlan, Load
from graycard.plan import PRESETS, TaskOptions, make_plan, single
from graycard.plan.budget import rounds_bytes
from graycard.plan.presets import BOTH
from graycard.units import parse_size

_LABEL = re.compile(
    r"(?P<pattern>SEQ|RND)(?P<block>[0-9]+[KMG])\s+QD?(?P<depth>[0-9]+)(?:\s*T(?P<threads>[0-9]+))?"
    r"(?:\s+(?P<operation>read|write))?",
    re.IGNORECASE,
)


def label_options(label: str, load: Load, seed: int) -> TaskOptions:
    """The options of a task by the field's short name, as "SEQ1M QD8 read"; both operations without one.

    ValueError with one sentence for anything else.
    """
    match = _LABEL.fullmatch(label.strip())
    if not match:
        raise ValueError(f"“{label}” is no task; write for example “SEQ1M QD8”, “RND4K QD64 read” or “RND4K QD512 T16”")
    usual = _options(load, seed, single(TaskOptions(seed=seed)).size_bytes)
    operations = (Operation(match["operation"].lower()),) if match["operation"] else load.operations
    return replace(
        usual,
        operations=operations,
        durability=load.durability if Operation.WRITE in (operations or BOTH) else None,
        pattern=Pattern.SEQUENTIAL if match["pattern"].upper() == "SEQ" else Pattern.RANDOM,
        block_bytes=parse_size(match["block"]),
        depth_count=int(match["depth"]),
        worker_count=int(match["threads"] or 1),
    )


def slot_plan(plan: ExperimentPlan, seed: int, target: Target, facts: Iterable[Fact], runs_count: int) -> Plan:
    """The plan after which every task has `runs_count` runs, when it had one fewer; PlanProblem where it cannot be."""
    known = tuple(facts)
    parts = [make_plan(target, preset, options, known) for preset, options in _parts(plan.load, seed)]
    tasks = tuple(dict.fromkeys(task for part in parts for task in part.tasks))
    repeat = Repeat(runs_count, runs_count, None, plan.rest_ns)
    whole = Plan(plan.name, target, tasks, repeat, None, 0, seed)
    return Plan(plan.name, target, tasks, repeat, None, rounds_bytes(whole, 1), seed)


def tasks_of(plan: ExperimentPlan) -> tuple[IoTask, ...]:
    """The tasks that every configuration is measured with; PlanProblem for what can be done nowhere."""
    return slot_plan(plan, plan.seed or 0, Target(".", TargetKind.FOLDER), (), 1).tasks


def _parts(load: Load, seed: int) -> Iterator[tuple[str | None, TaskOptions]]:
    for name in load.presets:
        yield name, _options(load, seed, PRESETS[name].size_bytes)
    for label in load.labels:
        yield None, label_options(label, load, seed)


def _options(load: Load, seed: int, usual_bytes: int) -> TaskOptions:
    """The size always as if given by the user: a volume of small files must refuse it, and never measure another."""
    return TaskOptions(
        seed=seed,
        operations=load.operations,
        size_bytes=load.size_bytes or usual_bytes,
        time_ns=load.time_ns,
        runs_count=1,
        durability=load.durability,
        cache=load.cache,
        compressible_ratio=load.compressible_ratio,
    )
