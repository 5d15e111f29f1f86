"""A program that copies: the moment of its end, its processor time, and how it is made to end."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from graycard.transfer import started as started_module
from graycard.transfer.meter import TICK_NS, Meter
from graycard.transfer.started import Started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no shell")
PATIENCE_S = 20.0
BUSY = "n=0; while [ $n -lt 60000 ]; do n=$((n+1)); done"


@pytest.fixture(params=["by its end", "by looks"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """As the system tells processor time: with the end of a program, or only as long as it runs."""
    if request.param == "by looks":
        monkeypatch.setattr(started_module, "_wait4", None)
    return str(request.param)


def start(script: str) -> Started:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        return Started(("sh", "-c", script), given, said, dict(os.environ))


@pytest.mark.usefixtures("how")
def test_its_end_is_stamped_when_it_ends_and_not_when_somebody_looks(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    program = start(f"read x < {gate}; exit 3")
    assert not program.has_ended()
    before = time.monotonic_ns()
    gate.write_text("go\n")
    assert program.has_ended(PATIENCE_S)
    after = time.monotonic_ns()
    time.sleep(0.05)
    assert before < program.ended_ns < after
    assert program.code == 3


def test_its_processor_time_is_all_that_it_used(how: str) -> None:
    """And that of what it has started and waited for."""
    before = os.times()
    program = start(f"sh -c '{BUSY}'; {BUSY}")
    while not program.has_ended(0.01):
        program.look_at_processor()
    after = os.times()
    spent_s = after.children_user + after.children_system - before.children_user - before.children_system
    assert program.cpu_ns is not None
    # Told in ticks of 10 ms; looks miss what comes after the last one.
    least_s = spent_s - 0.03 if how == "by its end" else 0.0
    assert least_s <= program.cpu_ns / 1e9 <= spent_s + 0.03
    assert program.cpu_ns > 0


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[Started]:
    """It does not hear SIGTERM, nor does what it has started."""
    ready = tmp_path / "ready"
    program = start(f"trap '' TERM; sleep 60 & echo > {ready}; while :; do sleep 60; done")
    end = time.monotonic() + PATIENCE_S
    while not ready.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    yield program
    program.end(0.0)


def test_one_that_does_not_end_when_asked_is_made_to_with_all_that_it_started(stubborn: Started) -> None:
    everyone = started_module.family(stubborn.pid)
    assert len(everyone) >= 2
    stubborn.end(0.05, PATIENCE_S)
    assert (stubborn.has_ended(), stubborn.code) == (True, -9)
    for process in everyone:
        assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_one_that_hangs_in_a_call_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that does not answer holds even a killed program; here it hears nothing."""
    program = start("exec sleep 60")
    killed: list[int] = []
    with monkeypatch.context() as deaf:
        deaf.setattr(psutil.Process, "terminate", lambda _self: None)
        deaf.setattr(psutil.Process, "kill", lambda process: killed.append(process.pid))
        program.end(0.01, 0.01)
    assert killed == [program.pid]
    assert not program.has_ended()
    program.end(PATIENCE_S)
    assert program.has_ended()


def test_a_meter_counts_to_a_moment_and_to_its_next_slot() -> None:
    now = [1_000]
    meter = Meter(lambda _progress: None, lambda: now[0])
    now[0] += TICK_NS + TICK_NS // 5
    assert meter.until_next_s == pytest.approx(0.2)
    assert meter.elapsed_ns_at(now[0] - 7) == TICK_NS + TICK_NS // 5 - 7
