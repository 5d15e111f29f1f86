"""Where `graycard` starts. Until the command line is loaded, Ctrl-C just ends it: there is nothing to tidy yet."""

from __future__ import annotations

import signal


def run() -> None:
    """Load the command line and hand over to it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from graycard.cli.main import run as run_command_line

    run_command_line()
