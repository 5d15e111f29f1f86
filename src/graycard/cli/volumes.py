"""`graycard volumes`: what is mounted, and why a volume cannot be measured."""

from __future__ import annotations

from dataclasses import asdict

import rich_click as click

from graycard.cli.app import App
from graycard.cli.options import global_options, shows_data
from graycard.cli.screen import show
from graycard.codec import FactsDocument
from graycard.report.volumes import volumes_page


@click.command("volumes")
@shows_data
@global_options()
@click.pass_obj
def volumes_command(app: App, form: str | None) -> None:
    """List the mounted volumes with their free space, and say why one cannot be measured."""
    volumes = app.host().volumes()
    show(volumes_page(volumes), FactsDocument(volumes=tuple(asdict(volume) for volume in volumes)), form)
