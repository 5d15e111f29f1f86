"""`agree --run` killed by SIGKILL: the other tool ends, too, and `graycard clean` removes what is left."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Sequence
from pathlib import Path

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
    """Whether they end without being asked by the test."""
    return not psutil.wait_procs(processes, timeout=PATIENCE_S)[1]


def test_a_tool_that_would_go_on_ends_with_a_killed_graycard(cli: Cli, tmp_path: Path) -> None:
    place, tools = tmp_path / "card", tmp_path / "tools"
    place.mkdir()
    tools.mkdir()
    endless = tools / "dd"
    endless.write_text("#!/bin/sh\nsleep 3600 &\nwait\n")
    endless.chmod(0o700)
    path = os.pathsep.join((str(tools), os.environ["PATH"]))
    with cli.started("agree", "--run", "dd", str(place), "--size", "4MiB", PATH=path) as program:
        workers = [child_of(program, "dd"), child_of(program, "sleep")]
        program.send(signal.SIGKILL)
        assert program.end().code == -signal.SIGKILL
        assert ended(workers), "the tool outlives graycard"
    assert entries_of(cli), "it was killed in the middle of the run"
    assert cli.run("agree", "--run", "dd", str(place), "--size", "4MiB").code == 0
    assert (entries_of(cli), left_in(str(place))) == ([], []), "the next run removes what the killed one left"


def entries_of(cli: Cli) -> list[str]:
    """The entries of runs in the temporary folder."""
    return sorted(path.name for path in (cli.folder / "tmp").glob("graycard*/*"))


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
