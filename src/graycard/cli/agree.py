"""`graycard agree`: why figures of several tools differ, and which one is nearest the truth."""

from __future__ import annotations

import rich_click as click

from graycard.agree import agree
from graycard.cli.app import App
from graycard.cli.arms import figures_named
from graycard.cli.options import SIZE, global_options, shows_data
from graycard.cli.screen import show
from graycard.codec import AgreementsDocument
from graycard.model import Arm
from graycard.report.agreements import agreements_page


@click.command("agree")
@click.argument("results", nargs=-1, required=True, metavar="RESULTS…")
@click.option("--run", "tools", metavar="TOOL", help="Run TOOL (or TOOL,TOOL) at the place RESULTS names, in turns.")
@click.option("--size", type=SIZE, metavar="SIZE", help="With --run: size of the test files (256 MiB).")
@shows_data
@global_options()
@click.pass_obj
def agree_command(app: App, results: tuple[str, ...], tools: str | None, size: int | None, form: str | None) -> None:
    """Say how far the figures of several tools are apart, why, and which is nearest the truth.

    Each of RESULTS is a file of any tool that graycard can import, a label, or the beginning of an id. One file may
    hold the results of several tools.

    With --run it is one folder on the drive or share: TOOL and graycard measure there in turns. TOOL is fio, dd,
    bonnie++, sysbench, ioping or iozone.
    """
    if size is not None and tools is None:
        raise click.UsageError("--size goes with --run")
    arms = figures_named(app, results) if tools is None else _run(app, tools, results, size)
    found = agree(arms)
    ran = () if tools is None else tuple(result for arm in arms for result in arm.results)
    document = AgreementsDocument(agreements=found.agreements, tools=found.tools, results=ran)
    show(agreements_page(found.agreements, found.tools), document, form)


def _run(app: App, tools: str, places: tuple[str, ...], size: int | None) -> tuple[Arm, ...]:
    # What measures is imported only where something is measured.
    from graycard.cli.agree_run import DEFAULT_SIZE_BYTES, arms_of_run

    if len(places) != 1:
        raise click.UsageError("--run measures at one place: name one folder")
    names = [name.strip() for name in tools.split(",") if name.strip()]
    return arms_of_run(app, names, places[0], size or DEFAULT_SIZE_BYTES)
