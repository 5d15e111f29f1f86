"""Options that several commands share, and the sizes, times and shares they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import rich_click as click

from graycard.units import parse_duration, parse_ratio, parse_size

Figure = TypeVar("Figure", int, float)
Command = TypeVar("Command", bound=Callable[..., Any])
# Seeds stay below 2^53, so that every JSON reader keeps them.
MOST_SEED = (1 << 53) - 1
JSON, MARKDOWN, TEXT = "json", "markdown", "text"


def _quantity(parse: Callable[[str], Figure]) -> Callable[[str], Figure]:
    """A click type from a parser of units.py: the parser's sentence becomes the usage error."""

    def read(text: str) -> Figure:
        try:
            return parse(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return read


def _parse_seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > MOST_SEED:
        raise ValueError(f"“{text}” is not a seed; write a whole number from 0 to {MOST_SEED}")
    return int(text)


class Place(click.Path):
    """A path that is only passed on: click's own type looks at it, and a share whose server is gone never answers."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Leave it as it is."""
        return value


SEED = _quantity(_parse_seed)
SIZE = _quantity(parse_size)
DURATION = _quantity(parse_duration)
RATIO = _quantity(parse_ratio)


def global_options(*, from_environment: bool = False) -> Callable[[Command], Command]:
    """--store and --quiet, which every command takes, before or after its name."""
    variable = "GRAYCARD_STORE" if from_environment else None

    def decorate(command: Command) -> Command:
        quiet = click.option(
            "--quiet",
            "-q",
            is_flag=True,
            expose_value=False,
            callback=_remember_quiet,
            help="Print nothing but the result.",
        )
        store = click.option(
            "--store",
            metavar="FILE",
            envvar=variable,
            expose_value=False,
            callback=_remember_store,
            help="Keep results in FILE instead of your data folder (also GRAYCARD_STORE).",
        )
        return quiet(store(command))

    return decorate


def _remember_quiet(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.obj = replace(context.obj, quiet=True)


def _remember_store(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value:
        context.obj = replace(context.obj, store_path=value)


def threshold_option(command: Command) -> Command:
    """--threshold, for what compares: the parameter `threshold`, None where it is left to the plan or the default."""
    option = click.option(
        "--threshold",
        type=RATIO,
        callback=_material,
        metavar="SHARE",
        help="The difference that counts as material (3 %, or what the experiment's plan says).",
    )
    return option(command)


def _material(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 < value < 1:
        raise click.BadParameter("a material difference is above 0 and below 100 %, for example 3%")
    return value


def shows_data(command: Command) -> Command:
    """--json, --markdown and --text: the parameter `form`, None for the terminal's own way."""
    helps = {
        TEXT: "Print a plain table to paste.",
        MARKDOWN: "Print Markdown to paste.",
        JSON: "Print one JSON document on stdout, nothing else.",
    }
    for form, text in helps.items():
        option = click.option(f"--{form}", is_flag=True, expose_value=False, callback=_form_of(form), help=text)
        command = option(command)
    return command


def _form_of(form: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    """A callback that keeps the form as the parameter `form`; a second form beside it is a usage error."""

    def choose(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
        other = context.params.setdefault("form", None)
        if given and other:
            raise click.UsageError(f"--{other} and --{form} are two forms of one output, so give one of them")
        if given:
            context.params["form"] = form

    return choose
