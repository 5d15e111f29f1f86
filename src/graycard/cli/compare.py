"""`graycard compare`: one set-up beside others, task by task."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.arms import sides_of
from graycard.cli.options import global_options, shows_data, threshold_option
from graycard.cli.screen import counted, say, show
from graycard.codec import ComparisonsDocument
from graycard.compare import compare
from graycard.errors import AccuracyProblem
from graycard.report.comparisons import comparisons_page
from graycard.store import Store


@click.command("compare")
@click.argument("sides", nargs=-1, required=True, metavar="A B [C]…")
@threshold_option
@shows_data
@global_options()
@click.pass_obj
def compare_command(app: App, sides: tuple[str, ...], threshold: float | None, form: str | None) -> None:
    """Tell whether B, C … are slower or faster than A, by how much and how surely, and what differs between them.

    Each side is a label, the beginning of an id (of a measurement or of one result), a file of results, or
    EXPERIMENT:CONFIGURATION. One EXPERIMENT alone means all its configurations, the first of them as A.
    """
    chosen = sides_of(app, sides, Store.figures)
    base, *others = chosen.arms
    found = compare(base, others, chosen.threshold_ratio if threshold is None else threshold)
    say(app, chosen.notes)
    show(comparisons_page(found), ComparisonsDocument(comparisons=found), form)
    failed = sum(1 for each in found if each.failed_ids)
    if failed:
        raise AccuracyProblem(
            f"{counted(failed, 'comparison')} with a figure that failed a check: measure that side again before you "
            "rely on the verdict"
        )
