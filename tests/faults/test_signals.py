"""Ctrl-C and SIGTERM at any phase: the program stops at once, keeps what was finished, and leaves nothing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.bed.faults_program import LONG, Cli, left_in

PHASES = ("prepare", "layout", "calibrate", "rest", "run", "cleanup")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_signal_stops_at_any_phase(cli: Cli, tmp_path: Path, phase: str, number: signal.Signals) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "clip.mov").write_bytes(b"precious")
    runs = "1" if phase == "cleanup" else "40"
    with cli.started("measure", str(target), *LONG, "--runs", runs, telling=True) as program:
        program.wait_for_phase(phase)
        program.send(signal.Signals(number))
        ended = program.end()
    print(f"{number.name} in {phase}: ended after {ended.took_s:.2f} s")
    if phase == "cleanup" and ended.code != 130:
        ended.measured()  # it was already done
    else:
        ended.failed(130, "stopped")
    assert left_in(str(target)) == []
    assert [path.name for path in target.iterdir()] == ["clip.mov"]
    assert ended.took_s < 3
