"""The options of `graycard measure`, gathered into one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rich_click as click

from graycard.cli.options import DURATION, RATIO, SEED, SIZE, Place
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
    sequential: bool
    random: bool
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
            pattern=self._pattern(),
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
            engine_count=2 if self.cross_check else 1,
        )

    def _pattern(self) -> Pattern | None:
        if self.sequential and self.random:
            raise click.UsageError("--sequential and --random shape one task, so give one of them")
        if self.sequential:
            return Pattern.SEQUENTIAL
        return Pattern.RANDOM if self.random else None


PRESETS_HELP = "\b\nPresets:\n" + "\n".join(f" {each.name:<9}{each.says}" for each in PRESETS.values())
WHAT, LOAD, HOW_LONG, HOW = "What to measure", "One task instead of a preset", "How long and how often", "How"

_OPTIONS = (
    click.option(
        "--preset", type=click.Choice(list(PRESETS)), metavar="NAME", panel=WHAT, help="A set of tasks; see above."
    ),
    click.option("--read", is_flag=True, panel=WHAT, help="Only reading."),
    click.option("--write", is_flag=True, panel=WHAT, help="Only writing."),
    click.option(
        "--read-only",
        metavar="FILE",
        type=Place(),
        panel=WHAT,
        help="Read this existing file and write nothing: a locked card, a read-only volume.",
    ),
    click.option("--plan", "plan_only", is_flag=True, panel=WHAT, help="Say what would be done, and stop."),
    click.option("--sequential", is_flag=True, panel=LOAD, help="Blocks in file order."),
    click.option("--random", is_flag=True, panel=LOAD, help="Blocks in random order."),
    click.option("--block", type=SIZE, metavar="SIZE", panel=LOAD, help="Bytes of each request, as 4KiB or 1MiB."),
    click.option("--depth", type=int, metavar="N", panel=LOAD, help="Requests in flight at once, over all threads."),
    click.option("--threads", "--workers", type=int, metavar="N", panel=LOAD, help="Threads that share the depth."),
    click.option("--size", type=SIZE, metavar="SIZE", panel=HOW_LONG, help="Size of the test file."),
    click.option("--time", type=DURATION, metavar="TIME", panel=HOW_LONG, help="Length of each run, as 5s."),
    click.option("--runs", type=int, metavar="N", panel=HOW_LONG, help="Exactly N runs; with --precision N at most."),
    click.option(
        "--precision",
        type=RATIO,
        metavar="SHARE",
        panel=HOW_LONG,
        help="Repeat until the 95 % interval is ± this, as 5%.",
    ),
    click.option(
        "--max-time", type=DURATION, metavar="TIME", panel=HOW_LONG, help="Stop repeating after this time, as 2min."
    ),
    click.option("--write-limit", type=SIZE, metavar="SIZE", panel=HOW_LONG, help="Never write more than this in all."),
    click.option(
        "--durability",
        type=click.Choice(list(DURABILITY)),
        metavar="MODE",
        panel=HOW,
        help="Flush writes to the medium: none, at-end (inside the time of a run), each-write.",
    ),
    click.option(
        "--cache",
        type=click.Choice([each.value for each in Cache]),
        metavar="MODE",
        panel=HOW,
        help="Page cache: bypass (direct I/O), cold (emptied of the file first), warm.",
    ),
    click.option(
        "--compressible", type=RATIO, metavar="SHARE", panel=HOW, help="Share of each block that is zeros, as 50%."
    ),
    click.option("--nocow", is_flag=True, panel=HOW, help="On btrfs: a file without copy-on-write and checksums."),
    click.option(
        "--seed",
        type=SEED,
        metavar="N",
        panel=HOW,
        help="The order, offsets and data of an earlier measurement.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["native", "fio"]),
        default="native",
        metavar="NAME",
        panel=HOW,
        help="native: graycard's own core; fio, if it is installed.",
    ),
    click.option("--cross-check", is_flag=True, panel=HOW, help="Run both engines, interleaved, and state the ratio."),
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
