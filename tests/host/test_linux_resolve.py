"""What the user named: resolved, or refused with a sentence that tells what to do."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bed.loops import LoopImage, device_of, loop_device

from graycard.errors import TargetProblem
from graycard.host import this_host
from graycard.host.linux.machine import LinuxHost
from graycard.model import TargetKind

NAMES = [
    b"films",
    b"two  blanks ",
    b"new\nline",
    b"co:lon",
    "Zürich – 映画".encode(),
    b"not utf-8 \xff\xfe",
    b"-rf",
    b"back\\slash\\040",
    "next\x85line\u2028separator".encode(),
    b"carriage\rreturn",
]
HOST = LinuxHost()


def test_this_host_is_linux() -> None:
    assert isinstance(this_host(), LinuxHost)
    assert this_host().name == "linux"


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_work_for_folders_and_files(tmp_path: Path, name: bytes) -> None:
    folder = os.fsdecode(os.path.join(os.fsencode(tmp_path), name))
    os.mkdir(folder)
    target = HOST.resolve(folder)
    assert (target.path, target.kind) == (folder, TargetKind.FOLDER)
    assert os.path.samefile(HOST.volume(target).mount_point, mount_point_of(folder))
    file = os.path.join(folder, os.fsdecode(name))
    os.close(HOST.create_file(file, direct=False, nocow=False))
    assert HOST.resolve(file).kind is TargetKind.FILE
    assert HOST.file_facts(file)
    assert target.shown.isprintable()


def test_symlinks_and_dots_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "real" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    assert HOST.resolve(f"{tmp_path}/link/../real/./sub/").path == f"{tmp_path}/real/sub"


@pytest.mark.parametrize("path", ["missing", "file/below", "", "nul\0byte", "loop", "dangling", "pipe", "/dev/null"])
def test_what_cannot_be_measured_is_refused_in_one_sentence(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(b"x")
    Path("loop").symlink_to("loop")
    Path("dangling").symlink_to("nowhere")
    os.mkfifo("pipe")
    with pytest.raises(TargetProblem) as caught:
        HOST.resolve(path)
    says = str(caught.value)
    assert ";" in says, "a next step"
    assert says.isprintable()


@pytest.mark.root
def test_a_raw_device_and_a_symlink_to_one_are_refused(tmp_path: Path) -> None:
    with loop_device(str(tmp_path / "image"), 1 << 20) as device:
        (tmp_path / "link").symlink_to(device)
        for path in (device, str(tmp_path / "link")):
            with pytest.raises(TargetProblem, match=r"raw device.*folder on a mounted volume"):
                HOST.resolve(path)
            with pytest.raises(TargetProblem):
                HOST.open_file(path, write=False, direct=False)
    assert stat.S_ISBLK(os.stat(device).st_mode)


@pytest.mark.root
def test_a_read_only_mount_says_what_still_works(loop_image: LoopImage) -> None:
    point = loop_image(mount_options="ro")
    volume = HOST.volume(HOST.resolve(point))
    assert volume.read_only
    assert volume.why_not is not None
    assert "--read-only" in volume.why_not
    with pytest.raises(TargetProblem, match="read-only"):
        HOST.create_file(os.path.join(point, "x"), direct=False, nocow=False)
    file = HOST.resolve(loop_image())
    assert HOST.volume(file).why_not is None


def test_the_kernel_s_own_file_systems_hold_no_files_to_measure() -> None:
    volume = HOST.volume(HOST.resolve("/proc"))
    assert volume.why_not == "proc holds the system's own entries, not files; name a folder on a drive"
    assert HOST.volume(HOST.resolve("/proc/version")).why_not is None


@pytest.mark.root
def test_all_mounted_volumes_are_listed_with_their_space(loop_image: LoopImage) -> None:
    point = loop_image()
    volumes = {volume.mount_point: volume for volume in HOST.volumes()}
    mine = volumes[point]
    assert (mine.source, mine.file_system, mine.network, mine.why_not) == (device_of(point), "ext4", False, None)
    assert mine.size_bytes is not None
    assert mine.free_bytes is not None
    assert 0 < mine.free_bytes < mine.size_bytes < 64 << 20
    assert not {"/proc", "/sys", "/dev"} & set(volumes)


@pytest.mark.root
def test_an_ordinary_user_is_told_where_he_may_not_write(loop_image: LoopImage) -> None:
    point = loop_image()
    os.mkdir(os.path.join(point, "own"), 0o777)
    os.chmod(os.path.join(point, "own"), 0o777)
    folders = [point, os.path.join(point, "own")]
    with opened_to_all(point):
        answer = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, *folders],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": "src"},
        )
    lines = answer.stdout.splitlines()
    assert len(lines) == 3, answer.stderr
    assert "may not write" in lines[0]
    assert lines[1:] == ["None", "True True"]


# Everything is imported first: another user may not read this one's Python.
AS_NOBODY = """
import os, sys, encodings.idna
from graycard.host.linux.machine import LinuxHost
os.setgid(65534); os.setuid(65534)
host = LinuxHost()
targets = [host.resolve(path) for path in sys.argv[1:]]
for target in targets: print(host.volume(target).why_not)
print(len(host.facts(targets[0])) > 40, len(host.counters(targets[0])) > 20)
"""


@contextlib.contextmanager
def opened_to_all(path: str) -> Iterator[None]:
    """Let other users pass through the private folders of the test run above `path`, for the while."""
    above = {folder: folder.stat().st_mode for folder in Path(path).parents if folder.owner() == "root"}
    private = {folder: mode for folder, mode in above.items() if not mode & 0o001}
    for folder, mode in private.items():
        folder.chmod(mode | 0o011)
    try:
        yield
    finally:
        for folder, mode in private.items():
            folder.chmod(mode)


def mount_point_of(path: str) -> str:
    while not os.path.ismount(path):
        path = os.path.dirname(path)
    return path
