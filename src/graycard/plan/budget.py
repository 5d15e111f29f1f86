"""What a plan costs, known before it starts: files, bytes and time; and whether another run still fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from graycard.model import Cache, Durability, IoTask, Operation, Pattern, Plan, TargetKind
from graycard.plan.presets import MIB
from graycard.plan.seeds import derived_seed

# A hard disk or a 1 Gbit/s share writes about this much; used only where nothing better is known, and told as such.
ASSUMED_BYTES_PER_S = 100e6
# Allowance for what surrounds a run: opening, emptying caches, reading facts before and after.
AROUND_RUN_NS = 100_000_000
# Enough to keep any drive busy with blocks of 1 MiB; more would hold up a Ctrl-C on a slow one.
LAYOUT_DEPTH_COUNT = 4


@dataclass(frozen=True, slots=True)
class LayoutFile:
    """A test file to write before the first run, whole MiB long. `name` is its plain name in the run's folder."""

    name: str
    task: IoTask


@dataclass(frozen=True, slots=True)
class WriteBudget:
    """Bytes that a plan may write: the layout, and all in all at most (layout included)."""

    layout_bytes: int
    most_bytes: int


class TimeNeeded(NamedTuple):
    """Wall time of a whole plan. `most_ns` holds where the disk is at least as fast as was assumed for the layout."""

    likely_ns: int
    most_ns: int


def file_name(plan: Plan, task_index: int) -> str:
    """Which layout file a task works on. Reads have a file of their own.

    So what is read was not just written, and random writes on a copy-on-write volume cannot scatter it.
    """
    return plan.tasks[task_index].operation.value


def layout(plan: Plan) -> tuple[LayoutFile, ...]:
    """The files to write before the first run: none where an existing file is read.

    A file is the largest span of its tasks, rounded up to whole MiB; the tasks use the beginning of it.
    """
    if plan.target.kind is TargetKind.FILE:
        return ()
    spans: dict[str, int] = {}
    for index, task in enumerate(plan.tasks):
        name = file_name(plan, index)
        spans[name] = max(spans.get(name, 0), task.span_bytes)
    return tuple(LayoutFile(name, _layout_task(plan, name, span)) for name, span in sorted(spans.items()))


def _layout_task(plan: Plan, name: str, span_bytes: int) -> IoTask:
    blocks_count = -(-span_bytes // MIB)
    first = plan.tasks[0]
    return IoTask(
        operation=Operation.WRITE,
        pattern=Pattern.SEQUENTIAL,
        block_bytes=MIB,
        span_bytes=blocks_count * MIB,
        depth_count=min(LAYOUT_DEPTH_COUNT, blocks_count),
        byte_limit=blocks_count * MIB,
        # Past the page cache also where that is measured cold: what is dirty there must first be written back.
        cache=Cache.WARM if first.cache is Cache.WARM else Cache.BYPASS,
        durability=Durability.AT_END,
        compressible_ratio=first.compressible_ratio,
        seed=derived_seed(plan.seed, "layout", name),
    )


def layout_bytes(plan: Plan) -> int:
    """Bytes that the layout writes."""
    return sum(each.task.span_bytes for each in layout(plan))


def write_bytes(task: IoTask) -> int:
    """The most that one run of a task writes: 0 for reads."""
    return (task.byte_limit or 0) if task.operation is Operation.WRITE else 0


def rounds_bytes(plan: Plan, rounds_count: int) -> int:
    """The most that the layout and that many runs of every task write."""
    return layout_bytes(plan) + rounds_count * plan.engine_count * sum(write_bytes(task) for task in plan.tasks)


def bytes_to_write(plan: Plan) -> WriteBudget:
    """What the plan writes: never more than all its runs could, never more than its own limit."""
    return WriteBudget(layout_bytes(plan), min(plan.write_limit_bytes, rounds_bytes(plan, plan.repeat.max_count)))


def run_ns(task: IoTask, rate_bytes_per_s: float) -> int:
    """Likely length of one run, at that rate of the disk."""
    if task.byte_limit is None:
        return task.time_ns or 0
    whole_ns = int(task.byte_limit * 1e9 / rate_bytes_per_s)
    if task.time_ns is None:
        return whole_ns
    if task.operation is Operation.WRITE and task.cache is not Cache.BYPASS and task.durability is Durability.AT_END:
        return max(
            task.time_ns, whole_ns
        )  # memory takes the bytes in no time; the flush then lasts as long as the disk
    return min(task.time_ns, whole_ns) if task.pattern is Pattern.SEQUENTIAL else task.time_ns


def _around_ns(plan: Plan) -> int:
    return plan.repeat.rest_ns + AROUND_RUN_NS


def round_ns(plan: Plan, rate_bytes_per_s: float = ASSUMED_BYTES_PER_S) -> int:
    """One run of every task on every engine, with rests and what surrounds a run."""
    return plan.engine_count * sum(run_ns(task, rate_bytes_per_s) + _around_ns(plan) for task in plan.tasks)


def layout_ns(plan: Plan, rate_bytes_per_s: float = ASSUMED_BYTES_PER_S) -> int:
    """Likely time of the layout."""
    return int(layout_bytes(plan) * 1e9 / rate_bytes_per_s)


def time_needed(plan: Plan, known_rate_bytes_per_s: float | None = None) -> TimeNeeded:
    """Layout and the least number of rounds; at most until the budget ends the repeating.

    Without a known rate the disk is assumed to write 100 MB/s. The budget counts from the start of the layout.
    """
    rate = known_rate_bytes_per_s or ASSUMED_BYTES_PER_S
    likely = layout_ns(plan, rate) + plan.repeat.min_count * round_ns(plan, rate)
    if plan.repeat.min_count == plan.repeat.max_count:
        return TimeNeeded(likely, likely)
    most = layout_ns(plan, rate) + plan.repeat.max_count * round_ns(plan, rate)
    if plan.budget_ns is not None:
        most = min(most, max(likely, plan.budget_ns))
    return TimeNeeded(likely, most)


def may_run(plan: Plan, task_index: int, done_count: int, elapsed_ns: int, written_bytes: int) -> bool:
    """Whether one more run of the task fits the plan, after `done_count` runs of it.

    `elapsed_ns` counts from the start of the layout, `written_bytes` is all that was written, layout included.
    The write limit always holds; the time budget ends only what goes beyond the least number of runs.
    """
    task = plan.tasks[task_index]
    if done_count >= plan.repeat.max_count or written_bytes + write_bytes(task) > plan.write_limit_bytes:
        return False
    if done_count < plan.repeat.min_count or plan.budget_ns is None:
        return True
    return elapsed_ns + (task.time_ns or 0) + _around_ns(plan) <= plan.budget_ns
