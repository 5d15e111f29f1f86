"""A Ctrl-C before the command line is even loaded ends the program quietly."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="reads its signals from /proc")
@pytest.mark.parametrize("wait_s", [0, 0.02, 0.04, 0.06, 0.1, 0.15])
def test_an_early_ctrl_c_prints_no_traceback(wait_s: float) -> None:
    command = (sys.executable, "-c", "from graycard.cli.entry import run; run()", "completion", "bash")
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until_an_interrupt_ends(program)
    time.sleep(wait_s)
    program.send_signal(signal.SIGINT)
    _, stderr = program.communicate(timeout=20)
    assert b"Traceback" not in stderr
    assert program.returncode in (-signal.SIGINT, 130, 0)


def wait_until_an_interrupt_ends(program: subprocess.Popen[bytes]) -> None:
    """Until the program has handed SIGINT back to the system, from which on Python makes no exception of it.

    Python catches it as soon as it starts, so first it is caught, and then it is not.
    """
    for caught in (True, False):
        while program.poll() is None and catches(program.pid, signal.SIGINT) is not caught:
            time.sleep(0.001)


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler of its own for the signal: SigCgt is a mask with bit 0 for signal 1."""
    (mask,) = re.findall(r"SigCgt:\t([0-9a-f]+)", Path(f"/proc/{pid}/status").read_text())
    return bool(int(mask, 16) >> (number - 1) & 1)
