"""A plan in plain words, shown before anything is touched."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.facts import value
from graycard.model import Fact, IoTask, Plan, Target, TargetKind, short_size
from graycard.plan.budget import ASSUMED_BYTES_PER_S, bytes_to_write, layout, time_needed
from graycard.protocols import Volume
from graycard.units import format_duration, format_rate, format_size

SHOWN_TASKS_COUNT = 8


def describe(plan: Plan, volume: Volume, facts: Iterable[Fact]) -> tuple[str, ...]:
    """Lines: what is measured and where, which tasks, what it writes, how long it takes, what stays."""
    return (_where(plan, volume, tuple(facts)), _tasks(plan), _repeats(plan), _writes(plan), _time(plan), _stays(plan))


def _where(plan: Plan, volume: Volume, facts: tuple[Fact, ...]) -> str:
    model = value(facts, "device_model")
    device = _shown(volume.source) + (f" ({_shown(str(model))})" if model else "")
    return (
        f"Measures {plan.target.shown}, on {device}, file system {volume.file_system}, "
        f"mounted at {_shown(volume.mount_point)}."
    )


def _shown(path: str) -> str:
    return Target(path, TargetKind.FOLDER).shown


def _tasks(plan: Plan) -> str:
    labels = tuple(dict.fromkeys(task.label for task in plan.tasks))
    if len(labels) > SHOWN_TASKS_COUNT:
        return f"{len(plan.tasks)} tasks: {_matrix(plan.tasks)}."
    noun = "task" if len(plan.tasks) == 1 else "tasks"
    return f"{len(plan.tasks)} {noun}: {', '.join(labels)}."


def _matrix(tasks: tuple[IoTask, ...]) -> str:
    """Tasks of many record and file sizes: the loads, and the sizes from the smallest to the largest.

    A smaller file is the beginning of the largest (see `layout`).
    """
    loads = tuple(dict.fromkeys(f"{task.pattern.value} {task.operation.value}" for task in tasks))
    cells = {(task.block_bytes, task.span_bytes) for task in tasks}
    records, spans = ({cell[place] for cell in cells} for place in (0, 1))
    left_out = ", small records over the smallest only" if len(cells) < len(records) * len(spans) else ""
    where = f"records of {_sizes(records)} over the first {_sizes(spans)} of a file"
    return f"{', '.join(loads)}; {where}{left_out}"


def _sizes(sizes: set[int]) -> str:
    """For example "4K to 16M (13 sizes)"."""
    if len(sizes) == 1:
        return short_size(min(sizes))
    return f"{short_size(min(sizes))} to {short_size(max(sizes))} ({len(sizes)} sizes)"


def _repeats(plan: Plan) -> str:
    repeat = plan.repeat
    each = "each task" if plan.engine_count == 1 else f"each task by each of {plan.engine_count} engines"
    order = f"in random order (seed {plan.seed})"
    if repeat.precision_ratio is None or repeat.min_count == repeat.max_count:
        return f"Runs of {each}: {repeat.min_count}, {order}."
    until = f"until ±{repeat.precision_ratio * 100:g} % is reached"
    return f"Runs of {each}: {repeat.min_count} to {repeat.max_count}, {until}, {order}."


def _writes(plan: Plan) -> str:
    budget = bytes_to_write(plan)
    if not budget.most_bytes:
        return "Writes nothing: it only reads this file."
    files = layout(plan)
    noun = "test file" if len(files) == 1 else "test files"
    return (
        f"Writes at most {format_size(budget.most_bytes)} in all: {format_size(budget.layout_bytes)} for "
        f"{len(files)} {noun}, the rest by writing over them."
    )


def _time(plan: Plan) -> str:
    needed = time_needed(plan)
    times = f"Takes about {_rounded(needed.likely_ns)}"
    if _rounded(needed.most_ns) != _rounded(needed.likely_ns):
        times += f", at most {_rounded(needed.most_ns)}"
    if bytes_to_write(plan).most_bytes:
        times += f", where the volume writes {format_rate(ASSUMED_BYTES_PER_S)} or more"
    return times + "."


def _rounded(duration_ns: int) -> str:
    """Whole seconds: a forecast has no tenths."""
    seconds = -(-duration_ns // 10**9)
    return f"{seconds} s" if seconds < 120 else format_duration(seconds * 1e9)


def _stays(plan: Plan) -> str:
    if not layout(plan):
        return "Nothing is changed."
    return "Nothing stays: the test files lie in a folder .graycard-… of their own, which is removed at the end."
