"""Shares of the far computer, mounted on the near one by programs: rclone over SMB, sshfs."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bed.network import FAR_ADDRESS, Wire
from tests.bed.smb import SMB_SHARE

PATIENCE_S = 20


@contextlib.contextmanager
def by_rclone(bed: Wire, folder: Path, point: Path, *options: str) -> Iterator[Path]:
    """The share of `smbd` by `rclone mount`, without its cache: what is copied goes out as it comes."""
    config = folder / "rclone.conf"
    if not config.exists():
        obscured = subprocess.run(("rclone", "obscure", "graycard"), capture_output=True, text=True, check=True)
        config.write_text(f"[nas]\ntype = smb\nhost = {FAR_ADDRESS}\nuser = root\npass = {obscured.stdout.strip()}\n")
    command = ("rclone", "--config", str(config), "mount", f"nas:{SMB_SHARE}", str(point), *options)
    with _mounted(bed.on(bed.near, *command), point):
        yield point


@contextlib.contextmanager
def by_sshfs(bed: Wire, there: Path, point: Path) -> Iterator[Path]:
    """A folder of the far computer by sshfs."""
    with _mounted(bed.on(bed.near, "sshfs", "-f", "-F", bed.ssh[-1], f"nas:{there}", str(point)), point):
        yield point


@contextlib.contextmanager
def _mounted(command: tuple[str, ...], point: Path) -> Iterator[None]:
    point.mkdir(exist_ok=True)
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + PATIENCE_S
        while not os.path.ismount(point):
            assert program.poll() is None, "the mount has ended"
            assert time.monotonic() < until, "nothing is mounted"
            time.sleep(0.02)
        yield
    finally:
        # Lazily: a copy that a failed test has left would hold it.
        subprocess.run(("fusermount3", "-u", "-z", str(point)), check=False, capture_output=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(5)
        program.kill()
        program.wait()
