"""`graycard agent`: the far end of a test of the network, started by hand where ssh cannot start it."""

from __future__ import annotations

import os
import socket
import time

import rich_click as click

from graycard.agent.program import Standing
from graycard.cli.app import App
from graycard.cli.options import global_options
from graycard.cli.screen import put, say
from graycard.errors import TargetProblem

LOOK_EVERY_S = 0.25


@click.command("agent")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The one port it listens on; 0: any free one.")
@click.option("--listen", metavar="ADDRESS", default="", help="Listen on this address alone; all of them without it.")
@click.option("--root", metavar="FOLDER", help="Allow disk tests, in a folder of its own below FOLDER alone.")
@global_options()
@click.pass_obj
def agent_command(app: App, port: int, listen: str, root: str | None) -> None:
    """Be the far end of `graycard link`, until you press Ctrl-C.

    It prints the command for the other computer, with a token that is good for this start alone. Whoever has not the
    token is turned away. It needs no root, and touches no file without --root. Where you can use ssh you need none of
    this: `graycard link user@nas` starts the far end by itself.
    """
    if root is not None and not os.access(root, os.W_OK | os.X_OK):
        raise TargetProblem(f"{root} cannot be written to; name a folder that you may write to with --root")
    try:
        standing = Standing(listen, port, root=os.path.abspath(root) if root else "")
    except OSError as error:
        raise TargetProblem(f"port {port} cannot be opened ({error.strerror}); choose another with --port") from None
    name = listen or socket.gethostname()
    put(f"graycard link {name} --agent {standing.gate.port} --token {standing.token.hex()}\n")
    say(app, ("Give that command on the other computer. Ctrl-C ends.",))
    try:
        _tell_refusals(app, standing)
    finally:
        standing.gate.close()


def _tell_refusals(app: App, standing: Standing) -> None:
    """Say who was turned away, as it happens."""
    told = 0
    while True:
        time.sleep(LOOK_EVERY_S)
        count = standing.gate.refused_count
        if count > told:
            say(app, standing.gate.refusals[-min(count - told, len(standing.gate.refusals)) :])
            told = count
