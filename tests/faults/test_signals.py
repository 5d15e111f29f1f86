"""Ctrl-C and SIGTERM at any phase: the program stops at once, keeps what was finished, and leaves nothing."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.bed.faults_fuse import wait_until
from tests.bed.faults_program import LONG, Cli, left_in
from tests.bed.rates import device_bytes, nbd_rated

MIB = 1 << 20
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
    ended.stopped_at_once()


@pytest.mark.root
@pytest.mark.parametrize("cache", ["bypass", "cold"])
def test_a_slow_drive_is_stopped_with_requests_in_flight(cli: Cli, tmp_path: Path, cache: str) -> None:
    """8 MiB in flight at 16 MB/s, or dirty pages: neither is waited for, as the files are removed anyway."""
    options = ("--write", "--sequential", "--depth", "8", "--size", "16MiB", "--time", "3s", "--runs", "2")
    with nbd_rated(tmp_path, 16_000_000, "128M") as drive:
        with cli.started("measure", drive.folder, *options, "--cache", cache, telling=True) as program:
            program.wait_for_phase("run", 3)
            program.send(signal.SIGINT)
            ended = program.end()
        print(f"Ctrl-C on a slow drive, {cache}: ended after {ended.took_s:.2f} s")
        ended.failed(130, "stopped")
        assert left_in(drive.folder) == []
        ended.stopped_at_once()
        # The kernel closes a ring's files a little later than the process ends.
        wait_until(lambda: subprocess.run(["umount", drive.folder], check=False).returncode == 0, "the unmount")


@pytest.mark.root
def test_what_a_run_leaves_dirty_is_written_back_in_pieces(cli: Cli, tmp_path: Path) -> None:
    """16 MiB take 2 s at 8 MB/s: of these, the device's own count tells, a stop waits for the smaller part."""
    options = ("--write", "--sequential", "--depth", "8", "--size", "16MiB", "--time", "3s", "--runs", "2")
    with nbd_rated(tmp_path, 8_000_000, "128M") as drive:
        dirty = ("--cache", "cold", "--durability", "none")
        with cli.started("measure", drive.folder, *options, *dirty, telling=True) as program:
            program.wait_for_phase("run")
            before = device_bytes(drive.loop, write=True)
            program.send(signal.SIGINT)
            ended = program.end()
        written = device_bytes(drive.loop, write=True) - before
        print(f"Ctrl-C while pages are written back: ended after {ended.took_s:.2f} s and {written / MIB:.1f} MiB")
        ended.failed(130, "stopped before the first run had ended")
        assert written < 10 * MIB
        assert left_in(drive.folder) == []
        ended.stopped_at_once()
