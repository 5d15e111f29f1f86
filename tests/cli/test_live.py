"""What is shown while a measurement runs, and how signals end it: real processes on a slow, simulated device."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from graycard.cli.live import Watcher
from graycard.measurement import Event
from graycard.protocols import Progress
from graycard.store import Store

ROOT = Path(__file__).parent.parent.parent
EVER = "1e9"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "drive"
    place.mkdir()
    return place


def command(tmp_path: Path, *arguments: str, run_s: float = 0.05, stall_s: str = EVER, log_s: float = 5) -> list[str]:
    settings = [str(tmp_path), str(run_s), stall_s, str(log_s)]
    return [sys.executable, "-m", "tests.cli.fakes", *settings, *arguments]


def event(says: str = "measuring", **more: Any) -> Event:
    return Event("run", says, 0, **more)


def test_the_sentence_grows_with_what_is_known() -> None:
    watcher = Watcher()
    assert watcher.sentence() == "starting"
    watcher.hear(event("resting", task_label="SEQ1M QD8 read", repeat_index=2))
    assert watcher.sentence() == "resting · SEQ1M QD8 read, run 3"
    for second in range(4):
        progress = Progress(second * 500_000_000, second, second * 50_000_000, 0)
        watcher.hear(
            event(task_label="SEQ1M QD8 read", repeat_index=0, progress=progress, done_ratio=0.35, eta_ns=8 * 10**10)
        )
    assert watcher.sentence() == "measuring · SEQ1M QD8 read, run 1 · 100 MB/s · 35 %, about 80 s left"


def test_a_copy_that_begins_after_another_has_a_rate_of_its_own() -> None:
    """A long one may follow a short one, so that only the bytes begin anew."""
    watcher = Watcher()
    watcher.hear(event(progress=Progress(1_000_000_000, 0, 600_000_000, 0)))
    watcher.hear(event(progress=Progress(1_500_000_000, 0, 0, 0)))
    assert watcher.sentence() == "measuring"
    watcher.hear(event(progress=Progress(2_000_000_000, 0, 50_000_000, 0)))
    assert watcher.sentence() == "measuring · 100 MB/s"


def test_the_rate_is_that_of_the_last_second() -> None:
    watcher = Watcher()
    for tenth in range(50):
        moved = min(tenth, 30) * 10_000_000 + max(0, tenth - 30) * 1_000_000
        watcher.hear(event(progress=Progress(tenth * 100_000_000, 1, moved, 0)))
    assert "10.0 MB/s" in watcher.sentence().split(" · ")


def test_while_nothing_moves_no_rate_of_zero_is_shown() -> None:
    watcher = Watcher()
    for tenth in range(15):
        watcher.hear(event(progress=Progress(tenth * 100_000_000, 1, 1000, 0)))
    assert watcher.sentence() == "measuring"


def test_a_new_run_does_not_mix_with_the_one_before() -> None:
    watcher = Watcher()
    watcher.hear(event(progress=Progress(2_000_000_000, 1, 900_000_000, 0)))
    watcher.hear(event(progress=Progress(100_000_000, 1, 1_000_000, 0)))
    assert watcher.sentence() == "measuring"


def test_a_stall_is_told() -> None:
    watcher = Watcher()
    watcher.hear(event(progress=Progress(9_000_000_000, 1, 1, 7_400_000_000)))
    assert watcher.sentence() == "measuring · no progress for 7 s"


def test_after_the_least_number_of_runs_it_says_what_it_waits_for() -> None:
    watcher = Watcher()
    watcher.hear(event(done_ratio=1.0, eta_ns=0))
    assert watcher.sentence() == "measuring · repeating until the intervals are narrow enough"


def test_a_log_gets_a_line_at_once_and_then_every_few_seconds(folder: Path, tmp_path: Path) -> None:
    arguments = command(tmp_path, "measure", str(folder), "--preset", "quick", "--read", run_s=0.1, log_s=0.2)
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if " s · " in line]
    assert lines[0] == "0 s · starting"
    assert len(lines) >= 4
    assert any("measuring · " in line and " left" in line for line in lines)
    assert "\x1b" not in done.stderr + done.stdout


def test_a_stalled_device_is_told_in_the_log(folder: Path, tmp_path: Path) -> None:
    arguments = command(
        tmp_path, "measure", str(folder), "--read", "--sequential", "--runs", "1", run_s=3.6, stall_s="0.2", log_s=0.2
    )
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert re.search("no progress for [23] s", done.stderr)


def test_on_a_terminal_one_line_lives_and_is_gone_at_the_end(folder: Path, tmp_path: Path) -> None:
    arguments = command(tmp_path, "measure", str(folder), "--preset", "quick", "--read", run_s=0.25)
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    variables = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=inner, cwd=ROOT, env=variables)
    os.close(inner)
    shown = b""
    try:
        while chunk := os.read(outer, 65536):
            shown += chunk
    except OSError:
        pass  # Linux: the other side is closed
    finally:
        os.close(outer)
        out = process.communicate(timeout=60)[0].decode()
    frames = [frame for frame in shown.decode().split("\r") if "measuring · " in frame]
    assert len(set(frames)) >= 3
    assert "SEQ1M QD8 read" in out
    assert "\x1b" not in out
    # The live line is erased, then what stays is printed.
    assert "\x1b[2KStored as " in shown.decode().rstrip().splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_it_keeps_the_runs_and_leaves_nothing(
    folder: Path, tmp_path: Path, number: signal.Signals
) -> None:
    arguments = command(tmp_path, "measure", str(folder), "--preset", "quick", run_s=0.1, log_s=0.1)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "run 3" in line:
                break
        process.send_signal(number)
        process.send_signal(number)  # an impatient second one does not cut the cleaning short
        stopped = time.monotonic()
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert time.monotonic() - stopped < 10
    assert err.splitlines()[-1].startswith("graycard: stopped after ")
    assert "SEQ1M QD8 read" in out
    assert list(folder.iterdir()) == []
    with Store(str(tmp_path / "results.db")) as store:
        counts = {row.run_count for row in store.rows()}
    assert min(counts) >= 2
    assert max(counts) - min(counts) <= 1, "each task has its run before the next round begins"


def test_a_signal_that_is_ignored_stays_ignored(folder: Path, tmp_path: Path) -> None:
    arguments = command(tmp_path, "measure", str(folder), "--read", "--sequential", "--runs", "1", run_s=1.0, log_s=0.1)
    ignoring = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *arguments]
    process = subprocess.Popen(ignoring, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "measuring" in line:
                break
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
