"""What the user asked for, parsed: the options of `measure` as values."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.errors import PlanProblem
from graycard.model import Cache, Durability, Operation, Pattern, Repeat

MIN_RUNS_COUNT = 5
# One slot of the engine's time series: a shorter run would have no series at all.
SHORTEST_RUN_NS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """Values given on the command line; None or empty where the user said nothing.

    `seed` is always given: a fresh one for each measurement, below 2^53 so that every JSON reader keeps it.
    """

    seed: int
    operations: tuple[Operation, ...] = ()
    pattern: Pattern | None = None
    block_bytes: int | None = None
    depth_count: int | None = None
    worker_count: int | None = None
    size_bytes: int | None = None
    time_ns: int | None = None
    runs_count: int | None = None
    precision_ratio: float | None = None
    max_time_ns: int | None = None
    durability: Durability | None = None
    cache: Cache | None = None
    compressible_ratio: float | None = None
    nocow: bool = False
    write_limit_bytes: int | None = None
    engine_count: int = 1

    @property
    def task_shaping(self) -> tuple[str, ...]:
        """The given options that describe a single task and so fit no preset."""
        given = {
            "--sequential/--random": self.pattern,
            "--block": self.block_bytes,
            "--depth": self.depth_count,
            "--threads": self.worker_count,
        }
        return tuple(name for name, value in given.items() if value is not None)


def check_options(options: TaskOptions) -> None:
    """PlanProblem for a value that can never be right, whatever the preset."""
    for name, value in (
        ("--block", options.block_bytes),
        ("--depth", options.depth_count),
        ("--threads", options.worker_count),
        ("--size", options.size_bytes),
        ("--runs", options.runs_count),
        ("--max-time", options.max_time_ns),
    ):
        if value is not None and value < 1:
            raise PlanProblem(f"{name} is {value}, but must be at least 1; give a larger value or leave it out.")
    if options.time_ns is not None and options.time_ns < SHORTEST_RUN_NS:
        raise PlanProblem("--time is under 10 ms, too short to count anything; give at least --time 10ms.")
    _check_ratios(options)


def _check_ratios(options: TaskOptions) -> None:
    precision, compressible = options.precision_ratio, options.compressible_ratio
    if precision is not None and not 0 < precision < 1:
        raise PlanProblem("--precision must lie between 0 % and 100 %; write for example --precision 5%.")
    if compressible is not None and not 0 <= compressible <= 1:
        raise PlanProblem("--compressible must lie from 0 % to 100 %; write for example --compressible 50%.")
    if options.write_limit_bytes is not None and options.write_limit_bytes < 0:
        raise PlanProblem("--write-limit is negative; write for example --write-limit 20GB.")


def repeat_of(usual: Repeat, options: TaskOptions) -> Repeat:
    """The repeat policy: --runs N alone means exactly N; with --precision, N at most."""
    runs, precision = options.runs_count, options.precision_ratio
    if runs is None:
        return Repeat(usual.min_count, usual.max_count, precision or usual.precision_ratio, usual.rest_ns)
    if precision is None:
        return Repeat(runs, runs, None, usual.rest_ns)
    return Repeat(min(MIN_RUNS_COUNT, runs), runs, precision, usual.rest_ns)
