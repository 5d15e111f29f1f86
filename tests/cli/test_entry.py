"""A Ctrl-C before the command line is even loaded ends the program quietly."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize("wait_s", [0.02, 0.04, 0.06, 0.08, 0.1, 0.15])
def test_an_early_ctrl_c_prints_no_traceback(wait_s: float) -> None:
    code = "print('in', flush=True); from graycard.cli.entry import run; run()"
    command = (sys.executable, "-c", code, "completion", "bash")
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    assert program.stdout.readline() == b"in\n"
    time.sleep(wait_s)
    program.send_signal(signal.SIGINT)
    _, stderr = program.communicate(timeout=20)
    assert b"Traceback" not in stderr
    assert program.returncode in (-signal.SIGINT, 130, 0)
