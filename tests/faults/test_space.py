"""Too little room, in all its kinds: told before anything is written, or with the right reason in the middle."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graycard.errors import PlanProblem
from graycard.facts import number
from graycard.host.linux.fullness import FullnessProbe
from graycard.host.linux.roots import Roots
from graycard.model import Target, TargetKind
from graycard.plan import TaskOptions, check_space, make_plan
from tests.bed.faults_program import LONG, QUICK, Cli, Ended, Program, left_in
from tests.bed.loops import MIB, LoopImage, run

MountAt = Callable[..., str]
pytestmark = pytest.mark.root


def fill(volume: str, but_bytes: int = 0) -> None:
    """Take all the space of a volume but `but_bytes`, or what is left of it since the last call."""
    step = 16 * MIB
    with open(f"{volume}/film.mov", "ab", buffering=0) as file:
        while step >= 4096:
            told = os.statvfs(volume)
            left = told.f_bfree * told.f_frsize - but_bytes
            step = min(step, left // 4096 * 4096)
            if not grown(file.fileno(), max(step, 1)):
                step //= 2


def grown(descriptor: int, size: int) -> bool:
    """Whether the file could be made longer by so much."""
    try:
        os.posix_fallocate(descriptor, os.fstat(descriptor).st_size, size)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True


def keep_full(volume: str, program: Program) -> Ended:
    """Take every free byte until the program ends."""
    while program.process.poll() is None:
        fill(volume)
        time.sleep(0.01)
    return program.end()


def test_a_volume_too_full_for_the_plan_is_refused_before_writing(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(64 * MIB)
    before = os.statvfs(volume).f_bfree
    ended = cli.run("measure", volume, "--preset", "quick")
    says = ended.failed(10, f"Not enough space in {volume}", "needed 537 MB", "free ", "kept in reserve", "use --size ")
    size = says.partition("use --size ")[2].split()[0]
    assert (os.statvfs(volume).f_bfree, cli.stored(), left_in(volume)) == (before, (), [])
    cli.measure(volume, "--size", size).measured()


def test_a_full_volume_is_refused(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(64 * MIB)
    fill(volume)
    cli.measure(volume).failed(10, "Not enough space", "needed 8.39 MB", "use another volume")
    assert left_in(volume) == []


def test_a_disk_that_fills_during_the_layout(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(256 * MIB)
    with cli.started("measure", volume, *LONG, "--size", "64MiB", telling=True) as program:
        program.wait_for_phase("layout")
        fill(volume)
        ended = program.end()
    ended.failed(20, "while writing the test file", "the volume is full (ENOSPC)", "free some space")
    assert (cli.stored(), left_in(volume), ended.out) == ((), [], "")


def test_a_disk_that_fills_in_the_middle_keeps_the_finished_runs(cli: Cli, loop_image: LoopImage) -> None:
    """On btrfs each rewrite needs new space: it is used up while the runs go on."""
    volume = loop_image(256 * MIB, "mkfs.btrfs")
    with cli.started("measure", volume, *LONG, telling=True) as program:
        program.wait_for_phase("run", 3)
        ended = keep_full(volume, program)
    ended.failed(20, "the volume is full (ENOSPC)", "free some space")
    assert cli.stored_runs() >= 1
    assert "MB/s" in ended.out
    assert left_in(volume) == []


def quota_volume(loop_image: LoopImage, limit: str) -> str:
    volume = loop_image(256 * MIB, "mkfs.btrfs")
    run("btrfs", "quota", "enable", volume)
    run("btrfs", "subvolume", "create", f"{volume}/mine")
    run("btrfs", "qgroup", "limit", limit, f"{volume}/mine")
    run("sync", "--file-system", volume)
    return f"{volume}/mine"


def test_a_quota_is_told_before_writing(cli: Cli, loop_image: LoopImage) -> None:
    folder = quota_volume(loop_image, "6M")
    cli.measure(folder).failed(10, f"The quota on {folder} leaves 6.", "needs", "use --size ", "larger quota")
    assert left_in(folder) == []


def test_a_quota_that_is_reached_in_the_middle_is_told_as_quota(cli: Cli, loop_image: LoopImage) -> None:
    folder = quota_volume(loop_image, "100M")
    with cli.started("measure", folder, *LONG, telling=True) as program:
        program.wait_for_phase("run", 3)
        run("btrfs", "qgroup", "limit", "18M", folder)
        ended = program.end()
    ended.failed(20, "the quota is used up (EDQUOT)", "raise the quota")
    assert cli.stored_runs() >= 1
    assert left_in(folder) == []


def test_fat_holds_no_file_of_4_gib(tmp_path: Path) -> None:
    """By the table of file systems: a mount table that says the folder lies on FAT32."""
    (tmp_path / "proc" / "self").mkdir(parents=True)
    line = f"36 35 98:0 / {tmp_path} rw,noatime - vfat /dev/sdz1 rw\n"
    (tmp_path / "proc" / "self" / "mountinfo").write_text(line)
    target = Target(str(tmp_path), TargetKind.FOLDER)
    facts = FullnessProbe(Roots(proc=str(tmp_path / "proc"))).read(target)
    assert number(facts, "file_size_limit_bytes") == 4 * 1024 * MIB - 1
    plan = make_plan(target, "standard", TaskOptions(seed=1, size_bytes=5 * 1024 * MIB), facts)
    with pytest.raises(
        PlanProblem, match=r"5\.37 GB is larger than any file may be here .* use --size 4095MiB or less"
    ):
        check_space(plan, facts)


@pytest.mark.parametrize(("cache", "verb"), [("warm", "flushing"), ("bypass", "writing")])
def test_a_full_thin_volume(cli: Cli, loop_image: LoopImage, mount_at: MountAt, cache: str, verb: str) -> None:
    """An ext4 that believes it has room, on a sparse image in a file system that has none."""
    below = loop_image(64 * MIB)
    image = f"{below}/thin"
    with open(image, "xb") as file:
        file.truncate(256 * MIB)
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", image)
    volume = mount_at(image, "thin", options="loop")
    run("sync")
    with cli.started("measure", *QUICK, volume, "--cache", cache, telling=True) as program:
        program.wait_for_phase("layout")
        fill(below, but_bytes=MIB)
        ended = program.end()
    ended.failed(20, "while writing the test file", "(ENOSPC) while", verb)
    assert "are free: what it lies on" in ended.err
    assert (cli.stored(), ended.out) == ((), "")


def test_the_limit_of_a_process_is_respected(cli: Cli, tmp_path: Path) -> None:
    """ulimit -f counts in KiB in bash; a size that the user did not ask for is capped, one that he did is refused."""
    target = tmp_path / "target"
    target.mkdir()
    limited = Cli(tmp_path / "limited", ("bash", "-c", 'ulimit -f 16384; exec "$@"', "limited"))
    plan = limited.run("measure", str(target), "--preset", "quick", "--plan")
    assert "33.6 MB for 2 test files" in " ".join(plan.out.split())
    refused = limited.run("measure", str(target), "--preset", "quick", "--size", "32MiB")
    refused.failed(10, "33.6 MB", "ulimit -f", "use --size 16MiB or less")
    limited.run("measure", str(target), "--preset", "quick", "--time", "50ms", "--runs", "1").measured()
    assert left_in(str(target)) == []
