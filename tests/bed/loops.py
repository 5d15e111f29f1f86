"""Loop images: small block devices of the tests' own, each with a file system, removed whatever happens."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MIB = 1 << 20
FUSE_CONNECTIONS = "/sys/fs/fuse/connections"
LoopImage = Callable[..., str]
FUSE_MOUNTS = {"mkfs.exfat": "mount.exfat-fuse", "mkfs.ntfs": "ntfs-3g"}
QUIET = {
    "mkfs.ext4": ["-q", "-F"],
    "mkfs.xfs": ["-q", "-f"],
    "mkfs.btrfs": ["-q", "-f"],
    "mkfs.ntfs": ["-q", "-F", "-f"],
    "mkfs.exfat": [],
    "mkfs.vfat": [],
}


def run(*command: str) -> str:
    """Run a program; its error text is the exception's message."""
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


def unmount(point: str) -> None:
    """Unmount; a busy mount is detached, so that nothing of a failed test stays visible."""
    if subprocess.run(["umount", point], capture_output=True, check=False).returncode:
        subprocess.run(["umount", "-l", point], capture_output=True, check=False)


@contextlib.contextmanager
def loop_device(image: str, size: int, *, direct: bool = True) -> Iterator[str]:
    """A loop device over a new sparse file `image` of `size` bytes."""
    with open(image, "xb") as file:
        file.truncate(size)
    try:
        device = run("losetup", f"--direct-io={'on' if direct else 'off'}", "--find", "--show", image)
        try:
            yield device
        finally:
            run("losetup", "--detach", device)
    finally:
        os.unlink(image)


@contextlib.contextmanager
def mounted(source: str, point: str, *, options: str = "", kind: str | None = None) -> Iterator[str]:
    """`source` mounted at `point`, which is made; `kind` is a file system type or the name of a FUSE mount program."""
    os.makedirs(point)
    chosen = ["-o", options] if options else []
    if kind in FUSE_MOUNTS.values():
        run(kind, *chosen, source, point)
    else:
        run("mount", *(["-t", kind] if kind else []), *chosen, source, point)
    try:
        yield point
    finally:
        unmount(point)


@contextlib.contextmanager
def loop_file_system(
    folder: str,
    size: int = 64 * MIB,
    mkfs: str = "mkfs.ext4",
    mount_options: str = "",
    *,
    mkfs_options: tuple[str, ...] = (),
    direct: bool = True,
) -> Iterator[str]:
    """A new file system on a loop device over an image in `folder`; gives the folder it is mounted at.

    `folder` is new or empty. With `mount_options` "ro" the file system is empty and read-only.
    """
    os.makedirs(folder, exist_ok=True)
    with loop_device(os.path.join(folder, "image"), size, direct=direct) as device:
        run(mkfs, *QUIET[mkfs], *mkfs_options, device)
        kind = FUSE_MOUNTS.get(mkfs)
        with mounted(device, os.path.join(folder, "volume"), options=mount_options, kind=kind) as point:
            yield point


def device_of(point: str) -> str:
    """The device that is mounted at `point`, as "/dev/loop3"."""
    return run("findmnt", "--noheadings", "--output", "SOURCE", "--mountpoint", point)


@pytest.fixture
def loop_image(tmp_path: Path) -> Iterator[LoopImage]:
    """A function that makes loop file systems: `loop_image(size, mkfs, mount_options) -> mount path`.

    Takes what `loop_file_system` takes but the folder. All are unmounted and removed when the test ends.
    """
    made = 0
    with contextlib.ExitStack() as stack:

        def make(size: int = 64 * MIB, mkfs: str = "mkfs.ext4", mount_options: str = "", **more: Any) -> str:
            nonlocal made
            made += 1
            folder = str(tmp_path / f"loop{made}")
            return stack.enter_context(loop_file_system(folder, size, mkfs, mount_options, **more))

        yield make


@pytest.fixture
def fuse_requests() -> Iterator[None]:
    """The kernel's list of waiting FUSE requests, which not every system mounts."""
    if os.path.ismount(FUSE_CONNECTIONS):
        yield
        return
    run("mount", "-t", "fusectl", "fusectl", FUSE_CONNECTIONS)
    try:
        yield
    finally:
        unmount(FUSE_CONNECTIONS)


@pytest.fixture
def mount_at(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """A function that mounts: `mount_at(source, name, options=…, kind=…) -> mount path` below the test's folder."""
    with contextlib.ExitStack() as stack:

        def make(source: str, name: str, *, options: str = "", kind: str | None = None) -> str:
            point = os.path.join(str(tmp_path), name)
            return stack.enter_context(mounted(source, point, options=options, kind=kind))

        yield make
