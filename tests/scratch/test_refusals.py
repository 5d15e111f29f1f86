"""Places that cannot be written, or that fail in the middle."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bed.loops import LoopImage
from scratch.runs import NOBODY, entering, failing

from graycard.errors import Problem, RunProblem, TargetProblem
from graycard.scratch import Scratch, State, clean, leftovers
from graycard.scratch.names import MARKER, folder_name
from graycard.scratch.trouble import cannot_prepare

SERVER = """
import os, sys
import mfusepy

class Passing(mfusepy.Operations):
    use_ns = True
    def at(self, path):
        return sys.argv[1] + path
    def getattr(self, path, fh=None):
        info = os.lstat(self.at(path))
        return {name: getattr(info, name) for name in ("st_mode", "st_size", "st_uid", "st_gid", "st_nlink")}
    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.at(path))]
    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)
    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_CREAT | os.O_RDWR | os.O_EXCL, mode)
    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)
    def release(self, path, fh):
        os.close(fh)

try:
    mfusepy.FUSE(Passing(), sys.argv[2], foreground=True)
except OSError as error:
    sys.exit(str(error))
"""


@contextlib.contextmanager
def server_of(source: str, mount: str) -> Iterator[subprocess.Popen[bytes]]:
    """A FUSE server that passes on a folder, mounted."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, source, mount])
    try:
        deadline = time.monotonic() + 20
        while not os.path.ismount(mount):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield server
    finally:
        server.kill()
        server.wait()
        subprocess.run(["umount", "-l", mount], check=False, capture_output=True)


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Act as an ordinary user where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_unwritable_folder_names_the_permission(registry: str) -> None:
    folder = tempfile.mkdtemp()  # not below tmp_path, which an ordinary user may not even enter
    try:
        os.chmod(folder, 0o555)
        with as_nobody():
            problem = entering(folder, registry)
        assert isinstance(problem, TargetProblem)
        assert problem.exit_code == 11
        assert str(problem).startswith(f"You may not write in {folder} (dr-xr-xr-x, owner {os.geteuid()});")
        assert os.listdir(folder) == []
    finally:
        os.rmdir(folder)


def test_a_missing_folder_and_a_file_in_its_place(target: str, registry: str) -> None:
    file = os.path.join(target, "file")
    Path(file).write_bytes(b"precious")
    for path in (os.path.join(target, "missing"), file):
        assert "is not there or no folder" in str(entering(path, registry))
        with pytest.raises(TargetProblem, match="cannot be read"):
            leftovers(path)
    assert Path(file).read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("number", "kind", "says"),
    [
        (errno.EPERM, TargetProblem, "You may not write in /mnt/x;"),
        (errno.EROFS, TargetProblem, "read-only"),
        (errno.ENOSPC, TargetProblem, "is full"),
        (errno.EDQUOT, TargetProblem, "is full (Disk quota exceeded)"),
        (errno.ESTALE, TargetProblem, "does not answer (Stale file handle)"),
        (errno.ENOTCONN, TargetProblem, "does not answer"),
        (errno.EIO, RunProblem, "I/O error (EIO) while making the measurement's folder in /mnt/x"),
    ],
)
def test_each_error_has_its_sentence(number: int, kind: type[Problem], says: str) -> None:
    problem = cannot_prepare(OSError(number, os.strerror(number)), "/mnt/x")
    assert type(problem) is kind
    assert says in str(problem)


@pytest.mark.root
def test_a_read_only_volume(mount_at: Callable[..., str], registry: str) -> None:
    problem = entering(mount_at("tmpfs", "locked", kind="tmpfs", options="ro"), registry)
    assert isinstance(problem, TargetProblem)
    assert "is read-only; to measure reading alone, use --read-only" in str(problem)


@pytest.mark.root
@pytest.mark.parametrize("inodes", [1, 2])
def test_a_full_volume(mount_at: Callable[..., str], registry: str, inodes: int) -> None:
    full = mount_at("tmpfs", "full", kind="tmpfs", options=f"nr_inodes={inodes}")
    problem = entering(full, registry)
    assert isinstance(problem, TargetProblem)
    assert "is full (No space left on device)" in str(problem)
    assert os.listdir(full) == []


@pytest.mark.root
def test_a_volume_that_fails_in_the_middle(loop_image: LoopImage, registry: str) -> None:
    volume = loop_image(16 << 20)

    def shut_down(_: Scratch) -> None:
        folder = os.open(volume, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, 0x8004587D, (2).to_bytes(4, "little"))  # EXT4_IOC_SHUTDOWN without flushing
        finally:
            os.close(folder)

    assert failing(volume, registry, shut_down).errno == errno.EIO
    assert os.listdir(registry) == []
    problem = entering(volume, registry)
    assert isinstance(problem, RunProblem)
    assert (problem.phase, problem.errno) == ("prepare", errno.EIO)


@pytest.mark.root
def test_a_share_whose_server_has_died(tmp_path: Path, registry: str) -> None:
    source, mount = tmp_path / "source", tmp_path / "mount"
    source.mkdir()
    mount.mkdir()
    with server_of(str(source), str(mount)) as server:

        def die(scratch: Scratch) -> None:
            assert sorted(os.listdir(source / folder_name(scratch.id))) == [MARKER, "read.graycard"]
            server.kill()
            server.wait()

        assert failing(str(mount), registry, die).errno == errno.ENOTCONN
        assert "does not answer" in str(entering(str(mount), registry))
    assert clean(str(source)).kept[0].state is State.ALIVE
