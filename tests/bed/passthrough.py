"""A FUSE file system that hands everything on to a folder, as many do: it takes O_DIRECT and does buffered I/O.

Run as a program: `passthrough.py FOLDER MOUNT_POINT`, until it is unmounted.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mfusepy

from tests.bed.loops import unmount

STAT = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_blocks")
STATVFS = ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_files", "f_ffree", "f_flag", "f_frsize", "f_namemax")


class Passthrough(mfusepy.Operations):
    """Each call on a path below `folder`; the descriptor of an open file is its handle."""

    use_ns = True

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def _below(self, path: str) -> str:
        return self.folder + path

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        try:
            status = os.lstat(self._below(path))
        except OSError as error:
            raise mfusepy.FuseOSError(error.errno) from error
        times = {"st_atime": status.st_atime_ns, "st_mtime": status.st_mtime_ns, "st_ctime": status.st_ctime_ns}
        return {name: getattr(status, name) for name in STAT} | times

    def statfs(self, path: str) -> dict[str, int]:
        told = os.statvfs(self._below(path))
        return {name: getattr(told, name) for name in STATVFS}

    def readdir(self, path: str, fh: int) -> list[str]:
        return [".", "..", *os.listdir(self._below(path))]

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        return os.open(self._below(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path: str, flags: int) -> int:
        return os.open(self._below(path), flags & os.O_ACCMODE)

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return os.pread(fh, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        return os.pwrite(fh, data, offset)

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        os.fsync(fh)
        return 0

    def flush(self, path: str, fh: int) -> int:
        return 0

    def release(self, path: str, fh: int) -> int:
        os.close(fh)
        return 0

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        os.truncate(self._below(path), length)
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        os.mkdir(self._below(path), mode)
        return 0

    def unlink(self, path: str) -> int:
        os.unlink(self._below(path))
        return 0

    def rmdir(self, path: str) -> int:
        os.rmdir(self._below(path))
        return 0

    def rename(self, old: str, new: str) -> int:
        os.rename(self._below(old), self._below(new))
        return 0

    def chmod(self, path: str, mode: int) -> int:
        os.chmod(self._below(path), mode)
        return 0


@contextlib.contextmanager
def passthrough(folder: str, point: str) -> Iterator[str]:
    """`folder`, seen through FUSE at `point`, which is made; unmounted and ended at the end."""
    os.makedirs(point)
    root = Path(__file__).parents[2]
    server = subprocess.Popen([sys.executable, "-m", "tests.bed.passthrough", folder, point], cwd=root)
    try:
        deadline = time.monotonic() + 20
        while not os.path.ismount(point):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the FUSE file system did not start")
            time.sleep(0.02)
        yield point
    finally:
        unmount(point)
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


if __name__ == "__main__":
    mfusepy.FUSE(Passthrough(sys.argv[1]), sys.argv[2], foreground=True, nothreads=True, fsname="passthrough")
