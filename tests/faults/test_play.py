"""Faults met by `graycard play`: each one sentence and its exit code, what was played is kept, and nothing is left."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.faults_fuse import failing_volume
from tests.bed.faults_program import Cli, Ended, Program, left_in
from tests.bed.loops import MIB, LoopImage, device_of, run
from tests.faults.test_gone import shut_down
from tests.faults.test_space import fill

# 5 MB/s each, from clips of 9.4 MB.
ENDLESS = ("--format", "dnxhr-lb/hd/25x2", "--time", "1h", "--clip", "2s")


def struck(cli: Cli, volume: str, phase: str, strike: Callable[[Program], object], *words: str) -> Ended:
    """A playing that meets `strike` in its layout, or when some frames have been played."""
    with cli.started("play", volume, *(words or ENDLESS), telling=True) as program:
        program.wait_for_phase(phase, 1 if phase == "layout" else 8)
        strike(program)
        return program.end()


@pytest.mark.parametrize("phase", ["layout", "run"])
def test_ctrl_c_stops_at_once_and_keeps_what_was_played(cli: Cli, tmp_path: Path, phase: str) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "clip.mov").write_bytes(b"precious")
    with cli.started("play", str(target), *ENDLESS, telling=True) as program:
        program.wait_for_phase(phase, 8 if phase == "run" else 1)
        program.send(signal.SIGINT)
        ended = program.end()
    ended.failed(130, "stopped")
    ended.stopped_at_once()
    assert len(cli.stored()) == (phase == "run")
    assert ("2 streams of dnxhr-lb/hd/25 play" in ended.out) == (phase == "run")
    assert [path.name for path in target.iterdir()] == ["clip.mov"]


@pytest.mark.root
def test_a_disk_that_fills_during_the_layout(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(128 * MIB)
    with cli.started("play", volume, *ENDLESS, "--clip", "6s", telling=True, held="layout") as program:
        program.wait_for_phase("layout")
        fill(volume)
        program.release()
        ended = program.end()
    ended.failed(20, "the volume is full (ENOSPC) while writing the clip", "free some space")
    assert (cli.stored(), left_in(volume)) == ((), [])


@pytest.mark.root
def test_a_disk_that_fills_while_recording(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(128 * MIB)
    words = ("--format", "dnxhr-hq/hd/25:record", "--time", "1h", "--clip", "3s", "--write-limit", "1TB")
    ended = struck(cli, volume, "run", lambda _: fill(volume), *words)
    ended.failed(20, "the volume is full (ENOSPC) while writing", "free some space")
    assert left_in(volume) == []


@pytest.mark.root
def test_a_device_that_gives_errors(cli: Cli, tmp_path: Path) -> None:
    with failing_volume(tmp_path) as (volume, trigger):
        words = ("--format", "100kB/25", "--time", "1h", "--clip", "1s")
        ended = struck(cli, volume, "run", lambda _: trigger.touch(), *words)
        ended.failed(20, "the device or the server reported an I/O error (EIO)", volume, "check cable and drive")


@pytest.mark.root
def test_a_drive_that_vanishes(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(64 * MIB)
    ended = struck(cli, volume, "run", lambda _: shut_down(volume))
    ended.failed(20, "(EIO)", volume, "check cable and drive")
    assert f"run “graycard clean {volume}”" in ended.err
    device = device_of(volume)
    run("umount", volume)
    run("mount", device, volume)
    assert cli.run("clean", volume).code == 0
    assert left_in(volume) == []
