"""The options of `graycard measure`, gathered into one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rich_click as click

from graycard.cli.options import DURATION, RATIO, SIZE
from graycard.model import Cache, Durability, Operation, Pattern
from graycard.plan import PRESETS, TaskOptions

DURABILITY = {"none": Durability.NONE, "at-end": Durability.AT_END, "each-write": Durability.EACH_WRITE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options as click parsed them; None or False where the user said nothing."""

    preset: str | None
    plan_only: bool
    read: bool
    write: bool
    pattern: str | None
    block: int | None
    depth: int | None
    threads: int | None
    size: int | None
    time: int | None
    runs: int | None
    precision: float | None
    max_time: int | None
    durability: str | None
    cache: str | None
    seed: int | None
    nocow: bool
    write_limit: int | None
    compressible: float | None
    read_only: str | None
    engine: str
    cross_check: bool

    def task_options(self, fresh_seed: int) -> TaskOptions:
        """The same in the plan's terms; `fresh_seed` is used unless the user gave one."""
        chosen = ((Operation.READ, self.read), (Operation.WRITE, self.write))
        return TaskOptions(
            seed=self.seed if self.seed is not None else fresh_seed,
            operations=tuple(operation for operation, wanted in chosen if wanted),
            pattern=Pattern(self.pattern) if self.pattern else None,
            block_bytes=self.block,
            depth_count=self.depth,
            worker_count=self.threads,
            size_bytes=self.size,
            time_ns=self.time,
            runs_count=self.runs,
            precision_ratio=self.precision,
            max_time_ns=self.max_time,
            durability=DURABILITY[self.durability] if self.durability else None,
            cache=Cache(self.cache) if self.cache else None,
            compressible_ratio=self.compressible,
            nocow=self.nocow,
            write_limit_bytes=self.write_limit,
        )


_PRESET_HELP = "A named set of tests: " + "; ".join(f"{each.name}: {each.says}" for each in PRESETS.values()) + "."

_OPTIONS = (
    click.option("--preset", type=click.Choice(list(PRESETS)), help=_PRESET_HELP),
    click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop."),
    click.option("--read", is_flag=True, help="Only reading (with --write: both, as without either)."),
    click.option("--write", is_flag=True, help="Only writing."),
    click.option("--sequential", "pattern", flag_value="sequential", default=None, help="One task, in file order."),
    click.option("--random", "pattern", flag_value="random", default=None, help="One task, in random order."),
    click.option("--block", type=SIZE, metavar="SIZE", help="Bytes of each request, as 4KiB or 1MiB."),
    click.option("--depth", type=int, metavar="N", help="Requests in flight at once, over all threads."),
    click.option("--threads", "--workers", type=int, metavar="N", help="Threads that share the depth."),
    click.option("--size", type=SIZE, metavar="SIZE", help="Size of the test file."),
    click.option("--time", type=DURATION, metavar="TIME", help="Length of each run, as 5s."),
    click.option("--runs", type=int, metavar="N", help="Exactly N runs; with --precision N at most."),
    click.option("--precision", type=RATIO, metavar="SHARE", help="Repeat until the 95 % interval is ± this, as 5%."),
    click.option("--max-time", type=DURATION, metavar="TIME", help="Stop repeating after this time, as 2min."),
    click.option(
        "--durability",
        type=click.Choice(list(DURABILITY)),
        help="Flush writes to the medium: not at all, at the end of a run inside its time, or after each write.",
    ),
    click.option(
        "--cache",
        type=click.Choice([each.value for each in Cache]),
        help="Page cache: bypass it (direct I/O), start cold, or read warm on purpose.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, (1 << 53) - 1),
        metavar="N",
        help="Repeat the order and data of an earlier run.",
    ),
    click.option("--nocow", is_flag=True, help="On btrfs: a file without copy-on-write and checksums."),
    click.option("--write-limit", type=SIZE, metavar="SIZE", help="Never write more than this in all."),
    click.option("--compressible", type=RATIO, metavar="SHARE", help="Share of each block that is zeros, as 50%."),
    click.option("--read-only", metavar="FILE", type=click.Path(), help="Read this existing file and write nothing."),
    click.option(
        "--engine",
        type=click.Choice(["native", "fio"]),
        default="native",
        help="What issues the I/O: graycard's own core, or fio if it is installed.",
    ),
    click.option("--cross-check", is_flag=True, help="Run both engines, interleaved, and state the ratio."),
)


def measure_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All options of `measure`; the command receives them as the one parameter `asked`."""

    @functools.wraps(command)
    def gathered(*arguments: Any, path: str | None, form: str | None, **given: Any) -> Any:
        return command(*arguments, path=path, form=form, asked=Asked(**given))

    decorated: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
