"""`graycard results`: what was measured before."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import rich_click as click

from graycard.cli.annotations import label_command, note_command, tag_command
from graycard.cli.app import App
from graycard.cli.attach import attach_command
from graycard.cli.chosen import existing_store, written_beside
from graycard.cli.diagnoses import Chosen, chosen, chosen_for_removal, counted_both
from graycard.cli.exporting import Meant, document_pieces, meant_by, page_pieces
from graycard.cli.listing import NOTHING_FOUND, NOTHING_STORED, Listed, among, annotated_page, outlines, rows_page
from graycard.cli.merge import merge_command
from graycard.cli.options import JSON, MARKDOWN, global_options, shows_data
from graycard.cli.screen import is_terminal, put, say, show
from graycard.cli.writing import STDOUT, refuse_existing, write
from graycard.codec import Document
from graycard.model import Annotations
from graycard.report.markdown import page_markdown
from graycard.report.renderers import page_text
from graycard.store import Filter, Store


@click.group("results")
@global_options()
def results_group() -> None:
    """List, search, show, annotate, export, remove or merge what was measured before.

    IDS are labels, or the beginnings of ids as `graycard results list` shows them: of a measurement, of one result, or
    of a diagnosis of graycard why.
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
    """List what is stored: the newest measurement or diagnosis first, tasks in the order of the plan."""
    if not app.has_store:
        show(rows_page((), {}), Document(), form)
        return
    with app.open_store() as store:
        rows = store.rows(limit, Filter(label=label, tag=tag))
        listed = among(store, rows, store.diagnosis_rows(limit, label=label, tag=tag), limit)
        _show_rows(store, listed, form, NOTHING_FOUND if label or tag else NOTHING_STORED)


@results_group.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1), default=100, metavar="N", help="Show the newest N results.")
@shows_data
@global_options()
@click.pass_obj
def search_command(app: App, words: tuple[str, ...], limit: int, form: str | None) -> None:
    """List the results that have all WORDS in what names them or is written beside them.

    Looks through labels, notes, tags, path, device model, file system, task, tool, configuration and ids; of diagnoses
    through their answer, too. Parts of words are enough, and capitals do not matter.
    """
    with existing_store(app) as store:
        listed = among(store, store.search(words, limit), store.diagnosis_rows(limit, words=words), limit)
        _show_rows(store, listed, form, NOTHING_FOUND)


@results_group.command("show")
@click.argument("ids", nargs=-1)
@shows_data
@global_options()
@click.pass_obj
def show_command(app: App, ids: tuple[str, ...], form: str | None) -> None:
    """Show stored results and diagnoses with all their notes; the last measurement or diagnosis without IDS."""
    with existing_store(app) as store:
        found = chosen(store, ids)
        beside = written_beside(store, (*found.results, *found.diagnoses))
    show(annotated_page(found.results, beside, found.diagnoses), _document(found, beside), form)


@results_group.command("export")
@click.argument("ids", nargs=-1)
@click.option("--output", "-o", metavar="FILE", required=True, help="The file to write; - is stdout.")
@click.option("--all", "everything", is_flag=True, help="Everything that is stored, the oldest first.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@shows_data
@global_options()
@click.pass_obj
def export_command(
    app: App, ids: tuple[str, ...], output: str, everything: bool, force: bool, form: str | None
) -> None:
    """Write stored results and diagnoses into FILE, as JSON with all of them unless --markdown or --text is given.

    Without IDS it is the last measurement or diagnosis. A file that exists is kept, unless --force is given.
    """
    if everything and ids:
        raise click.UsageError("--all is everything, so leave the IDS out")
    if output != STDOUT:
        refuse_existing(output, force=force)
    with existing_store(app) as store:
        meant = meant_by(store, ids, everything=everything)
        write(output, _exported(store, meant, form), force=force)
    if output != STDOUT:
        say(app, (f"Wrote {counted_both(len(meant.results), len(meant.diagnosis_ids))} to {output}.",))


def _exported(store: Store, meant: Meant, form: str | None) -> Iterator[bytes]:
    if (form or JSON) == JSON:
        return document_pieces(store, meant)
    return page_pieces(store, meant, page_markdown if form == MARKDOWN else page_text)


@results_group.command("remove")
@click.argument("ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options()
@click.pass_obj
def remove_command(app: App, ids: tuple[str, ...], yes: bool) -> None:
    """Remove stored results and diagnoses for good, after asking."""
    with existing_store(app) as store:
        results, diagnoses = chosen_for_removal(store, ids)
        words = counted_both(len(results), len(diagnoses))
        if not yes and not _agreed(words):
            say(app, ("Nothing was removed.",))
            return
        store.remove((*results, *diagnoses))
    say(app, (f"Removed {words}.",))


def _show_rows(store: Store, listed: tuple[Listed, ...], form: str | None, nothing: str) -> None:
    beside = written_beside(store, listed)
    if form != JSON:
        show(rows_page(listed, beside, nothing), None, form)
        return
    for piece in outlines(store, listed, beside):
        put(piece)


def _document(found: Chosen, beside: dict[str, Annotations]) -> Document:
    return Document(results=found.results, diagnoses=found.diagnoses, annotations=beside)


def _agreed(words: str) -> bool:
    if not is_terminal(sys.stdin):
        raise click.UsageError("removing asks first, but nobody can answer here; add --yes")
    return click.confirm(f"Remove {words} for good?", err=True)
