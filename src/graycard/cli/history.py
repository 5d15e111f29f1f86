"""`graycard history`: how the results of one set-up went over time."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import nothing_stored
from graycard.cli.earlier import every_history, history_of_place
from graycard.cli.options import JSON, Place, global_options, shows_data
from graycard.cli.screen import show
from graycard.codec import HistoriesDocument
from graycard.errors import StoreProblem
from graycard.model import History
from graycard.report.histories import histories_page, set_ups_page
from graycard.report.printable import printable


@click.command("history")
@click.argument("place", required=False, type=Place(), metavar="[PATH|DEVICE]")
@click.option("--task", metavar="TEXT", help="Only tasks with TEXT in their name, as SEQ1M or write.")
@click.option(
    "--limit", type=click.IntRange(1), default=10, metavar="N", help="Show the newest N results of each task."
)
@shows_data
@global_options()
@click.pass_obj
def history_command(app: App, place: str | None, task: str | None, limit: int, form: str | None) -> None:
    """Show how stored results went over time, and whether the newest are as those before them.

    PATH is a folder or file on the drive or share, which is known again by its ids wherever it is mounted. DEVICE is
    the beginning of a device's id, name or model. Without either: all set-ups, a line each.
    """
    # The overview shows the newest result of each task alone.
    found = _found(app, place, limit if place is not None or form == JSON else 1)
    if task is not None:
        found = _with_task(found, task)
    page = set_ups_page(found) if place is None else histories_page(found)
    show(page, HistoriesDocument(histories=found), form)


def _found(app: App, place: str | None, limit: int) -> tuple[History, ...]:
    if not app.has_store:
        if place is not None:
            raise nothing_stored(app.store_file)
        return ()
    with app.open_store() as store:
        return every_history(store, limit) if place is None else history_of_place(store, app.host(), place, limit)


def _with_task(histories: tuple[History, ...], text: str) -> tuple[History, ...]:
    found = tuple(each for each in histories if text.casefold() in each.task_label.casefold())
    if histories and not found:
        raise StoreProblem(f"no stored task has “{printable(text)}” in its name; leave out --task to see them all")
    return found
