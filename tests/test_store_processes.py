"""Several processes at one store, and their death at any moment."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_results import a_result

from graycard.store import Store


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "results.db")


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from made_results import a_result
from graycard.store import Store
with Store(sys.argv[2]) as store:
    for count in range(1, int(sys.argv[4]) + 1):
        store.save(a_result(sys.argv[3], run_count=count))
        sys.stdout.write(f"{count}\\n")
        sys.stdout.flush()
"""


def child(path: str, name: str, run_count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), path, name, str(run_count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_kill_9_at_any_moment_loses_no_run_that_was_saved(path: str) -> None:
    chance = random.Random(1)
    killed = 0
    for attempt in range(25):
        process = child(path, f"r{attempt:02}", 100_000)
        assert process.stdout
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        said = [int(line) for line in (first + process.stdout.read()).split("\n")[:-1]]
        process.wait()
        killed += process.returncode == -signal.SIGKILL
        with Store(path) as store:
            runs = store.load(f"r{attempt:02}").runs
        assert len(runs) in (said[-1], said[-1] + 1), "one save may have finished before it could say so"
        assert runs == a_result("x", run_count=len(runs)).runs
    assert killed == 25


def test_two_processes_save_at_once(path: str) -> None:
    processes = [child(path, name, 40) for name in ("left", "right", "third")]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with Store(path) as store:
        for name in ("left", "right", "third"):
            assert store.load(name) == a_result(name, run_count=40)
