"""The options of `graycard sustain`, gathered into one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rich_click as click

from graycard.cli.options import DURATION, RATIO, SEED, SIZE
from graycard.sustain import Wish
from graycard.sustain.order import BLOCK_BYTES, DEPTH_COUNT, HOLD_NS, REST_NS


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSustain:
    """The options as click parsed them; None where the user said nothing."""

    size: int | None
    fill: float | None
    until_steady: bool
    hold: int | None
    max_time: int | None
    rest: int | None
    write_limit: int | None
    endurance: int | None
    block: int | None
    depth: int | None
    seed: int | None
    plan_only: bool

    def wish(self, fresh_seed: int) -> Wish:
        """The same in the test's terms; `fresh_seed` is used unless the user gave one."""
        ways = {"--bytes": self.size is not None, "--fill": self.fill is not None, "--until-steady": self.until_steady}
        given = [name for name, is_given in ways.items() if is_given]
        if len(given) > 1:
            raise click.UsageError(f"{given[0]} and {given[1]} are two ways to end the writing, so give one of them")
        if self.hold is not None and given not in ([], ["--until-steady"]):
            raise click.UsageError(f"--hold ends what goes on until it is steady, so leave out {given[0]} or --hold")
        return Wish(
            seed=self.seed if self.seed is not None else fresh_seed,
            size_bytes=self.size,
            fill_ratio=self.fill,
            hold_ns=self.hold if self.hold is not None else HOLD_NS,
            max_time_ns=self.max_time,
            write_limit_bytes=self.write_limit,
            rest_ns=self.rest if self.rest is not None else REST_NS,
            block_bytes=self.block if self.block is not None else BLOCK_BYTES,
            depth_count=self.depth if self.depth is not None else DEPTH_COUNT,
        )


UNTIL, HOW = "How long to write on", "How"

_OPTIONS = (
    click.option("--bytes", "size", type=SIZE, metavar="SIZE", panel=UNTIL, help="Write so much, as 200GB."),
    click.option(
        "--fill", type=RATIO, metavar="SHARE", panel=UNTIL, help="Write until so much of the volume is in use, as 90%."
    ),
    click.option(
        "--until-steady",
        is_flag=True,
        panel=UNTIL,
        help="Write until the rate has fallen and held; at most 200 GB and 30 min. The default.",
    ),
    click.option(
        "--hold", type=DURATION, metavar="TIME", panel=UNTIL, help="How long the lower rate must have held (1 min)."
    ),
    click.option("--max-time", type=DURATION, metavar="TIME", panel=UNTIL, help="Write no longer than this."),
    click.option(
        "--write-limit",
        type=SIZE,
        metavar="SIZE",
        panel=UNTIL,
        help="Never write more than this in all, second burst included.",
    ),
    click.option("--plan", "plan_only", is_flag=True, panel=UNTIL, help="Say what would be done, and stop."),
    click.option(
        "--rest",
        type=DURATION,
        metavar="TIME",
        panel=HOW,
        help="The rest before the second burst (1 min); 0s for none.",
    ),
    click.option(
        "--endurance",
        type=SIZE,
        metavar="SIZE",
        panel=HOW,
        help="Bytes that the drive is rated for (TBW in its data sheet, as 600TB), to tell which share this costs.",
    ),
    click.option("--block", type=SIZE, metavar="SIZE", panel=HOW, help="Bytes of each request (2 MiB)."),
    click.option("--depth", type=int, metavar="N", panel=HOW, help="Requests in flight at once (1)."),
    click.option("--seed", type=SEED, metavar="N", panel=HOW, help="The data of an earlier test."),
)


def sustain_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All options of `sustain`; the command receives them as the one parameter `asked`."""

    @functools.wraps(command)
    def gathered(*arguments: Any, path: str, form: str | None, **given: Any) -> Any:
        return command(*arguments, path=path, form=form, asked=AskedSustain(**given))

    decorated: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
