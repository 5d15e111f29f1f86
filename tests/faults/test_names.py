"""Whatever a user has under a name that graycard gives: it is never touched."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from tests.bed.faults_program import Cli

TAKEN = ".graycard-0123456789abcdef"
EMPTY = ".graycard-00000000000000aa"


def tree(folder: Path) -> dict[str, tuple[int, int, bytes | str | None]]:
    """Every name below a folder: inode, time of the last change, and content or aim."""
    found: dict[str, tuple[int, int, bytes | str | None]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content: bytes | str | None = None
        if path.is_symlink():
            content = os.readlink(path)
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns, content)
    return found


def user_files(target: Path) -> None:
    """The user's own under all names that graycard gives, or that look like them."""
    elsewhere = target.parent / "elsewhere"
    for folder in (target, target / ".graycard-fedcba9876543210", target / ".graycard-mine", elsewhere):
        folder.mkdir()
        for name in ("read.graycard", "write.graycard", "zeros-0011223344556677.graycard", "owner.json", "clip.mov"):
            (folder / name).write_text(f"precious {name}")
    (target / TAKEN).write_bytes(b"a file, not a folder")
    (target / ".graycard-00000000000000bb").symlink_to(elsewhere)
    (target / ".graycard-00000000000000cc").symlink_to(target / "clip.mov")


def test_a_users_files_stay_as_they_are(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "target"
    user_files(target)
    before = tree(tmp_path / "target"), tree(tmp_path / "elsewhere")
    cli.measure(str(target)).measured()
    cleaned = cli.run("clean", str(target))
    assert cleaned.code == 0
    assert "Removed" not in cleaned.err
    (target / EMPTY).mkdir()  # there is nothing in it that could be lost
    assert "Removed 1 test folder of earlier runs, 0 B" in cli.run("clean", str(target)).err
    assert (tree(tmp_path / "target"), tree(tmp_path / "elsewhere")) == before


def test_a_file_that_was_there_first_is_not_written(cli: Cli, tmp_path: Path) -> None:
    """Somebody makes a file of the test file's name in the run's own folder, before graycard does."""
    target = tmp_path / "target"
    target.mkdir()
    made: list[Path] = []

    def intrude() -> None:
        end = time.monotonic() + 20
        while not made and time.monotonic() < end:
            for folder in target.glob(".graycard-*"):
                made.append(folder / "read.graycard")
                made[0].write_bytes(b"precious")

    intruder = threading.Thread(target=intrude)
    intruder.start()
    ended = cli.measure(str(target))
    intruder.join()
    ended.failed(20, "another program made", str(made[0]), "was not touched")
    assert made[0].read_bytes() == b"precious"
    assert "holds files that graycard did not make" in ended.err
    assert cli.stored() == ()
