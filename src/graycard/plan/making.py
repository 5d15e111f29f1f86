"""Options and a preset become a plan, or a PlanProblem; nothing is touched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graycard.errors import PlanProblem
from graycard.facts import number
from graycard.model import Fact, IoTask, Operation, Plan, Target, TargetKind
from graycard.plan.budget import AROUND_RUN_NS, layout_ns, rounds_bytes, time_needed
from graycard.plan.options import TaskOptions, check_options, repeat_of
from graycard.plan.presets import DEFAULT, MIB, PRESETS, Preset, single, through
from graycard.plan.valid import check_agreement, check_task, direct_unit_bytes
from graycard.units import format_duration, format_size

# A default time is shortened to fit --max-time, but not below this: shorter runs say little.
SHORTEST_DEFAULT_NS = 100_000_000


def make_plan(target: Target, preset: str | None, options: TaskOptions, facts: Iterable[Fact]) -> Plan:
    """A plan that writes its own files below the folder `target`. PlanProblem says what cannot be and what to do.

    Options override the preset's values; options that shape a single task make a plan of that task instead.
    """
    if target.kind is TargetKind.FILE:
        raise PlanProblem(f"{target.shown} is a file, which would be overwritten; name its folder, or use --read-only.")
    check_options(options)
    known = tuple(facts)
    chosen = _chosen(preset, options)
    size = options.size_bytes or _capped(chosen.size_bytes, known)
    return _plan(target, chosen, size, options, known)


def read_only_plan(
    file: Target, file_bytes: int, options: TaskOptions, facts: Iterable[Fact] = (), preset: str | None = None
) -> Plan:
    """A plan that reads an existing file of `file_bytes` and writes nothing."""
    check_options(options)
    if file.kind is not TargetKind.FILE:
        raise PlanProblem(f"--read-only needs a file, but {file.shown} is a folder; name a large file in it.")
    if Operation.WRITE in options.operations:
        raise PlanProblem("--read-only and --write contradict each other; leave one out.")
    size = options.size_bytes or file_bytes
    if size > file_bytes:
        raise PlanProblem(
            f"{file.shown} holds {format_size(file_bytes)}, less than the --size of {format_size(size)}; "
            "use a smaller --size or leave it out."
        )
    reading = replace(options, operations=(Operation.READ,))
    return _plan(file, _chosen(preset, reading), size, reading, tuple(facts))


def _chosen(preset: str | None, options: TaskOptions) -> Preset:
    shaping = options.task_shaping
    if preset is None:
        return single(options) if shaping else PRESETS[DEFAULT]
    if preset not in PRESETS:
        raise PlanProblem(f"There is no preset “{preset}”; choose one of {', '.join(PRESETS)}.")
    if shaping:
        raise PlanProblem(f"{shaping[0]} shapes a single task and fits no preset; leave it or --preset {preset} out.")
    return PRESETS[preset]


def _capped(size_bytes: int, facts: tuple[Fact, ...]) -> int:
    limit = number(facts, "file_size_limit_bytes")
    if limit is None or size_bytes <= limit:
        return size_bytes
    if limit < MIB:
        raise PlanProblem(f"No file may be larger than {format_size(limit)} here; raise that limit (ulimit -f).")
    return int(limit) // MIB * MIB


def _plan(target: Target, preset: Preset, size_bytes: int, options: TaskOptions, facts: tuple[Fact, ...]) -> Plan:
    repeat = repeat_of(preset.repeat, options)
    tasks = _tasks(preset, size_bytes, options, options.time_ns or preset.time_ns)
    unit_bytes = direct_unit_bytes(facts)
    for task in tasks:
        check_task(task, size_bytes, unit_bytes)
    plan = Plan(preset.name, target, tasks, repeat, None, 0, options.seed, options.nocow, options.engine_count)
    check_agreement(plan, options, facts)
    return _with_write_limit(_with_budget(plan, preset, options), options)


def _tasks(preset: Preset, size_bytes: int, options: TaskOptions, time_ns: int) -> tuple[IoTask, ...]:
    built = preset.build(size_bytes, time_ns) if size_bytes else ()
    wanted = options.operations or tuple(Operation)
    tasks = tuple(_adjusted(task, options) for task in built if task.operation in wanted)
    if built and not tasks:
        raise PlanProblem(f"The preset {preset.name} has no {wanted[0]} task; choose another preset.")
    if not tasks:
        raise PlanProblem(f"{size_bytes} bytes are too few to measure anything; use a file of 1 MiB or more.")
    return tasks


def _adjusted(task: IoTask, options: TaskOptions) -> IoTask:
    durability = options.durability if options.durability and task.operation is Operation.WRITE else task.durability
    return replace(
        through(task, options.cache or task.cache),
        durability=durability,
        compressible_ratio=options.compressible_ratio or task.compressible_ratio,
        seed=options.seed,
    )


def _with_budget(plan: Plan, preset: Preset, options: TaskOptions) -> Plan:
    """With the user's --max-time, or the preset's budget; that is widened if the user's own values leave it no room."""
    if options.max_time_ns is not None:
        return _fitted(plan, options, options.max_time_ns)
    least = time_needed(plan).likely_ns
    return replace(plan, budget_ns=preset.budget_ns if least <= preset.budget_ns else least * 3 // 2)


def _fitted(plan: Plan, options: TaskOptions, budget_ns: int) -> Plan:
    """The plan within the budget; a run time that the user did not choose is shortened for it."""
    bounded = replace(plan, budget_ns=budget_ns)
    if time_needed(plan).likely_ns <= budget_ns:
        return bounded
    runs_count = plan.repeat.min_count * len(plan.tasks) * plan.engine_count
    run_ns = (budget_ns - layout_ns(plan)) // runs_count - plan.repeat.rest_ns - AROUND_RUN_NS
    if options.time_ns is None and run_ns >= SHORTEST_DEFAULT_NS:
        shortened = replace(bounded, tasks=tuple(_shortened(task, run_ns) for task in plan.tasks))
        if time_needed(shortened).likely_ns <= budget_ns:
            return shortened
    raise PlanProblem(_too_long(plan, budget_ns))


def _shortened(task: IoTask, run_ns: int) -> IoTask:
    return replace(task, time_ns=min(task.time_ns or run_ns, run_ns))


def _too_long(plan: Plan, budget_ns: int) -> str:
    return (
        f"Layout and {plan.repeat.min_count} runs of {len(plan.tasks)} tasks take about "
        f"{format_duration(time_needed(plan).likely_ns)}, more than --max-time "
        f"{format_duration(budget_ns)}; use --preset quick, or a smaller --size, --time or --runs."
    )


def _with_write_limit(plan: Plan, options: TaskOptions) -> Plan:
    """The user's limit, or all that the most rounds could write: no plan has an open end."""
    usual = rounds_bytes(plan, plan.repeat.max_count)
    return replace(plan, write_limit_bytes=usual if options.write_limit_bytes is None else options.write_limit_bytes)
