"""A FUSE file system over a folder that answers nothing any more from a set call on, until it is told to go on.

Run as a program: `stalling_fuse.py FOLDER MOUNT_POINT CALL WORD HOLD`. It stalls at the first CALL (create, open,
utimens) on a path that holds WORD, for as long as the file HOLD exists; its name with “.met” is there from then on.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mfusepy

from tests.bed.faults_fuse import process, wait_until
from tests.bed.loops import unmount
from tests.bed.passthrough import Passthrough


class Stalling(Passthrough):
    """One thread: where one call stalls, all do."""

    def __init__(self, folder: str, call: str, word: str, hold: Path) -> None:
        super().__init__(folder)
        self._call, self._word, self._hold = call, word, hold

    def _stall(self, call: str, path: str) -> None:
        if call == self._call and self._word in path:
            Path(f"{self._hold}.met").touch()
            while self._hold.exists():
                time.sleep(0.02)

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        self._stall("create", path)
        return super().create(path, mode, fi)

    def open(self, path: str, flags: int) -> int:
        self._stall("open", path)
        return super().open(path, flags)

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        self._stall("utimens", path)
        return 0


@contextlib.contextmanager
def stalling(folder: Path, call: str, word: str) -> Iterator[tuple[Path, Path]]:
    """The mount point, and the file that is to be removed so that it goes on."""
    below, point, hold = folder / "below", folder / "stalling", folder / "hold"
    for each in (below, point):
        each.mkdir()
    hold.touch()
    program = (sys.executable, "-m", "tests.bed.stalling_fuse", str(below), str(point), call, word, str(hold))
    with process(*program) as server:
        try:
            wait_until(lambda: point.is_mount() or server.poll() is not None, "the mount")
            yield point, hold
        finally:
            hold.unlink(missing_ok=True)
            unmount(str(point))
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(5)


def main(folder: str, point: str, call: str, word: str, hold: str) -> None:
    served = Stalling(folder, call, word, Path(hold))
    mfusepy.FUSE(served, point, foreground=True, nothreads=True, fsname="stalling")


if __name__ == "__main__":
    main(*sys.argv[1:])
