"""How a host asks the system's own commands, as an argument: tests answer from stored output instead."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

Runner = Callable[[tuple[str, ...]], bytes]

# system_profiler and PowerShell take some seconds on a busy machine; a command that needs more has hung.
TIMEOUT_S = 30.0


def run_command(arguments: tuple[str, ...]) -> bytes:
    """Standard output of one command; empty where it is missing, may not run or takes longer than `TIMEOUT_S`.

    A command that fails half-way keeps what it printed: `sysctl` does so when one of several names is unknown.
    """
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return b""
    return done.stdout
