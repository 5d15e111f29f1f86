"""The options of `graycard play`, gathered into one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rich_click as click

from graycard.cli.options import DURATION, SEED, SIZE
from graycard.cli.play_formats import kind_of, wanted
from graycard.errors import PlanProblem
from graycard.model import Cache, Target
from graycard.play import Playing
from graycard.play.streams import AHEAD_NS, CLIP_NS, PLAY_NS, SHORT_NS, WRITE_LIMIT_BYTES
from graycard.units import format_size

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayAsked:
    """The options as click parsed them; None where the user said nothing."""

    formats: tuple[str, ...]
    streams: int | str | None
    record: bool
    file_per_frame: bool | None
    continuous: bool
    time: int | None
    search_time: int | None
    prebuffer: int | None
    ahead: int | None
    clip: int | None
    audio: bool
    offset: str
    shared_file: bool
    write_limit: int | None
    seed: int | None
    cache: str
    plan_only: bool

    def playing(self, target: Target, fresh_seed: int) -> Playing:
        """The same as a plan. PlanProblem for what does not go together."""
        auto = self.streams == AUTO
        count = self.streams if isinstance(self.streams, int) else None if auto else 1
        kinds = tuple(
            kind_of(wanted(text), records=self.record, file_per_frame=self.file_per_frame, count=count)
            for text in self.formats
        )
        if auto and all(kind.count for kind in kinds):
            raise PlanProblem("--streams auto needs a --format without a number of streams; leave xN out of one")
        if auto and self.continuous:
            raise PlanProblem("--streams auto looks for a number and --continuous has no end; leave one of them out")
        if self.shared_file and any(kind.file_per_frame for kind in kinds):
            raise PlanProblem("--shared-file needs one file for many frames; add --single-file")
        ahead_ns = AHEAD_NS if self.ahead is None else self.ahead
        return Playing(
            target,
            kinds,
            auto=auto,
            play_ns=self.time or PLAY_NS,
            short_ns=min(self.search_time or SHORT_NS, self.time or PLAY_NS),
            ahead_ns=ahead_ns,
            prebuffer_ns=ahead_ns if self.prebuffer is None else self.prebuffer,
            clip_ns=self.clip or CLIP_NS,
            spread=self.offset == "spread",
            shared=self.shared_file,
            continuous=self.continuous,
            with_audio=self.audio,
            write_limit_bytes=WRITE_LIMIT_BYTES if self.write_limit is None else self.write_limit,
            seed=fresh_seed if self.seed is None else self.seed,
            cache=Cache(self.cache),
        )


def _streams(text: str) -> int | str:
    if text == AUTO:
        return AUTO
    if text.isascii() and text.isdigit() and 0 < int(text) < 1000:
        return int(text)
    raise click.BadParameter(f"“{text}” is no number of streams; write for example 4, or auto")


def _positive(_context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value is not None and value <= 0:
        raise click.BadParameter(f"{parameter.opts[0]} must be longer than nothing, for example 10s")
    return value


_OPTIONS = (
    click.option("--format", "formats", multiple=True, required=True, metavar="FORMAT[xN][:record]",
                 help="A format of `graycard formats`, as prores-422-hq/uhd/25; with the number of its streams, as "
                      "…/25x4; :record to record it. May be given several times."),
    click.option("--streams", type=_streams, metavar="N|auto",
                 help="Streams of each format without a number; auto looks for the largest number without a dropped "
                      "frame."),
    click.option("--record", is_flag=True, help="Record instead of playing."),
    click.option("--file-per-frame/--single-file", "file_per_frame", default=None,
                 help="One file for each frame, opened and closed each time, or one file for each stream. [default: as "
                      "the format has it]"),
    click.option("--continuous/--one-time", "continuous", default=False,
                 help="Go on until Ctrl-C, or for --time once."),
    click.option("--time", type=DURATION, callback=_positive, metavar="TIME",
                 help="Length of a run, and of the run that confirms a number found (60s)."),
    click.option("--search-time", type=DURATION, callback=_positive, metavar="TIME",
                 help="Length of the short runs of a search (6s)."),
    click.option("--prebuffer", type=DURATION, metavar="TIME",
                 help="From the first read to the first frame shown (as --ahead)."),
    click.option("--ahead", type=DURATION, callback=_positive, metavar="TIME",
                 help="How far a player reads ahead, and how much a camera's buffer holds (1s)."),
    click.option("--clip", type=DURATION, callback=_positive, metavar="TIME",
                 help="Length of each stream's clip, which goes round (10s)."),
    click.option("--audio", is_flag=True,
                 help="Play the sound of each played stream, too: 48 kHz, 24 bits, 8 channels, in a file of its own."),
    click.option("--offset", type=click.Choice(["together", "spread"]), default="together",
                 help="Start all streams at once, or spread over one frame's time."),
    click.option("--shared-file", is_flag=True,
                 help="All streams of a format read one file, from random positions on."),
    click.option("--write-limit", type=SIZE, metavar="SIZE",
                 help=f"Never write more than this in all ({format_size(WRITE_LIMIT_BYTES)})."),
    click.option("--seed", type=SEED, metavar="N", help="The data and positions of an earlier run."),
    click.option("--cache", type=click.Choice([Cache.BYPASS.value, Cache.COLD.value]), default=Cache.BYPASS.value,
                 help="Page cache: go past it, or through it with each clip emptied from it before it is read."),
    click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop."),
)  # fmt: skip


def play_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All options as the parameter `asked`."""

    @functools.wraps(command)
    def gathered(*arguments: Any, path: str, form: str | None, **given: Any) -> Any:
        return command(*arguments, path=path, form=form, asked=PlayAsked(**given))

    decorated: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
