"""`graycard results`: what was measured before."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import rich_click as click

from graycard.cli.annotations import label_command, note_command, tag_command
from graycard.cli.app import App
from graycard.cli.attach import attach_command
from graycard.cli.chosen import chosen_ids, chosen_results, existing_store, in_list_order, written_beside
from graycard.cli.listing import NOTHING_FOUND, NOTHING_STORED, annotated_page, rows_page
from graycard.cli.merge import merge_command
from graycard.cli.options import JSON, global_options, shows_data
from graycard.cli.screen import counted, is_terminal, put, say, show
from graycard.cli.writing import STDOUT, write_file
from graycard.codec import Document, pretty
from graycard.model import Report
from graycard.report import RENDERERS
from graycard.store import Filter, ResultRow, Store


@click.group("results")
@global_options()
def results_group() -> None:
    """List, search, show, annotate, export, remove or merge what was measured before.

    IDS are labels, or the beginnings of ids as `graycard results list` shows them: of a measurement, or of one result.
    """


for _command in (label_command, note_command, tag_command, attach_command, merge_command):
    results_group.add_command(_command)


@results_group.command("list")
@click.option("--limit", type=click.IntRange(1), default=100, metavar="N", help="Show the newest N results.")
@click.option("--label", metavar="NAME", help="Only what has this label.")
@click.option("--tag", metavar="TAG", help="Only what has this tag.")
@shows_data
@global_options()
@click.pass_obj
def list_command(app: App, limit: int, label: str | None, tag: str | None, form: str | None) -> None:
    """List the stored results, the newest measurement first, its tasks in the order of the plan."""
    if not app.has_store:
        show(rows_page((), {}), Document(), form)
        return
    with app.open_store() as store:
        rows = store.rows(limit, Filter(label=label, tag=tag))
        _show_rows(store, rows, form, NOTHING_FOUND if label or tag else NOTHING_STORED)


@results_group.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1), default=100, metavar="N", help="Show the newest N results.")
@shows_data
@global_options()
@click.pass_obj
def search_command(app: App, words: tuple[str, ...], limit: int, form: str | None) -> None:
    """List the results that have all WORDS in what names them or is written beside them.

    Looks through labels, notes, tags, path, device model, file system, task, tool, configuration and ids. Parts of
    words are enough, and capitals do not matter.
    """
    with existing_store(app) as store:
        _show_rows(store, store.search(words, limit), form, NOTHING_FOUND)


@results_group.command("show")
@click.argument("ids", nargs=-1)
@shows_data
@global_options()
@click.pass_obj
def show_command(app: App, ids: tuple[str, ...], form: str | None) -> None:
    """Show stored results with all their notes; the last measurement if no IDS are given."""
    with existing_store(app) as store:
        results = chosen_results(store, ids)
        beside = written_beside(store, results)
    show(annotated_page(results, beside), Document(results=results, annotations=beside), form)


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
    with existing_store(app) as store:
        results = chosen_results(store, ids)
        beside = written_beside(store, results)
    if (form or JSON) == JSON:
        data = pretty(Document(results=results, annotations=beside))
    else:
        data = next(each for each in RENDERERS if each.name == form).render(Report("", results))
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
    with existing_store(app) as store:
        wanted = chosen_ids(store, ids)
        if not yes and not _agreed(len(wanted)):
            say(app, ("Nothing was removed.",))
            return
        removed = store.remove(wanted)
    say(app, (f"Removed {counted(removed, 'result')}.",))


def _show_rows(store: Store, rows: Sequence[ResultRow], form: str | None, nothing: str) -> None:
    listed = in_list_order(store, rows)
    beside = written_beside(store, listed)
    outlines = tuple(store.outline(row.id) for row in listed) if form == JSON else ()
    show(rows_page(listed, beside, nothing), Document(results=outlines, annotations=beside), form)


def _agreed(count: int) -> bool:
    if not is_terminal(sys.stdin):
        raise click.UsageError("removing asks first, but nobody can answer here; add --yes")
    return click.confirm(f"Remove {counted(count, 'result')} for good?", err=True)
