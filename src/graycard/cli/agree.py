"""`graycard agree`: why figures of several tools differ, and which one is nearest the truth."""

from __future__ import annotations

import rich_click as click

from graycard.agree import agree
from graycard.cli.app import App
from graycard.cli.arms import figures_named
from graycard.cli.options import global_options, shows_data
from graycard.cli.screen import show
from graycard.codec import AgreementsDocument
from graycard.report.agreements import agreements_page


@click.command("agree")
@click.argument("results", nargs=-1, required=True, metavar="RESULTS…")
@shows_data
@global_options()
@click.pass_obj
def agree_command(app: App, results: tuple[str, ...], form: str | None) -> None:
    """Say how far the figures of several tools are apart, why, and which is nearest the truth.

    Each of RESULTS is a file of any tool that graycard can import, a label, or the beginning of an id. One file may
    hold the results of several tools.
    """
    found = agree(figures_named(app, results))
    document = AgreementsDocument(agreements=found.agreements, tools=found.tools)
    show(agreements_page(found.agreements, found.tools), document, form)
