"""`graycard results label`, `note` and `tag`: what a person writes beside measurements and results."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import existing_store
from graycard.cli.options import global_options
from graycard.cli.screen import counted, say


@click.command("label")
@click.argument("id_", metavar="ID")
@click.argument("name", required=False)
@click.option("--remove", is_flag=True, help="Take the label of ID away.")
@global_options()
@click.pass_obj
def label_command(app: App, id_: str, name: str | None, remove: bool) -> None:
    """Give a measurement, or one result, the label NAME, to be used instead of its id.

    A label names one of them: it is taken from the one that had it.
    """
    _give_either("NAME", name, remove=remove)
    with existing_store(app) as store:
        if name is None:
            say(app, (f"Removed {counted(store.remove_annotations(id_, label=True), 'label')}.",))
            return
        done = store.annotate(id_, label=name)
    moved = f"; {done.moved_from} had that label and has none now" if done.moved_from else ""
    say(app, (f"“{name.strip()}” is {done.id} now{moved}.",))


@click.command("note")
@click.argument("id_", metavar="ID")
@click.argument("text", required=False)
@click.option("--remove", is_flag=True, help="Take all notes of ID away.")
@global_options()
@click.pass_obj
def note_command(app: App, id_: str, text: str | None, remove: bool) -> None:
    """Write the note TEXT beside a measurement, or one result."""
    _give_either("TEXT", text, remove=remove)
    with existing_store(app) as store:
        if text is None:
            say(app, (f"Removed {counted(store.remove_annotations(id_, notes=True), 'note')}.",))
            return
        done = store.annotate(id_, note=text)
    say(app, (f"Wrote it beside {done.id}.",))


@click.command("tag")
@click.argument("id_", metavar="ID")
@click.argument("tags", metavar="TAG…", nargs=-1, required=True)
@click.option("--remove", is_flag=True, help="Take these tags away.")
@global_options()
@click.pass_obj
def tag_command(app: App, id_: str, tags: tuple[str, ...], remove: bool) -> None:
    """Add tags to a measurement, or to one result; many may have the same."""
    with existing_store(app) as store:
        if remove:
            say(app, (f"Removed {counted(store.remove_annotations(id_, tags=tags), 'tag')}.",))
            return
        done = store.annotate(id_, tags=tags)
    say(app, (f"Tagged {done.id}.",))


def _give_either(what: str, given: str | None, *, remove: bool) -> None:
    if remove == (given is not None):
        raise click.UsageError(f"give {what}, or --remove without it")
