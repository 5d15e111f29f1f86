"""`graycard report`: something to show other people."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import rich_click as click

from graycard.cli.app import App
from graycard.cli.arms import Sides
from graycard.cli.options import global_options, threshold_option
from graycard.cli.report_diagnosis import reported
from graycard.cli.report_pieces import pieces_of
from graycard.cli.report_sides import histories_of, results_of, sides_to_report, title_of, with_samples
from graycard.cli.screen import counted, is_terminal, say
from graycard.cli.writing import STDOUT, refuse_existing, write
from graycard.compare import compare
from graycard.media import KNOWN, MOST_STREAMS_COUNT, format_named
from graycard.model import Comparison, Report
from graycard.report.charts import drawing_soon
from graycard.report.forms import FORMS, drawn_ids
from graycard.report.printable import printable

_RENDERERS = {each.name: each for each in FORMS}
_ROWS = "csv"
_DRAWN = {"html", "pdf"}
_WITHOUT_WORDS = {"csv", "json"}
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
@threshold_option
@click.option("--apart", is_flag=True, help="Show several results without comparing them.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="FORMAT",
    help="Tell whether it is enough for FORMAT, as prores-422-hq/uhd/25; more than once for several.",
)
@click.option(
    "--streams", type=click.IntRange(1, MOST_STREAMS_COUNT), metavar="N", help="Tell it for N streams at once."
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@global_options()
@click.pass_obj
def report_command(
    app: App,
    names: tuple[str, ...],
    output: str,
    form: str | None,
    title: str,
    threshold: float | None,
    apart: bool,
    formats: tuple[str, ...],
    streams: int | None,
    force: bool,
) -> None:
    """Write a report to show other people: figures with their intervals, charts, what differs, caveats, method.

    NAMES are labels, beginnings of ids, files of results, EXPERIMENT:CONFIGURATION, or one EXPERIMENT; without them it
    is the last measurement. Several are compared, with the first as the base. One diagnosis of graycard why, stored or
    in a file of its --json, is a report of its own.
    """
    chosen = form or _form_of(output)
    _refuse(output, chosen, force=force)
    keys = _keys(formats, streams, chosen)
    with _uncollected(), drawing_soon() if chosen in _DRAWN else nullcontext():
        case = reported(app, names)
        if case is not None and chosen == _ROWS:
            raise click.UsageError("a diagnosis has no rows for CSV; take html, pdf, md, txt or json")
        if case is not None and keys:
            raise click.UsageError(
                "a diagnosis is of a copy and decides on no format; leave --format and --streams out"
            )
        report = (
            _report(app, names, title, threshold, form=chosen, apart=apart)
            if case is None
            else Report(title, (), diagnosis=case)
        )
        report = replace(report, formats=keys, streams_count=streams or 1)
        write(output, pieces_of(app, report, chosen), force=force)
    if output == STDOUT:
        return
    say(app, (*report.notes, f"Wrote {_counts(report)} to {output}."))


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


def _report(app: App, names: tuple[str, ...], title: str, threshold: float | None, *, form: str, apart: bool) -> Report:
    sides = sides_to_report(app, names)
    bare = results_of(sides)
    results = with_samples(app, bare, drawn_ids(form, bare))
    comparisons = () if apart else _comparisons(sides, threshold)
    return Report(title or title_of(sides), results, comparisons, histories_of(app, results), sides.notes)


def _keys(formats: tuple[str, ...], streams: int | None, form: str) -> tuple[str, ...]:
    """The formats that are asked for: where only a number of streams is, those that people ask about first."""
    if not formats and streams is None:
        return ()
    if form in _WITHOUT_WORDS:
        raise click.UsageError(f"a .{form} holds results and no verdicts; graycard fits --json has them by --format")
    return tuple(dict.fromkeys(format_named(each).key for each in formats)) or tuple(KNOWN)


def _counts(report: Report) -> str:
    if report.diagnosis is not None:
        return "a diagnosis"
    found = [(len(report.results), "result"), (len(report.comparisons), "comparison")]
    return " and ".join(counted(count, noun) for count, noun in found if count)


def _comparisons(sides: Sides, threshold: float | None) -> tuple[Comparison, ...]:
    base, *others = sides.arms
    return compare(base, others, sides.threshold_ratio if threshold is None else threshold) if others else ()


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
