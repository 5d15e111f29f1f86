"""kill -9: stored runs survive it at any moment, and what it leaves is removed by the next run or by `clean`."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from graycard.store import Store
from tests.bed.faults_program import LONG, Cli, left_in


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "target"
    path.mkdir()
    (path / "clip.mov").write_bytes(b"precious")
    return str(path)


def killed_in(cli: Cli, target: str, phase: str) -> None:
    with cli.started("measure", target, *LONG, "--runs", "1" if phase == "cleanup" else "40", telling=True) as program:
        program.wait_for_phase(phase)
        program.send(signal.SIGKILL)
        assert program.end().code == -signal.SIGKILL


@pytest.mark.parametrize("phase", ["layout", "calibrate", "run"])
def test_the_next_run_removes_what_a_killed_one_left(cli: Cli, target: str, phase: str) -> None:
    killed_in(cli, target, phase)
    assert left_in(target)
    ended = cli.measure(target)
    ended.measured()
    assert "Removed 1 test folder" in ended.out
    assert (left_in(target), os.listdir(target)) == ([], ["clip.mov"])


def test_clean_removes_what_a_killed_run_left(cli: Cli, target: str) -> None:
    killed_in(cli, target, "run")
    assert left_in(target)
    ended = cli.run("clean", target)
    assert (ended.code, left_in(target), os.listdir(target)) == (0, [], ["clip.mov"])
    assert "Removed 1 test folder of earlier runs, 16.8 MB" in ended.err


def test_a_plan_removes_nothing(cli: Cli, target: str) -> None:
    killed_in(cli, target, "run")
    left = left_in(target)
    assert cli.run("measure", target, "--plan").code == 0
    assert left_in(target) == left


def test_stored_runs_survive_a_kill_at_any_moment(cli: Cli, target: str) -> None:
    """Killed again and again, before, while and after a run is saved: every stored run is whole, none disappears."""
    before = 0
    for attempt in range(5):
        with cli.started("measure", target, *LONG, telling=True) as program:
            program.wait_for_phase("rest", 3)
            program.wait_for_next("run")
            time.sleep(0.05 + 0.02 * attempt)
            program.send(signal.SIGKILL)
            program.end()
        now = whole_runs(cli)
        assert now >= before + 2, "a run that had ended was lost"
        before = now
    assert before == cli.stored_runs()
    assert cli.run("clean", target).code == 0
    assert left_in(target) == []


def whole_runs(cli: Cli) -> int:
    """Runs that are stored; each is read in full and its bytes are all there."""
    count = 0
    with Store(str(cli.store)) as store:
        for row in store.rows():
            result = store.load(row.id)
            assert len(result.runs) == row.run_count > 0
            assert result.summary is not None
            for run in result.runs:
                assert sum(tick.moved_bytes for tick in run.samples.ticks) == run.samples.moved_bytes > 0
            count += len(result.runs)
    return count
