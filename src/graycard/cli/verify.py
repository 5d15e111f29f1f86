"""`graycard verify`: a folder against its own ASC MHL manifests, whoever wrote them."""

from __future__ import annotations

import secrets

import rich_click as click

from graycard.cli.app import App
from graycard.cli.offload_documents import document_of
from graycard.cli.offload_page import offload_page
from graycard.cli.offload_run import carry_out_check
from graycard.cli.options import Place, global_options, shows_data
from graycard.cli.screen import counted, show
from graycard.errors import AccuracyProblem, RunProblem, TargetProblem
from graycard.model import TargetKind
from graycard.offload import Kind, Outcome
from graycard.offload import Place as CardPlace


@click.command("verify")
@click.argument("folder", type=Place())
@shows_data
@global_options()
@click.pass_obj
def verify_command(app: App, folder: str, form: str | None) -> None:
    """Read FOLDER around the cache and compare it with the ASC MHL manifests in it.

    Files that were changed, cut or lost are named, and so are files that no manifest has. Nothing is written there.
    """
    host = app.host()
    target = host.resolve(folder)
    if target.kind is TargetKind.FILE:
        raise TargetProblem(f"{target.shown} is a file; name the folder that holds “ascmhl”")
    outcome = Outcome(secrets.token_hex(8))
    place = CardPlace(target, host.volume(target), host.facts(target))
    carry_out_check(app, host, place, outcome)
    show(offload_page(outcome, f"Verification of {target.path}"), document_of(outcome), form)
    _complain(outcome)


def _complain(outcome: Outcome) -> None:
    count = sum(fault.kind is not Kind.NEW for fault in outcome.faults)
    if outcome.mismatch:
        raise AccuracyProblem(f"{counted(count, 'file')} not as the manifests say; take them from another copy")
    if count:
        says = f"{counted(count, 'file')} could not be read; see to the drive, or take them from another copy"
        raise RunProblem(says, errno=None, offset_bytes=None, phase="measure")
