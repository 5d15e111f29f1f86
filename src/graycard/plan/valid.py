"""What a task must satisfy before anything is touched; every refusal is one sentence with the next step."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.errors import PlanProblem
from graycard.facts import number, value
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Plan, TargetKind, short_size
from graycard.plan.options import TaskOptions

# Direct I/O works in whole sectors; no drive has smaller ones.
SMALLEST_SECTOR_BYTES = 512
MOST_BUFFER_BYTES = 1 << 30


def direct_unit_bytes(facts: Iterable[Fact]) -> int:
    """What block sizes of direct I/O must be a multiple of: the larger of sector and stated alignment."""
    known = tuple(facts)
    units = (number(known, "logical_block_bytes"), number(known, "direct_align_bytes"), SMALLEST_SECTOR_BYTES)
    return max(int(unit) for unit in units if unit)


def check_task(task: IoTask, size_bytes: int, unit_bytes: int) -> None:
    """PlanProblem if the task cannot be done in `size_bytes` with direct I/O in `unit_bytes`."""
    _check_unit(task, unit_bytes)
    depth, workers = task.depth_count, task.worker_count
    if depth % workers:
        raise PlanProblem(
            f"{task.label}: depth {depth} cannot be shared evenly by {workers} threads; "
            f"use --depth {max(1, round(depth / workers)) * workers}."
        )
    if depth * task.block_bytes > MOST_BUFFER_BYTES:
        raise PlanProblem(
            f"{task.label}: depth × block needs {short_size(depth * task.block_bytes)} of memory, more than 1G; "
            "use a smaller --depth or --block."
        )
    if task.span_bytes < depth * task.block_bytes:
        raise PlanProblem(
            f"{task.label}: {depth} × {short_size(task.block_bytes)} in flight do not fit a file of "
            f"{short_size(size_bytes)}; use a file of {short_size(depth * task.block_bytes)} or more, "
            "or a smaller --block or --depth."
        )


def _check_unit(task: IoTask, unit_bytes: int) -> None:
    if task.cache is Cache.BYPASS and task.block_bytes % unit_bytes:
        above = -(-task.block_bytes // unit_bytes) * unit_bytes
        raise PlanProblem(
            f"{task.label}: a block of {task.block_bytes} bytes is no multiple of the {unit_bytes} bytes that "
            f"direct I/O needs here; use --block {above}, or --cache cold."
        )


def check_agreement(plan: Plan, options: TaskOptions, facts: Iterable[Fact]) -> None:
    """PlanProblem for options that contradict the operations of the plan or the volume."""
    reads_only = all(task.operation is Operation.READ for task in plan.tasks)
    if reads_only and options.durability and options.durability is not Durability.NONE:
        mode = options.durability.replace("_", "-")
        raise PlanProblem(
            f"--durability {mode} is about writing, but only reading is asked for; leave it out or add --write."
        )
    if plan.target.kind is TargetKind.FILE and (options.nocow or options.compressible_ratio is not None):
        raise PlanProblem("--nocow and --compressible shape new files, but an existing file is read; leave them out.")
    if options.nocow and value(facts, "copy_on_write") is False:
        raise PlanProblem(
            f"--nocow switches off copy-on-write, but {plan.target.shown} has none to switch off; leave it out."
        )
