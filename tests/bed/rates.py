"""Block devices of a known rate: nbdkit's rate filter behind a loop device, and the kernel's own throttle (blkio)."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BLKIO = Path("/sys/fs/cgroup/blkio")


def call(*command: str) -> str:
    """Run a program; its output. CalledProcessError carries what it said."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@dataclass(frozen=True)
class RatedDevice:
    """An ext4 file system whose device moves `bytes_per_s` at most."""

    folder: str
    loop: str
    bytes_per_s: int


def device_bytes(loop: str, *, write: bool) -> int:
    """The bytes the kernel counted on the device: fields 6 and 10 of /proc/diskstats, in sectors of 512 bytes."""
    name = os.path.basename(loop)
    for line in Path("/proc/diskstats").read_text().splitlines():
        fields = line.split()
        if fields[2] == name:
            return int(fields[9 if write else 5]) * 512
    raise LookupError(loop)


@contextlib.contextmanager
def _process(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 10
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(path)
        time.sleep(0.05)


@contextlib.contextmanager
def _ext4_on(image: Path, mount_point: Path) -> Iterator[str]:
    loop = call("losetup", "--direct-io=on", "-f", "--show", str(image))
    try:
        call("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", loop)
        mount_point.mkdir(exist_ok=True)
        call("mount", loop, str(mount_point))
        try:
            yield loop
        finally:
            if subprocess.run(("umount", str(mount_point)), check=False).returncode:
                subprocess.run(("umount", "-l", str(mount_point)), check=False)
    finally:
        subprocess.run(("losetup", "-d", loop), check=False)


@contextlib.contextmanager
def nbd_rated(tmp: Path, bytes_per_s: int, size: str = "1G") -> Iterator[RatedDevice]:
    """nbdkit's memory disk behind its rate filter, as ext4; the rate holds from the moment it is mounted."""
    socket, rate_file, nbd, files = tmp / "s.sock", tmp / "rate", tmp / "nbd", tmp / "files"
    rate_file.write_text("20G")
    nbd.mkdir()
    server = ("nbdkit", "-f", "-U", str(socket), "--filter=rate", "memory", size)
    with _process(*server, f"rate-file={rate_file}", "burstiness=0.05"):
        _wait_for(socket)
        with _process("nbdfuse", str(nbd), "--unix", str(socket)):
            try:
                _wait_for(nbd / "nbd")
                with _ext4_on(nbd / "nbd", files) as loop:
                    rate_file.write_text(str(bytes_per_s * 8))
                    time.sleep(0.2)
                    yield RatedDevice(str(files), loop, bytes_per_s)
                    rate_file.write_text("20G")
            finally:
                if subprocess.run(("fusermount3", "-u", str(nbd)), check=False).returncode:
                    subprocess.run(("umount", "-l", str(nbd)), check=False)


@contextlib.contextmanager
def blkio_rated(
    tmp: Path, bytes_per_s: int, size_bytes: int = 1 << 30, ops_per_s: int | None = None
) -> Iterator[RatedDevice]:
    """A loop on a memory file, throttled by the kernel for the processes of a cgroup that this process joins.

    With `ops_per_s` small requests are limited by their number, as large ones are by their bytes.
    """
    memory, image = tmp / "memory", tmp / "memory" / "image"
    memory.mkdir()
    call("mount", "-t", "tmpfs", "-o", f"size={size_bytes + (64 << 20)}", "tmpfs", str(memory))
    group = BLKIO / f"graycard-{os.getpid()}"
    try:
        with image.open("wb") as file:
            file.truncate(size_bytes)
        with _ext4_on(image, tmp / "files") as loop:
            group.mkdir()
            device = (Path("/sys/block") / os.path.basename(loop) / "dev").read_text().strip()
            for direction in ("read", "write"):
                (group / f"blkio.throttle.{direction}_bps_device").write_text(f"{device} {bytes_per_s}")
                if ops_per_s:
                    (group / f"blkio.throttle.{direction}_iops_device").write_text(f"{device} {ops_per_s}")
            (group / "cgroup.procs").write_text(str(os.getpid()))
            try:
                yield RatedDevice(str(tmp / "files"), loop, bytes_per_s)
            finally:
                (BLKIO / "cgroup.procs").write_text(str(os.getpid()))
                group.rmdir()
    finally:
        subprocess.run(("umount", str(memory)), check=False)
