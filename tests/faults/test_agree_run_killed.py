"""`agree --run` killed by SIGKILL while the other tool runs: what is left is what `graycard clean` removes."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Sequence

import psutil
import pytest

from tests.bed.faults_program import PATIENCE_S, Cli, Program, left_in
from tests.bed.loops import MIB, LoopImage

# What mkfs makes, and what the user has there.
_THERE = ["clip.mov", "lost+found"]


def child_of(program: Program, name: str) -> psutil.Process:
    """The tool's process, as soon as it runs."""
    parent = psutil.Process(program.process.pid)
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        for child in parent.children(recursive=True):
            if child.name() == name:
                return child
        assert program.process.poll() is None, program.err
        time.sleep(0.01)
    raise AssertionError(f"{name} did not start: {program.err}")


def ended(processes: Sequence[psutil.Process]) -> bool:
    """Whether they end by themselves: the tool's work is of a given size."""
    return not psutil.wait_procs(processes, timeout=PATIENCE_S)[1]


@pytest.mark.root
def test_what_a_killed_run_beside_fio_left_is_removed_by_clean(cli: Cli, loop_image: LoopImage) -> None:
    if not shutil.which("fio"):
        pytest.fail("fio is needed here: apt-get install fio")
    place = loop_image(192 * MIB)
    clip = os.path.join(place, "clip.mov")
    with open(clip, "wb") as file:
        file.write(b"precious")
    with cli.started("agree", "--run", "fio", place, "--size", "32MiB") as program:
        fio = child_of(program, "fio")
        workers = [fio, *fio.children(recursive=True)]
        program.send(signal.SIGKILL)
        assert program.end().code == -signal.SIGKILL
        assert ended(workers), "fio goes on for ever"
    assert left_in(place), "it was killed in the middle of the run"
    cleaned = cli.run("clean", place)
    assert (cleaned.code, left_in(place), sorted(os.listdir(place))) == (0, [], _THERE)
    assert "Removed 1 test folder of earlier runs" in cleaned.err
    with open(clip, "rb") as file:
        assert file.read() == b"precious"
