"""Other programs and the system meddle while it measures: files taken away, volumes unmounted, too few means."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.faults_program import BRIEF, GRAYCARD, LONG, Cli, Ended, left_in
from tests.bed.loops import MIB, LoopImage, device_of, run

pytestmark = pytest.mark.root
FOUR_RUNS = 5  # the round of four tasks and the first of the next have begun


@pytest.fixture
def volume(loop_image: LoopImage) -> str:
    return loop_image(64 * MIB, mount_options="errors=remount-ro")


def scratch(volume: str) -> Path:
    (folder,) = Path(volume).glob(".graycard-*")
    return folder


def meddled(cli: Cli, volume: str, meddle: Callable[[], object]) -> Ended:
    """A measurement that is meddled with between two runs, when four have ended."""
    with cli.started("measure", volume, *LONG, telling=True) as program:
        program.wait_for_phase("rest", FOUR_RUNS)
        meddle()
        ended = program.end()
    assert cli.stored_runs() >= 4
    assert "MB/s" in ended.out
    return ended


def test_the_folder_is_removed(cli: Cli, volume: str) -> None:
    ended = meddled(cli, volume, lambda: shutil.rmtree(scratch(volume)))
    ended.failed(20, "the file is gone (ENOENT)", volume, "nothing removes it")
    assert left_in(volume) == []


def test_a_test_file_is_cut_short(cli: Cli, volume: str) -> None:
    ended = meddled(cli, volume, lambda: os.truncate(scratch(volume) / "read.graycard", 1000))
    ended.failed(20, "the file ended early while reading", volume, "nothing else changes the file")
    assert left_in(volume) == []


def test_a_file_that_is_only_read_is_cut_short(cli: Cli, volume: str) -> None:
    clip = Path(volume, "clip.mov")
    clip.write_bytes(os.urandom(16 * MIB))
    options = ("--sequential", "--block", "1MiB", "--time", "300ms", "--runs", "40")
    with cli.started("measure", "--read-only", str(clip), *options, telling=True) as program:
        program.wait_for_phase("rest", 2)
        program.wait_for_next("run")
        os.truncate(clip, 5 * MIB + 100)
        ended = program.end()
    ended.failed(20, f"the file ended early while reading {clip}")
    assert cli.stored_runs() >= 1


def test_the_volume_is_unmounted(cli: Cli, volume: str) -> None:
    """A lazy unmount, as desktops do it: the names are gone, the open folder still works and is cleaned by it."""
    device = device_of(volume)
    ended = meddled(cli, volume, lambda: run("umount", "--lazy", volume))
    ended.failed(20, "the file is gone (ENOENT)", volume, "the drive stays connected")
    run("mount", device, volume)
    assert left_in(volume) == []


def test_the_volume_becomes_read_only(cli: Cli, volume: str) -> None:
    """As ext4 does after an error of its own."""
    trigger = Path("/sys/fs/ext4", os.path.basename(device_of(volume)), "trigger_fs_error")
    ended = meddled(cli, volume, lambda: trigger.write_text("1"))
    ended.failed(20, "the file system is or became read-only (EROFS)", volume)
    assert "could not be removed (Read-only file system)" in ended.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_ends_fio_too(cli: Cli, volume: str, number: signal.Signals) -> None:
    with cli.started(
        "measure", volume, *LONG, "--time", "3s", "--runs", "2", "--engine", "fio", telling=True
    ) as program:
        program.wait_for_phase("run", 3)
        program.send(number)
        ended = program.end()
    ended.failed(130, "stopped")
    ended.stopped_at_once()
    assert left_in(volume) == []
    assert volume not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


def limited(cli: Cli, *limits: str) -> Cli:
    """The program under limits of the shell."""
    return Cli(cli.folder / "limited", ("bash", "-c", f'ulimit {" ".join(limits)}; exec "$@"', "limited"))


def test_too_few_descriptors(cli: Cli, volume: str) -> None:
    ended = limited(cli, "-n", "8").measure(volume)
    ended.failed(20, "too many files are open (EMFILE)", "raise ulimit -n")
    assert left_in(volume) == []
    assert "could not be removed" not in ended.err


def test_too_little_memory_for_the_threads(cli: Cli, volume: str) -> None:
    options = ("--random", "--depth", "512", "--threads", "16", "--size", "8MiB", "--cache", "warm", "--runs", "1")
    ended = limited(cli, "-v", "400000").run("measure", volume, *options)
    # Which of the two runs out first, and in which phase, depends on how the threads meet.
    ended.failed(20, " short", "close other programs, or choose a smaller ", "depth")
    assert left_in(volume) == []


def test_many_workers_on_a_small_file_in_memory(cli: Cli, volume: str) -> None:
    """More workers than the file has mebibytes: the warming reads by itself in large blocks."""
    options = ("--random", "--depth", "64", "--threads", "16", "--cache", "warm", "--time", "50ms", "--runs", "1")
    cli.run("measure", volume, *options, "--size", "8MiB").measured()


def test_a_store_on_a_full_disk_ends_it_with_what_was_kept(cli: Cli, volume: str, loop_image: LoopImage) -> None:
    small = loop_image(32 * MIB)
    store = f"{small}/results.db"
    with cli.started("measure", volume, *LONG, telling=True, GRAYCARD_STORE=store) as program:
        program.wait_for_phase("rest", FOUR_RUNS)
        subprocess.run(["dd", "if=/dev/zero", f"of={small}/film.mov", "bs=4k"], capture_output=True, check=False)
        ended = program.end()
    ended.failed(40, "No space is left for the store", store)
    assert "MB/s" in ended.out
    assert left_in(volume) == []
    os.unlink(f"{small}/film.mov")
    assert cli.run("results", "list", GRAYCARD_STORE=store).out.count(" MB/s") >= 4


def test_output_to_a_full_disk(cli: Cli, volume: str) -> None:
    command = [GRAYCARD, "measure", *BRIEF, volume]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=cli.environment(), check=False
        )
    assert done.returncode not in (0, 70)
    assert "Traceback" not in done.stderr
    assert "the output cannot be written" in done.stderr
    assert left_in(volume) == []
    assert cli.stored_runs() == 2
