"""Real devices: the fall of a throttled one, the data read back, and all that may go wrong in the middle."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graycard.cli.app import SystemClock
from graycard.engines.native import NativeEngine
from graycard.errors import RunProblem
from graycard.host import this_host
from graycard.measurement import Event, OnEvent
from graycard.model import IoTask, Operation, Pattern, Result, Target, TargetKind, Verdict
from graycard.protocols import EnoughError, Progress
from graycard.sustain import Sustained, Wish, make_order, sustain
from graycard.sustain.proof import NAME
from tests.bed.faults_fuse import wait_until
from tests.bed.faults_program import Cli, Ended, left_in
from tests.bed.loops import MIB, LoopImage, run
from tests.bed.rates import nbd_rated
from tests.sustain.falling import Falling, falling_device

MB = 1_000_000
EXT4_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32), fs/ext4/ext4.h
NO_LOG_FLUSH = b"\2\0\0\0"
MountAt = Callable[..., str]


class Kept:
    """What a test in this process stored and told."""

    def __init__(self) -> None:
        self.stored: list[Result] = []
        self.told: list[Sustained] = []

    def save(self, result: Result) -> None:
        """Keep it."""
        self.stored.append(result)

    def carry_out(self, folder: str, wish: Wish, strike: OnEvent) -> Sustained:
        """The whole test with the real engine on the real machine."""
        host = this_host()
        target = host.resolve(folder)
        return sustain(
            make_order(target, wish, host.facts(target)),
            engine=NativeEngine(host),
            host=host,
            keeper=self,
            clock=SystemClock(),
            on_event=strike,
            so_far=self.told.append,
        )


def at_the(count: int, words: str, act: Callable[[], object]) -> Callable[[Event], None]:
    """A listener that acts when it hears the words for the `count`-th time."""
    heard = 0

    def listen(event: Event) -> None:
        nonlocal heard
        heard += words in event.says
        if heard == count and words in event.says:
            act()

    return listen


def ignore(_: Event) -> None:
    """Nobody listens."""


def test_a_listener_that_has_enough_ends_a_run_and_keeps_it(tmp_path: Path) -> None:
    path, size = tmp_path / "data", 1 << 40
    path.touch()

    def has_enough(_: Progress) -> None:
        raise EnoughError

    task = IoTask(Operation.WRITE, Pattern.SEQUENTIAL, 64 << 10, size, byte_limit=size)
    found = NativeEngine(this_host()).run(task, Target(str(path), TargetKind.FILE), has_enough)
    assert 0 < found.moved_bytes < size
    assert found.moved_bytes == sum(tick.moved_bytes for tick in found.ticks) == path.stat().st_size
    assert found.latency is not None
    assert found.latency.ops_count == found.ops_count


def test_what_was_written_is_there(tmp_path: Path) -> None:
    found = Kept().carry_out(str(tmp_path), Wish(seed=5, size_bytes=64 * MIB), ignore)
    proof = found.figures.proof
    assert proof is not None
    assert (proof.compared_count, proof.wrong_count) == (32, 0)
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_is_not_what_was_written_is_found(tmp_path: Path) -> None:
    """A drive that holds less than it says begins again at its beginning: block 20 lies where block 3 was."""

    def wrap_around() -> None:
        (file,) = tmp_path.glob(".graycard-*/*sustain0*")
        with open(file, "r+b") as data:
            data.seek(20 * 2 * MIB)
            block = data.read(2 * MIB)
            data.seek(3 * 2 * MIB)
            data.write(bytes([block[0] ^ 1]) + block[1:])

    kept = Kept()
    found = kept.carry_out(str(tmp_path), Wish(seed=5, size_bytes=64 * MIB), at_the(1, "comparing", wrap_around))
    proof = found.figures.proof
    assert proof is not None
    assert (proof.wrong_count, proof.first_wrong_bytes) == (1, 6 * MIB)
    (check,) = [each for each in kept.stored[1].summary.checks if each.name == NAME] if kept.stored[1].summary else []
    assert (check.verdict, check.expected, check.measured) == (Verdict.FAIL, 32, 31)


def test_files_as_small_as_the_system_wants_them(tmp_path: Path) -> None:
    """ulimit -f counts in KiB in bash: files of 16 MiB at most, as FAT32 takes 4 GiB."""
    target = tmp_path / "target"
    target.mkdir()
    limited = Cli(tmp_path / "limited", ("bash", "-c", 'ulimit -f 16384; exec "$@"', "limited"))
    ended = limited.run("sustain", str(target), "--bytes", "48MiB")
    assert ended.code in {0, 21}, ended.err
    assert "into 3 new files of 16.8 MB at most" in " ".join(ended.err.split())
    assert "24 of 24 blocks" in ended.out
    assert left_in(str(target)) == []


FAST, SLOW, FALLS_BYTES = 40 * MB, 10 * MB, 180 * MB


def fallen(cli: Cli, folder: Path) -> tuple[Falling, Ended]:
    """A test on a device that falls; once more where the machine itself held the device up, by the device's count."""
    for attempt in range(3):
        place = folder / str(attempt)
        place.mkdir()
        with falling_device(place, FAST, SLOW, FALLS_BYTES, "600M") as falling:
            options = ("--hold", "7s", "--block", "256KiB", "--rest", "0s", "--json", "--quiet")
            ended = cli.run("sustain", falling.device.folder, *options)
            assert left_in(falling.device.folder) == []
        if falling.fast_bytes_per_s is not None and falling.fast_bytes_per_s > 0.9 * FAST:
            break
    return falling, ended


