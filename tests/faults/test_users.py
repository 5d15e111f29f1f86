"""An ordinary user: measures where he may write, and is told where he may not."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bed.faults_program import LONG, Cli, left_in
from tests.bed.loops import MIB, loop_file_system

pytestmark = pytest.mark.root
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user can reach, unlike the tests' usual one."""
    folder = Path(tempfile.mkdtemp(prefix="graycard-faults-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def volume(reachable: Path) -> Iterator[Path]:
    with loop_file_system(str(reachable / "loop"), 64 * MIB) as point:
        yield Path(point)


@pytest.fixture
def nobody(reachable: Path) -> Cli:
    """The program as the user nobody, with a home of his own."""
    cli = Cli(reachable / "home", AS_NOBODY)
    for folder in (cli.folder, cli.folder / "tmp"):
        os.chown(folder, NOBODY, NOBODY)
    return cli


def test_an_ordinary_user_measures_his_own_folder(nobody: Cli, volume: Path) -> None:
    own = volume / "own"
    own.mkdir()
    os.chown(own, NOBODY, NOBODY)
    ended = nobody.measure(str(own))
    ended.measured()
    assert nobody.stored_runs() == 2
    assert list(own.iterdir()) == []
    assert nobody.store.stat().st_uid == NOBODY


def test_a_folder_of_others_is_refused(nobody: Cli, volume: Path) -> None:
    nobody.measure(str(volume)).failed(11, str(volume), "may not write", "folder of your")
    assert left_in(str(volume)) == []


def test_a_folder_that_may_not_be_entered_is_refused(nobody: Cli, volume: Path) -> None:
    volume.chmod(0o700)
    for command in ("measure", "info", "clean"):
        nobody.run(command, str(volume / "inside")).failed(11, str(volume / "inside"), "may not be")


def test_a_file_of_others_is_refused(nobody: Cli, volume: Path) -> None:
    clip = volume / "clip.mov"
    clip.write_bytes(os.urandom(MIB))
    clip.chmod(0o600)
    nobody.run("measure", "--read-only", str(clip)).failed(11, str(clip), "may not be opened")


def test_a_run_of_another_user_is_kept_and_told(nobody: Cli, cli: Cli, volume: Path) -> None:
    """What root's killed run left in a folder for all is not the user's to remove."""
    volume.chmod(0o777)
    with cli.started("measure", str(volume), *LONG, telling=True) as program:
        program.wait_for_phase("run")
        program.process.kill()
        program.end()
    left = left_in(str(volume))
    assert left
    told = nobody.run("clean", str(volume))
    assert left_in(str(volume)) == left
    assert "cannot be read or removed" in told.err or "belongs to another user" in told.err
    nobody.measure(str(volume)).measured()
    assert left_in(str(volume)) == left
    assert cli.run("clean", str(volume)).code == 0
    assert left_in(str(volume)) == []


def test_a_home_that_cannot_be_written_is_told_before_anything_is_written(nobody: Cli, volume: Path) -> None:
    volume.chmod(0o777)
    refused = nobody.measure(str(volume), GRAYCARD_STORE="", HOME="/nonexistent")
    refused.failed(40, "/nonexistent", "--store or GRAYCARD_STORE")
    assert left_in(str(volume)) == []
