"""What the user asks of `graycard offload`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import rich_click as click

from graycard.cli.options import DURATION, SIZE, Place
from graycard.mhl import HashFormat
from graycard.offload import CARDS

USUAL_CARD_BYTES = 2_000_000_000
NO_HASH = "none"
_HASHES = (HashFormat.XXH3.value, HashFormat.XXH64.value, HashFormat.MD5.value, NO_HASH)


@dataclass(frozen=True, slots=True)
class OffloadAsked:
    """The options, as they were given."""

    card: str | None
    size: int
    card_on: str | None
    verify: str
    verify_source: bool
    name: str | None
    resume: bool
    no_manifest: bool
    card_size: int | None
    patience: int
    plan: bool

    @property
    def kind(self) -> HashFormat | None:
        """The format of the hashes, or None."""
        return None if self.verify == NO_HASH else HashFormat(self.verify)


_OPTIONS = (
    click.option("--card", type=click.Choice(tuple(CARDS)), help="Make a synthetic card of this kind and copy that."),
    click.option(
        "--size", type=SIZE, default=str(USUAL_CARD_BYTES), show_default="2GB", help="Size of the synthetic card."
    ),
    click.option(
        "--card-on",
        type=Place(),
        metavar="FOLDER",
        help="Make the synthetic card on the drive of FOLDER, instead of beside the first copy.",
    ),
    click.option(
        "--verify",
        type=click.Choice(_HASHES),
        default=HashFormat.XXH3.value,
        help="Hash while copying, read every copy back around the cache, and compare; none only copies.",
    ),
    click.option("--verify-source", is_flag=True, help="Read the source a second time, too, and compare."),
    click.option("--name", metavar="NAME", help="Name of the new folder below each DEST (the card's name)."),
    click.option("--resume", is_flag=True, help="Go on with an interrupted copy: write only what is missing."),
    click.option("--no-manifest", is_flag=True, help="Write no ASC MHL manifest into the copies."),
    click.option("--card-size", type=SIZE, metavar="SIZE", help="Estimate the time for a full card of this size."),
    click.option(
        "--patience",
        type=DURATION,
        default="60s",
        metavar="TIME",
        help="Give a destination up that does not answer for so long, so that the others go on.",
    ),
    click.option("--plan", is_flag=True, help="Say what would be done, and stop."),
)


def offload_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All options of the command, handed over as `asked`."""

    @wraps(command)
    def gathered(*arguments: Any, **given: Any) -> Any:
        asked = OffloadAsked(**{each.name: given.pop(each.name) for each in fields(OffloadAsked)})
        return command(*arguments, asked=asked, **given)

    decorated: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
