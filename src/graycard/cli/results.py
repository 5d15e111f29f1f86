"""`graycard results`: what was measured before."""

from __future__ import annotations

import sys

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import chosen_ids, chosen_results, listed_rows, nothing_stored
from graycard.cli.listing import rows_page
from graycard.cli.options import JSON, global_options, shows_data
from graycard.cli.screen import counted, is_terminal, put, say, show
from graycard.cli.writing import STDOUT, write_file
from graycard.codec import Document
from graycard.model import Report
from graycard.report import RENDERERS
from graycard.report.results import results_page
from graycard.store import Store


@click.group("results")
@global_options()
def results_group() -> None:
    """List, show, export or remove what was measured before.

    IDS are the beginnings of ids as `graycard results list` shows them: of a measurement, or of one result of it.
    """


@results_group.command("list")
@click.option("--limit", type=click.IntRange(1), default=100, metavar="N", help="Show the newest N results.")
@shows_data
@global_options()
@click.pass_obj
def list_command(app: App, limit: int, form: str | None) -> None:
    """List the stored results, the newest measurement first, its tasks in the order of the plan."""
    if not app.has_store:
        show(rows_page(()), Document(), form)
        return
    with app.open_store() as store:
        rows = listed_rows(store, limit)
        outlines = tuple(store.outline(row.id) for row in rows) if form == JSON else ()
    show(rows_page(rows), Document(results=outlines), form)


@results_group.command("show")
@click.argument("ids", nargs=-1)
@shows_data
@global_options()
@click.pass_obj
def show_command(app: App, ids: tuple[str, ...], form: str | None) -> None:
    """Show stored results with all their notes; the last measurement if no IDS are given."""
    with _existing_store(app) as store:
        results = chosen_results(store, ids)
    show(results_page(results), Document(results=results), form)


@results_group.command("export")
@click.argument("ids", nargs=-1)
@click.option("--output", "-o", metavar="FILE", required=True, help="The file to write; - is stdout.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@shows_data
@global_options()
@click.pass_obj
def export_command(app: App, ids: tuple[str, ...], output: str, force: bool, form: str | None) -> None:
    """Write stored results into FILE, as JSON with every run unless --markdown or --text is given.

    Without IDS it is the last measurement. A file that exists is kept, unless --force is given.
    """
    with _existing_store(app) as store:
        results = chosen_results(store, ids)
    renderer = next(each for each in RENDERERS if each.name == (form or JSON))
    data = renderer.render(Report("", results))
    if output == STDOUT:
        put(data)
        return
    write_file(output, data, force=force)
    say(app, (f"Wrote {counted(len(results), 'result')} to {output}.",))


@results_group.command("remove")
@click.argument("ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options()
@click.pass_obj
def remove_command(app: App, ids: tuple[str, ...], yes: bool) -> None:
    """Remove stored results for good, after asking."""
    with _existing_store(app) as store:
        rows = store.rows()
        wanted = tuple(dict.fromkeys(found for prefix in ids for found in chosen_ids(rows, prefix)))
        if not yes and not _agreed(len(wanted)):
            say(app, ("Nothing was removed.",))
            return
        removed = store.remove(wanted)
    say(app, (f"Removed {counted(removed, 'result')}.",))


def _existing_store(app: App) -> Store:
    """The store; StoreProblem where there is none, for nothing is made by looking for it."""
    if not app.has_store:
        raise nothing_stored(app.store_file)
    return app.open_store()


def _agreed(count: int) -> bool:
    if not is_terminal(sys.stdin):
        raise click.UsageError("removing asks first, but nobody can answer here; add --yes")
    return click.confirm(f"Remove {counted(count, 'result')} for good?", err=True)
