"""How it was measured in three sentences, and what it takes to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from graycard.model import Durability, IoTask, Operation, Pattern, Report, Result, TargetKind, short_size
from graycard.report.names import engines
from graycard.report.page import Field
from graycard.report.printable import printable

GRAYCARD = "graycard"
# So many tasks get a command of their own.
COMMAND_COUNT = 8
_DURABILITY = {Durability.NONE: "none", Durability.AT_END: "at-end", Durability.EACH_WRITE: "each-write"}
_COUNTING = (
    "A rate is all bytes over all time, flush and close among it, as the instrument counted them; it is one value a "
    "run, and of the steady part where the level of the runs changes for good."
)
_INTERVAL = (
    "The figure is the geometric mean of the runs and ± half its 95 % interval (Student's t on their logarithms)"
)
_CHECKS = (
    "Each run was checked, for caches, depth, link, clock and other load among other things: a figure that failed a "
    "check is marked and never corrected, and what could not be known is said."
)
_FOREIGN_CHECKS = (
    "It was checked whether they contradict each other and whether storage can reach them; graycard was not there to "
    "check caches, depth, link or other load."
)
_PAIRED = "; set-ups are compared by the ratios of paired runs in a random order, as a crossover"
_UNPAIRED = "; set-ups are compared by the ratio of their runs, which were not paired (Welch's t on logarithms)"


def method(report: Report) -> tuple[str, ...]:
    """Three sentences; of foreign figures the first says whose they are, and where all are, what was done to them."""
    tools = {result.origin.tool for result in report.results}
    foreign = ", ".join(map(printable, sorted(tools - {GRAYCARD})))
    compared = ""
    if report.comparisons:
        compared = _PAIRED if all(each.paired for each in report.comparisons) else _UNPAIRED
    if tools and GRAYCARD not in tools:
        return (f"Figures of {foreign} are as that tool gives them, in MB of 10^6 bytes{compared}.", _FOREIGN_CHECKS)
    counting = f"Figures of {foreign} are as that tool gives them; else: {_COUNTING}" if foreign else _COUNTING
    return (counting, f"{_INTERVAL}{compared}.", _CHECKS)


def colophon(report: Report) -> Iterator[Field]:
    """Tool with version, engine, dates, seeds, and a command for each task."""
    results = report.results
    if not results:
        return
    yield Field("Measured", _dates(results))
    yield Field("With", ", ".join(dict.fromkeys(map(_tool, results))))
    if used := engines(results):
        yield Field("Engine", printable(used))
    if experiments := list(
        dict.fromkeys(f"{r.trial.experiment} ({r.trial.experiment_id})" for r in results if r.trial)
    ):
        yield Field("Experiment", printable(", ".join(experiments)))
    seeds = list(dict.fromkeys(result.task.seed for result in results if result.origin.tool == GRAYCARD))
    if seeds:
        more = f" and {len(seeds) - COMMAND_COUNT} more" if len(seeds) > COMMAND_COUNT else ""
        yield Field("Seed" if len(seeds) == 1 else "Seeds", ", ".join(map(str, seeds[:COMMAND_COUNT])) + more)
    yield from _repeating([result for result in results if result.origin.tool == GRAYCARD])
    ids = list(dict.fromkeys(result.measurement_id for result in results))
    yield Field("Stored as", printable(", ".join(ids[:COMMAND_COUNT])) + (", …" if len(ids) > COMMAND_COUNT else ""))


def _dates(results: Sequence[Result]) -> str:
    first, last = (f"{f(result.created_at for result in results):%Y-%m-%d %H:%M} UTC" for f in (min, max))
    return first if first == last else f"{first} to {last}"


def _tool(result: Result) -> str:
    return printable(" ".join(part for part in (result.origin.tool, result.origin.tool_version) if part))


def _repeating(results: Sequence[Result]) -> Iterator[Field]:
    """The plan of an experiment, or the same load with the same seed; each command once."""
    plans = dict.fromkeys(result.trial.experiment for result in results if result.trial)
    for name in plans:
        yield Field("To repeat", printable(f"the plan of the experiment “{name}” again, with graycard experiment"))
    # `graycard measure` makes no copies and no paced frames.
    found = dict.fromkeys(
        command(result) for result in results if not (result.trial or result.task.transfer or result.task.pace)
    )
    for number, line in enumerate(list(found)[:COMMAND_COUNT]):
        yield Field("To repeat" if not number else "", printable(line))
    if len(found) > COMMAND_COUNT:
        yield Field("", f"and {len(found) - COMMAND_COUNT} more")


def command(result: Result) -> str:
    """The command line that measures the task of `result` again at the same place."""
    path = shlex.quote(result.target.shown)
    place = f"--read-only {path}" if result.target.kind is TargetKind.FILE else path
    runs = f" --runs {len(result.runs)}" if result.runs else ""
    return f"graycard measure {place} {' '.join(_options(result.task))}{runs} --seed {result.task.seed}"


def _options(task: IoTask) -> Iterator[str]:
    yield "--read" if task.operation is Operation.READ else "--write"
    yield "--sequential" if task.pattern is Pattern.SEQUENTIAL else "--random"
    yield f"--block {_size(task.block_bytes)} --depth {task.depth_count}"
    if task.worker_count > 1:
        yield f"--threads {task.worker_count}"
    yield f"--size {_size(task.span_bytes)}"
    if task.time_ns:
        yield f"--time {task.time_ns / 1e9:g}s"
    if task.operation is Operation.WRITE and task.durability is not Durability.AT_END:
        yield f"--durability {_DURABILITY[task.durability]}"
    if task.cache.value != "bypass":
        yield f"--cache {task.cache.value}"
    if task.compressible_ratio:
        yield f"--compressible {task.compressible_ratio}"


def _size(size_bytes: int) -> str:
    """A size that `--size` reads back: "64GiB", "1000B"."""
    short = short_size(size_bytes)
    return short if short.endswith("B") else f"{short}iB"
