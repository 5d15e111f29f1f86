"""`graycard clean`: remove what a killed run or an interrupted experiment has left on a volume."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.options import Place, global_options
from graycard.cli.screen import counted, say
from graycard.errors import TargetProblem
from graycard.model import TargetKind
from graycard.scratch import clean
from graycard.units import format_size


@click.command("clean")
@click.argument("path", type=Place())
@global_options()
@click.pass_obj
def clean_command(app: App, path: str) -> None:
    """Remove what killed runs and interrupted experiments have left in the folder PATH.

    Volumes of an experiment are unmounted first; one that is resumed later makes them anew. Only what graycard can
    prove to be its own and no longer in use is removed, and empty folders of its name; it says what it leaves, and why.
    """
    target = app.host().resolve(path)
    if target.kind is TargetKind.FILE:
        raise TargetProblem(f"{target.shown} is a file; name the folder that was measured")
    done = clean(target.path, app.volume_maker())
    say(app, (each.why_kept for each in done.kept if each.why_kept))
    if done.removed:
        folders = counted(len(done.removed), "test folder")
        say(app, (f"Removed {folders} of earlier runs, {format_size(done.removed_bytes)}.",))
    elif not done.kept:
        say(app, (f"Nothing of graycard's is in {target.shown}.",))