@pytest.mark.root
def test_the_fall_of_a_real_device_is_found_at_its_bytes(cli: Cli, tmp_path: Path) -> None:
    """40 MB/s for 180 MB, then 10; the device itself counts what has reached it when its rate changes."""
    falling, ended = fallen(cli, tmp_path)
    assert ended.code in {0, 21}, ended.err
    found = json.loads(ended.out)["sustained"]
    (changed,) = falling.changed_bytes
    print(f"changed at {changed / MB:.1f} MB, found at {found['cache']['value'] / MB:.1f} MB")
    # At 4.5 s a slot of 0.1 s is 2 %, and the place is known to a slot on each side; tools.accuracy takes longer.
    assert found["cache"]["value"] == pytest.approx(changed, rel=0.045)
    assert found["verdict"] == "falls"
    assert any("below the image file may limit" in says for says in found["because"])
    assert found["ended"] == "ended as the rate after its fall was steady"
    assert found["proof"]["wrong_count"] == 0
    assert found["recovery"]["verdict"] == "yes"


@pytest.mark.root
def test_a_full_thin_volume_keeps_what_was_written(loop_image: LoopImage, mount_at: MountAt) -> None:
    """An ext4 that believes it has room, on a sparse image in a file system that has none."""
    below = loop_image(64 * MIB)
    with open(f"{below}/thin", "xb") as file:
        file.truncate(256 * MIB)
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", f"{below}/thin")
    volume = mount_at(f"{below}/thin", "thin", options="loop")
    kept = Kept()
    with pytest.raises(RunProblem, match=r"\((ENOSPC|EIO)\) while writing"):
        kept.carry_out(volume, Wish(seed=5, size_bytes=128 * MIB), ignore)
    assert left_in(volume) == []


@pytest.mark.root
def test_a_slow_drive_that_is_stopped_and_then_vanishes(cli: Cli, tmp_path: Path) -> None:
    """Ctrl-C, then a drive that goes away (ext4 shut down): what was written until then is kept."""
    with nbd_rated(tmp_path, 20 * MB, "300M") as drive:
        stopped_at_once(cli, drive.folder)

        def vanish() -> None:
            folder = os.open(drive.folder, os.O_RDONLY)
            fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH)
            os.close(folder)

        kept = Kept()
        with pytest.raises(RunProblem, match=r"\(EIO\)") as raised:
            kept.carry_out(drive.folder, Wish(seed=5, size_bytes=128 * MIB), at_the(4, "writing,", vanish))
        assert "graycard clean" in "".join(raised.value.__notes__)
        (result,) = kept.stored
        assert result.trouble is not None
        samples = result.runs[0].samples
        assert 0 < samples.moved_bytes == sum(tick.moved_bytes for tick in samples.ticks)
        assert kept.told[-1].figures.sustained.value > 0


def stopped_at_once(cli: Cli, volume: str) -> None:
    """Ctrl-C while it writes: figures, exit code, and nothing left."""
    began_s = time.monotonic()
    with cli.started("sustain", volume) as program:
        wait_until(
            lambda: any(f.stat().st_size > 4 * MIB for f in Path(volume).glob(".graycard-*/*sustain*")), "writing"
        )
        start_s = time.monotonic() - began_s
        program.send(signal.SIGINT)
        ended = program.end()
    ended.failed(130, "stopped after", "the figures so far are kept, see them with: graycard results show")
    print(f"ended {ended.took_s:.2f} s after Ctrl-C, {start_s:.2f} s after its start")
    assert "Sustained writing of" in ended.out
    assert cli.stored_runs() == 1
    assert left_in(volume) == []
    # One second, and what a busy machine adds: its start tells that, mostly computing.
    assert ended.took_s < 1 + start_s
