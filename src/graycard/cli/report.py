"""`graycard report`: something to show other people."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import rich_click as click

from graycard.cli.app import App
from graycard.cli.arms import Sides
from graycard.cli.options import global_options
from graycard.cli.report_sides import histories_of, results_of, sides_to_report, title_of
from graycard.cli.screen import counted, is_terminal, put, say
from graycard.cli.writing import STDOUT, refuse_existing, write_file
from graycard.compare import compare
from graycard.model import Comparison, Report
from graycard.report.forms import FORMS
from graycard.report.printable import printable

_RENDERERS = {each.name: each for each in FORMS}
_OTHER_EXTENSIONS = {"htm": "html", "markdown": "md", "text": "txt"}


@click.command("report")
@click.argument("names", nargs=-1, metavar="[NAMES]…")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    required=True,
    help="The file to write: .html, .pdf, .md, .csv, .json or .txt; - is stdout.",
)
@click.option("--form", type=click.Choice(list(_RENDERERS)), help="What to write, whatever FILE is called.")
@click.option("--title", default="", metavar="TEXT", help="The title; else it is made from what is reported.")
@click.option("--apart", is_flag=True, help="Show several results without comparing them.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@global_options()
@click.pass_obj
def report_command(
    app: App, names: tuple[str, ...], output: str, form: str | None, title: str, apart: bool, force: bool
) -> None:
    """Write a report to show other people: figures with their intervals, charts, what differs, caveats, method.

    NAMES are labels, beginnings of ids, files of results, EXPERIMENT:CONFIGURATION, or one EXPERIMENT; without them it
    is the last measurement. Several are compared, with the first as the base.
    """
    chosen = form or _form_of(output)
    _refuse(output, chosen, force=force)
    with _uncollected():
        made = _made(app, names, chosen, title, apart=apart)
    if output == STDOUT:
        put(made.data)
        return
    write_file(output, made.data, force=force)
    say(app, (*made.notes, f"Wrote {made.counts} to {output}."))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Work without the collector of cycles: the nouns have none, and it would go through millions of ticks again and
    again (two thirds of the time that it takes to read 1,000 results).
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@dataclass(frozen=True, slots=True)
class _Made:
    """A report as bytes, what is in it in words, and what to say of it."""

    data: bytes
    counts: str
    notes: tuple[str, ...]


def _made(app: App, names: tuple[str, ...], form: str, title: str, *, apart: bool) -> _Made:
    sides = sides_to_report(app, names)
    results = results_of(sides)
    comparisons = () if apart else _comparisons(sides)
    report = Report(title or title_of(sides), results, comparisons, histories_of(app, results), sides.notes)
    compared = f" and {counted(len(comparisons), 'comparison')}" if comparisons else ""
    return _Made(_RENDERERS[form].render(report), counted(len(results), "result") + compared, sides.notes)


def _comparisons(sides: Sides) -> tuple[Comparison, ...]:
    base, *others = sides.arms
    return compare(base, others, sides.threshold_ratio) if others else ()


def _form_of(output: str) -> str:
    """The form by the extension of the file."""
    extension = os.path.splitext(output)[1].removeprefix(".").lower()
    form = _OTHER_EXTENSIONS.get(extension, extension)
    if form in _RENDERERS:
        return form
    known = ", ".join(_RENDERERS)
    if output == STDOUT:
        raise click.UsageError(f"stdout has no extension to tell the form by; add --form ({known})")
    raise click.UsageError(f"{printable(output)} has none of the extensions {known}; rename it, or add --form")


def _refuse(output: str, form: str, *, force: bool) -> None:
    """Before the work: what could not be written after it."""
    if output != STDOUT:
        refuse_existing(output, force=force)
    elif form == "pdf" and is_terminal(sys.stdout):
        raise click.UsageError("a terminal cannot show a PDF; name a file with -o, or redirect stdout into one")
