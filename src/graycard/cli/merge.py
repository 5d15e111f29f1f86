"""`graycard results merge`: the results of another store, for example of another computer."""

from __future__ import annotations

import os

import rich_click as click

from graycard.cli.app import App
from graycard.cli.diagnoses import counted_both
from graycard.cli.options import Place, global_options
from graycard.cli.screen import counted, say
from graycard.errors import StoreProblem
from graycard.importers.graycard import GraycardImporter
from graycard.report.printable import printable
from graycard.store import Merged

_HEAD_BYTES = 4096


@click.command("merge")
@click.argument("other", metavar="OTHER.db", type=Place())
@global_options()
@click.pass_obj
def merge_command(app: App, other: str) -> None:
    """Add the results, diagnoses, annotations and experiments of the store OTHER.db to your own.

    OTHER.db is only read. Nothing that is stored here is altered, and a second time adds nothing.
    """
    # Before the own store is opened, which makes it where there is none.
    _refuse(other)
    with app.open_store() as store:
        merged = store.merge(other)
    say(app, _sentences(merged))


def _refuse(other: str) -> None:
    if not os.path.isfile(other):
        raise StoreProblem(f"there is no store {printable(other)}; check the path")
    try:
        with open(other, "rb") as file:
            exported = GraycardImporter().recognises(file.read(_HEAD_BYTES))
    except OSError as error:
        raise StoreProblem(f"{printable(other)} cannot be read ({error.strerror}); check its rights") from error
    if exported:
        raise StoreProblem(f"{printable(other)} is an exported file, no store; graycard import takes it in")


def _sentences(merged: Merged) -> list[str]:
    known = f"; {merged.known_count} known already" if merged.known_count else ""
    found = [f"Added {counted(merged.added_count, 'result')}{known}."]
    if merged.diagnosis_count:
        found.append(f"Added {counted_both(0, merged.diagnosis_count)}.")
    if merged.experiment_count:
        found.append(f"Added {counted(merged.experiment_count, 'experiment')}.")
    if merged.extended_count:
        found.append(f"{counted(merged.extended_count, 'known result')} got the runs that were only there.")
    if merged.differing_count:
        found.append(f"{counted(merged.differing_count, 'result')} with other runs there stayed as here.")
    return [
        *found,
        *(f"The label “{label}” could not be had here, so it became a tag." for label in merged.tagged_labels),
    ]
