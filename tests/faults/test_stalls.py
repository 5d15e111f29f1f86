"""A volume whose server stalls: it is said, waited for, and stopped by Ctrl-C all the same."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bed.faults_fuse import Served, fuse_requests_waiting, served_volume, wait_until
from tests.bed.faults_program import LONG, Cli, left_in

pytestmark = pytest.mark.root


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_volume(tmp_path) as volume:
        yield volume


def test_a_stall_is_said_and_waited_for(cli: Cli, served: Served) -> None:
    with cli.started("measure", served.point, *LONG, "--runs", "1", telling=True, terminal=True) as program:
        program.wait_for_phase("run")
        served.server.send_signal(signal.SIGSTOP)
        program.wait_for_words("no progress for 30 s", patience_s=60)
        served.server.send_signal(signal.SIGCONT)
        ended = program.end()
    ended.measured()
    assert cli.stored_runs() == 4
    assert left_in(served.point) == []


@pytest.mark.usefixtures("fuse_requests")
@pytest.mark.parametrize("phase", ["run", "cleanup"])
def test_ctrl_c_in_a_stall_says_what_is_left(cli: Cli, served: Served, phase: str) -> None:
    """The kernel keeps a process for as long as the server holds a request of it: it is told at once, all the same."""
    runs, held = (("--runs", "1"), "cleanup") if phase == "cleanup" else ((), "")
    device = os.stat(served.point).st_dev
    with cli.started("measure", served.point, *LONG, *runs, telling=True, held=held) as program:
        program.wait_for_phase("rest", 3)
        program.wait_for_next(phase)
        served.server.send_signal(signal.SIGSTOP)
        program.release()
        wait_until(lambda: fuse_requests_waiting(device) > 0, "a request that is not answered")
        program.send(signal.SIGINT)
        begun_s = time.monotonic()
        program.wait_for_words("graycard: stopped", patience_s=15)
        print(f"Ctrl-C in a stall in {phase}: told after {time.monotonic() - begun_s:.2f} s")
        served.server.send_signal(signal.SIGCONT)
        ended = program.end(patience_s=15)
    ended.failed(130, f"{served.point} does not answer", f"graycard clean {served.point}")
    assert cli.stored_runs() >= 2
    assert "MB/s" in ended.out
    cleaned = cli.run("clean", served.point)
    assert (cleaned.code, left_in(served.point)) == (0, []), cleaned.err
    assert "Removed 1 test folder" in cleaned.err


def test_a_volume_that_does_not_answer_is_refused(cli: Cli, served: Served) -> None:
    served.server.send_signal(signal.SIGSTOP)
    ended = cli.measure(served.point)
    served.server.send_signal(signal.SIGCONT)
    ended.failed(11, f"{served.point} does not answer", "mount it again")
    assert left_in(served.point) == []
