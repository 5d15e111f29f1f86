"""A FUSE file system over a folder whose reads take a known time: bytes by its rate, one request after the other.

Run as a program: `paced_fuse.py FOLDER MOUNT_POINT BYTES_PER_S [STALL_S EVERY_S]`, until it is unmounted. A read of n
bytes is served for n ÷ rate from its arrival, or from the end of the one before; the few milliseconds that the way
through the kernel and this program takes from one to the next are not idle time, so that the rate holds exactly. With
stalls nothing is served in the last `STALL_S` of every `EVERY_S`, counted from the first read after the last pause of
2 s or more: a read that meets a stall is served for the rest after it. Writes, and reads of less than 4 KiB, are free.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import mfusepy

from tests.bed.loops import unmount
from tests.bed.passthrough import Passthrough

SPIN_NS = 200_000
FREE_BYTES = 4096
PAUSE_NS = 2_000_000_000
WAY_NS = 10_000_000


class Service:
    """When a read of so many bytes that arrives now will have been served; pure."""

    def __init__(self, bytes_per_s: float, stall_ns: int = 0, every_ns: int = 0) -> None:
        self._bytes_per_s = bytes_per_s
        self._stall_ns = stall_ns
        self._every_ns = every_ns
        self._free_ns = 0
        self._first_ns = 0

    def served_ns(self, arrived_ns: int, size_bytes: int) -> int:
        """The end of its service."""
        if arrived_ns - self._free_ns > PAUSE_NS:
            self._first_ns = arrived_ns
        begin_ns = self._free_ns if arrived_ns - self._free_ns < WAY_NS else arrived_ns
        self._free_ns = self._served(begin_ns, int(size_bytes * 1e9 / self._bytes_per_s))
        return self._free_ns

    def _served(self, begin_ns: int, service_ns: int) -> int:
        """The end of a service that begins then, and rests during the stalls."""
        if not self._stall_ns:
            return begin_ns + service_ns
        serving_ns = self._every_ns - self._stall_ns
        into_ns = (begin_ns - self._first_ns) % self._every_ns
        if into_ns >= serving_ns:
            return begin_ns + self._every_ns - into_ns + service_ns
        return begin_ns + service_ns + (self._stall_ns if into_ns + service_ns > serving_ns else 0)


class Paced(Passthrough):
    """The folder, read at that rate. One thread, so that one request waits for the other."""

    def __init__(self, folder: str, service: Service) -> None:
        super().__init__(folder)
        self._service = service

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        arrived_ns = time.monotonic_ns()
        data = super().read(path, size, offset, fh)
        if size >= FREE_BYTES:
            sleep_until(self._service.served_ns(arrived_ns, len(data)))
        return data


def sleep_until(moment_ns: int) -> None:
    """Sleep, then spin the last part, which a sleep would overshoot."""
    left_ns = moment_ns - time.monotonic_ns()
    if left_ns > SPIN_NS:
        time.sleep((left_ns - SPIN_NS) / 1e9)
    while time.monotonic_ns() < moment_ns:
        continue


@contextlib.contextmanager
def paced_folder(folder: Path, bytes_per_s: float, stall_s: float = 0.0, every_s: float = 0.0) -> Iterator[str]:
    """A new file system of that rate below `folder`; unmounted and ended at the end."""
    below, point = folder / "below", folder / "paced"
    below.mkdir()
    point.mkdir()
    words = [str(below), str(point), str(bytes_per_s), str(stall_s), str(every_s)]
    root = Path(__file__).parents[2]
    server = subprocess.Popen([sys.executable, "-m", "tests.bed.paced_fuse", *words], cwd=root)
    try:
        deadline = time.monotonic() + 20
        while not point.is_mount():
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the FUSE file system did not start")
            time.sleep(0.02)
        yield str(point)
    finally:
        unmount(str(point))
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def main(folder: str, point: str, *figures: str) -> None:
    rate, stall_s, every_s = (float(figure) for figure in figures)
    service = Service(rate, int(stall_s * 1e9), int(every_s * 1e9))
    mfusepy.FUSE(Paced(folder, service), point, foreground=True, nothreads=True, fsname="paced")


if __name__ == "__main__":
    main(*sys.argv[1:])
