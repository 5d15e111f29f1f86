"""`graycard info`: what is known about the place, each fact with its source."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.options import Place, global_options, shows_data
from graycard.cli.screen import show
from graycard.codec import FactsDocument
from graycard.report.setup import setup_page


@click.command("info")
@click.argument("path", type=Place())
@shows_data
@global_options()
@click.pass_obj
def info_command(app: App, path: str, form: str | None) -> None:
    """Show what PATH lies on: format, software, connection, space, system, load and medium, each with its source.

    Warnings come first: a slow USB link, a full or hot drive, a virtual machine.
    """
    host = app.host()
    target = host.resolve(path)
    facts = host.facts(target)
    show(setup_page(target.shown, facts), FactsDocument(facts=facts), form)
