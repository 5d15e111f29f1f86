"""Volumes that processes serve: NTFS by ntfs-3g, which can be stopped or killed, and a device that gives errors."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bed.loops import FUSE_CONNECTIONS, MIB, loop_device, mounted, run, unmount


@dataclass(frozen=True)
class Served:
    """A mounted volume, the process that serves it, and the device below."""

    point: str
    server: subprocess.Popen[bytes]
    device: str


@contextlib.contextmanager
def process(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is killed at the end, also while it is stopped."""
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def wait_until(happened: Callable[[], bool], what: str) -> None:
    """Return when it has happened."""
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end, f"{what} did not happen in time"
        time.sleep(0.02)


def fuse_requests_waiting(device: int) -> int:
    """Requests to the FUSE file system of that `st_dev` that its server has not answered (fixture `fuse_requests`)."""
    number = os.major(device) << 20 | os.minor(device)  # the kernel's own dev_t names the connection
    return int(Path(FUSE_CONNECTIONS, str(number), "waiting").read_text())


@contextlib.contextmanager
def served(device: str, point: str) -> Iterator[Served]:
    """The NTFS of a device, served at `point`, which is made if needed."""
    os.makedirs(point, exist_ok=True)
    with process("ntfs-3g", "-o", "no_detach,big_writes", device, point) as server:
        try:
            wait_until(lambda: os.path.ismount(point), "the mount")
            yield Served(point, server, device)
        finally:
            server.kill()
            unmount(point)


@contextlib.contextmanager
def served_volume(folder: Path, size: int = 128 * MIB) -> Iterator[Served]:
    """A new NTFS volume on a loop device below `folder`."""
    with loop_device(str(folder / "served.image"), size) as device:
        run("mkfs.ntfs", "-q", "-F", "-f", device)
        with served(device, str(folder / "served")) as volume:
            yield volume


@contextlib.contextmanager
def failing_volume(folder: Path) -> Iterator[tuple[str, Path]]:
    """An ext4 whose device answers every request with EIO as soon as the second path exists."""
    socket, below, trigger = folder / "s", folder / "nbd", folder / "trigger"
    below.mkdir()
    errors = ("error=EIO", "error-rate=100%", f"error-file={trigger}")
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        enter(process("nbdkit", "-f", "-U", str(socket), "--filter=error", "memory", "64M", *errors))
        wait_until(socket.exists, "nbdkit's socket")
        enter(process("nbdfuse", str(below), "--unix", str(socket)))
        stack.callback(unmount, str(below))
        wait_until((below / "nbd").exists, "nbdfuse's file")
        device = run("losetup", "--direct-io=on", "--find", "--show", str(below / "nbd"))
        stack.callback(run, "losetup", "--detach", device)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", device)
        point = enter(mounted(device, str(folder / "failing")))
        stack.callback(trigger.unlink, missing_ok=True)
        yield point, trigger
