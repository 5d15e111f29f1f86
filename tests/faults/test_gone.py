"""Drives and servers that fail or vanish in the middle: told in plain words, the finished runs kept.

What could not be removed is told too, and once the drive is back, the step that was named removes it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.faults_fuse import failing_volume, served, served_volume
from tests.bed.faults_program import LONG, Cli, Ended, left_in
from tests.bed.loops import MIB, LoopImage, device_of, run, unmount

pytestmark = pytest.mark.root
EXT4_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32), fs/ext4/ext4.h
NO_LOG_FLUSH = b"\2\0\0\0"
LEAST_RUNS = {"layout": 0, "rest": 5, "run": 5}


def struck(cli: Cli, volume: str, phase: str, strike: Callable[[], object]) -> Ended:
    """A measurement that meets `strike` in its layout, or between or in its runs when some have ended."""
    with cli.started("measure", volume, *LONG, telling=True) as program:
        if phase == "layout":
            program.wait_for_phase("layout")
        else:
            program.wait_for_phase("rest", 6)
        if phase == "run":
            program.wait_for_next("run")
        strike()
        ended = program.end()
    assert cli.stored_runs() >= LEAST_RUNS[phase]
    assert ("MB/s" in ended.out) == (phase != "layout")
    return ended


def test_a_device_that_gives_errors(cli: Cli, tmp_path: Path) -> None:
    with failing_volume(tmp_path) as (volume, trigger):
        ended = struck(cli, volume, "run", trigger.touch)
        ended.failed(20, "the device or the server reported an I/O error (EIO)", volume, "check cable and drive")


def shut_down(volume: str) -> None:
    """Take the drive away: every request fails from now on."""
    folder = os.open(volume, os.O_RDONLY)
    fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH)
    os.close(folder)


@pytest.mark.parametrize("phase", LEAST_RUNS)
def test_a_drive_that_vanishes(cli: Cli, loop_image: LoopImage, phase: str) -> None:
    volume = loop_image(64 * MIB)
    ended = struck(cli, volume, phase, lambda: shut_down(volume))
    ended.failed(20, "(EIO)", volume, "check cable and drive")
    (last,) = [line for line in ended.err.splitlines() if "could not be removed" in line]
    assert f"run “graycard clean {volume}”" in last
    device = device_of(volume)
    run("umount", volume)
    run("mount", device, volume)
    assert cli.run("clean", volume).code == 0
    assert left_in(volume) == []


@pytest.mark.parametrize("phase", LEAST_RUNS)
def test_a_server_that_is_killed(cli: Cli, tmp_path: Path, phase: str) -> None:
    with served_volume(tmp_path) as volume:
        ended = struck(cli, volume.point, phase, volume.server.kill)
        says = ended.failed(20, volume.point)
        assert "mount it again" in says or "mount the share or drive again" in says
        assert f"run “graycard clean {volume.point}”" in ended.err
        cli.measure(volume.point).failed(11, volume.point, "is on a mount whose server is gone; mount it again")
        unmount(volume.point)
        with served(volume.device, volume.point):
            assert cli.run("clean", volume.point).code == 0
            assert left_in(volume.point) == []
