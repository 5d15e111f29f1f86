"""Experiments on real images: killed, stopped, refused or half failing, they lose nothing and leave nothing mounted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graycard.store import Store
from tests.bed.faults_program import Cli, Ended, left_in

pytestmark = pytest.mark.root
NOBODY = 65534
HEAD = """
name = "two file systems"
folder = "."
pairs = 2
rest = "10ms"
seed = 3
[measure]
tasks = ["SEQ1M QD2", "RND4K QD1 read"]
size = "8MiB"
time = "120ms"
"""
EXT4 = """
[[configuration]]
name = "ext4"
file_system = "ext4"
size = "40MiB"
"""
BTRFS = """
[[configuration]]
name = "btrfs"
file_system = "btrfs"
size = "128MiB"
mount_options = ["nodatasum"]
"""
SMALL = EXT4.replace('"ext4"', '"small blocks"', 1) + 'allocation_unit = "1KiB"\nmount_options = ["noatime"]\n'
FOLDER = """
[[configuration]]
name = "as it is"
"""
ALL = 2 * 3  # runs of a configuration: two pairs of three tasks


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Path]:
    """A folder with something precious in it; at the end nothing below it may be mounted or attached."""
    folder = tmp_path / "drive"
    folder.mkdir()
    (folder / "clip.mov").write_bytes(b"precious")
    yield folder
    try:
        assert attached(folder) == []
    finally:
        tidy(folder)


def tidy(folder: Path) -> None:
    """What a failed test has left."""
    for point in mounts(folder):
        subprocess.run(["umount", "-l", point], check=False)
    for line in attached(folder):
        if line.startswith("/dev/loop"):
            subprocess.run(["losetup", "-d", line.split(":")[0]], check=False)


def mounts(folder: Path) -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line.split()[4] for line in lines if line.split()[4].startswith(str(folder))]


def attached(folder: Path) -> list[str]:
    loops = subprocess.run(["losetup", "-a"], capture_output=True, text=True, check=True).stdout.splitlines()
    return mounts(folder) + [line for line in loops if str(folder) in line]


def plan_in(folder: Path, *configurations: str, head: str = HEAD) -> str:
    (folder / "plan.toml").write_text(head + "".join(configurations))
    return str(folder / "plan.toml")


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def stored(cli: Cli) -> dict[tuple[str, str, int], str]:
    """Every stored run by configuration, task and block: when it began. No block may be there twice."""
    found: dict[tuple[str, str, int], str] = {}
    if not cli.store.exists():
        return found
    with Store(str(cli.store)) as store:
        for row in store.rows():
            result = store.load(row.id)
            assert result.trial is not None
            for run in result.runs:
                key = (result.trial.configuration, result.task.label, run.repeat_index)
                assert key not in found, "measured twice"
                assert sum(tick.moved_bytes for tick in run.samples.ticks) == run.samples.moved_bytes > 0
                found[key] = run.started_at.isoformat()
    return found


def went_well(ended: Ended) -> None:
    """Short runs on a busy machine may fail a check (21); nothing else may fail."""
    assert ended.code in (0, 21), (ended.code, ended.err, ended.out)
    assert "Traceback" not in ended.err


def ended_in(cli: Cli, path: str, phase: str, number: signal.Signals) -> Ended:
    """One sitting that is ended when a phase begins; while measuring not before four runs were stored."""
    with cli.started("experiment", "run", path, telling=True) as program:
        if phase == "run":
            program.wait_for_phase("rest", 5)
        program.wait_for_next(phase)
        program.send(number)
        return program.end()


def goes_on(cli: Cli, drive: Path, path: str, before: dict[tuple[str, str, int], str]) -> None:
    """The same command ends the experiment: what was measured stays, what is missing is added, nothing is left."""
    resumed = cli.run("experiment", path, "--json")
    went_well(resumed)
    after = stored(cli)
    assert len(after) == 2 * ALL
    assert {key: after[key] for key in before} == before
    assert attached(drive) == []
    assert names_in(drive) == ["clip.mov", "plan.toml"]
    tells_what_was_compared(json.loads(resumed.out), {"ext4": "ext4", "btrfs": "btrfs", "small blocks": "ext4"})


def test_killed_again_and_again_it_goes_on_where_it_was(cli: Cli, drive: Path) -> None:
    path, before = plan_in(drive, EXT4, BTRFS), stored(cli)
    for phase in ("format", "layout", "run"):
        assert ended_in(cli, path, phase, signal.SIGKILL).code == -signal.SIGKILL
        assert phase == "format" or attached(drive), "nothing was left, so nothing is shown"
        now = stored(cli)
        assert {key: now[key] for key in before} == before
        before = now
    assert 4 <= len(before) < 2 * ALL, "a run that had ended was lost"
    goes_on(cli, drive, path, before)


def test_after_ctrl_c_nothing_is_mounted_and_it_goes_on_where_it_was(cli: Cli, drive: Path) -> None:
    path = plan_in(drive, EXT4, SMALL)
    ended = ended_in(cli, path, "run", signal.SIGINT)
    ended.failed(130, "stopped", "go on with: graycard experiment resume")
    assert attached(drive) == []
    before = stored(cli)
    assert 4 <= len(before) < 2 * ALL, "a run that had ended was lost"
    goes_on(cli, drive, path, before)


def tells_what_was_compared(document: dict[str, Any], kinds: dict[str, str]) -> None:
    assert len(document["results"]) == 6
    for result in document["results"]:
        facts = {fact["name"]: fact["value"] for fact in result["facts"]}
        assert facts["file_system"] == kinds[result["trial"]["configuration"]]
    assert len(document["comparisons"]) == 3
    for comparison in document["comparisons"]:
        assert comparison["base"] == "ext4"
        assert (comparison["paired"], comparison["randomised"]) == (True, True)


@pytest.mark.parametrize("by", ["clean", "remove"])
def test_what_kill_9_left_mounted_can_be_removed_for_good(cli: Cli, drive: Path, by: str) -> None:
    path = plan_in(drive, EXT4, FOLDER)
    with cli.started("experiment", "run", path, telling=True) as program:
        program.wait_for_phase("calibrate", 2)
        program.send(signal.SIGKILL)
        program.end()
    assert left_in(str(drive))
    arguments = ("clean", str(drive)) if by == "clean" else ("experiment", "remove", "two file systems", "--yes")
    removed = cli.run(*arguments)
    assert removed.code == 0, removed.err
    if by == "remove":
        assert stored(cli) == {}
        removed = cli.run("clean", str(drive))  # the folder of a killed run of “as it is”
    assert (attached(drive), names_in(drive)) == ([], ["clip.mov", "plan.toml"])


def test_a_failing_mkfs_and_a_full_volume_are_told_and_the_rest_goes_on(cli: Cli, drive: Path) -> None:
    wrong = EXT4.replace('"ext4"\nfile', '"wrong"\nfile') + 'format_options = ["-O", "no_such_feature"]\n'
    full = EXT4.replace('"ext4"\nfile', '"full"\nfile').replace("40MiB", "20MiB")
    ended = cli.run("experiment", "run", plan_in(drive, wrong, EXT4, full, FOLDER))
    ended.failed(20, "2 of 4 configurations could not be measured")
    said = " ".join(ended.err.split())
    assert "wrong: " in said
    assert "no_such_feature" in said
    assert "full: Not enough space" in said or "“full” cannot be measured: a volume of 21.0 MB is too small" in said
    assert {name for name, _, _ in stored(cli)} == {"ext4", "as it is"}
    assert len(stored(cli)) == 2 * ALL
    assert names_in(drive) == ["clip.mov", "plan.toml"]


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder of the user nobody that this one can reach, with one in it to be measured."""
    folder = Path(tempfile.mkdtemp(prefix="graycard-faults-"))
    (folder / "drive").mkdir()
    for each in (folder, folder / "drive"):
        os.chown(each, NOBODY, NOBODY)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def test_without_root_images_are_refused_in_words_and_folders_are_measured(reachable: Path) -> None:
    as_nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    cli = Cli(reachable / "home", as_nobody)
    for folder in (cli.folder, cli.folder / "tmp"):
        os.chown(folder, NOBODY, NOBODY)
    ended = cli.run("experiment", "run", plan_in(reachable / "drive", EXT4, FOLDER))
    ended.failed(20, "1 of 2 configurations could not be measured")
    assert "“ext4” cannot be measured" in " ".join(ended.err.split())
    assert "root" in ended.err
    assert {name for name, _, _ in stored(cli)} == {"as it is"}
    assert names_in(reachable / "drive") == ["plan.toml"]


def test_a_missing_driver_is_told_and_the_rest_goes_on(drive: Path, tmp_path: Path) -> None:
    """On a machine that has no mkfs.btrfs: what hides it is seen by this process alone."""
    program = shutil.which("mkfs.btrfs")
    assert program is not None
    hide = f'mount --bind /dev/null {os.path.realpath(program)} && exec "$@"'
    cli = Cli(tmp_path / "home", ("unshare", "--mount", "sh", "-c", hide, "sh"))
    ended = cli.run("experiment", "run", plan_in(drive, EXT4, BTRFS))
    ended.failed(20, "1 of 2 configurations could not be measured")
    assert "“btrfs” cannot be measured" in " ".join(ended.err.split())
    assert "mkfs.btrfs" in ended.err
    assert {name for name, _, _ in stored(cli)} == {"ext4"}
    assert names_in(drive) == ["clip.mov", "plan.toml"]
