"""Opening, making and evicting files, on whatever file system holds the tests' scratch folder."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import stat
from pathlib import Path

import pytest
from host.stored_samples import by_name

from graycard.errors import RunProblem, TargetProblem
from graycard.facts import TERMS, number, value
from graycard.host.linux import page_cache
from graycard.host.linux.descriptors import problem
from graycard.host.linux.extents import Extents, hole_bytes, read_extents
from graycard.host.linux.machine import LinuxHost

HOST = LinuxHost()
MIB = 1 << 20


def test_a_new_file_is_private_empty_and_exclusive(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    handle = HOST.create_file(path, direct=False, nocow=False)
    try:
        status = os.fstat(handle)
        assert (stat.S_IMODE(status.st_mode), status.st_size) == (0o600, 0)
        assert os.pwrite(handle, b"x", 0) == 1
        assert os.pread(handle, 1, 0) == b"x"
        assert fcntl.fcntl(handle, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
        with pytest.raises(FileExistsError):
            HOST.create_file(path, direct=False, nocow=False)
    finally:
        os.close(handle)
    assert Path(path).read_bytes() == b"x"


@pytest.mark.parametrize("taken", ["file", "folder", "link", "dangling"])
def test_no_name_that_is_taken_is_touched(tmp_path: Path, taken: str) -> None:
    (tmp_path / "file").write_bytes(b"precious")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        HOST.create_file(str(tmp_path / taken), direct=True, nocow=True)
    assert (tmp_path / "file").read_bytes() == b"precious"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", ["missing", "folder", "link", "pipe"])
@pytest.mark.parametrize("write", [False, True])
def test_only_regular_files_are_opened(tmp_path: Path, name: str, *, write: bool) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TargetProblem) as caught:
        HOST.open_file(str(tmp_path / name), write=write, direct=False)
    assert ";" in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "link", "pipe"]


def test_reading_leaves_a_file_unwritable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    handle = HOST.open_file(str(tmp_path / "file"), write=False, direct=False)
    try:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(handle, b"y")
    finally:
        os.close(handle)


def test_evicted_pages_are_gone(tmp_path: Path) -> None:
    path = str(tmp_path / "data")
    Path(path).write_bytes(os.urandom(4 * MIB))
    assert value(HOST.file_facts(path), "file_cached_bytes") == 4 * MIB
    HOST.drop_cache(path)
    assert value(HOST.file_facts(path), "file_cached_bytes") == 0
    Path(path).read_bytes()[:1]
    assert number(HOST.file_facts(path), "file_cached_bytes") == 4 * MIB


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 5 * MIB + 1])
def test_mincore_tells_what_cachestat_tells(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(size))
    handle = os.open(path, os.O_RDONLY)
    try:
        first = page_cache.cached_bytes(handle, size)
        monkeypatch.setattr(page_cache, "_cachestat", lambda _: None)
        monkeypatch.setattr(page_cache, "_WINDOW_BYTES", 2 * MIB)
        second = page_cache.cached_bytes(handle, size)
    finally:
        os.close(handle)
    assert first[0] == second[0] == size
    assert second[1] == ("mincore" if size else "empty file")


def test_a_sparse_file_is_nearly_all_hole(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.seek(8 * MIB)
        file.write(os.urandom(MIB))
        file.truncate(16 * MIB)
    facts = by_name(HOST.file_facts(str(path)))
    assert (facts["file_size_bytes"], facts["file_hole_bytes"]) == (16 * MIB, 15 * MIB)
    handle = os.open(path, os.O_RDONLY)
    try:
        assert hole_bytes(handle, 16 * MIB) == 15 * MIB
    finally:
        os.close(handle)


def test_extents_are_paged_through(tmp_path: Path) -> None:
    """More pieces than one answer of the kernel holds: 600 of 4 KiB, each with a hole behind it."""
    path = tmp_path / "pieces"
    with open(path, "wb") as file:
        for index in range(600):
            file.seek(index * 8192)
            file.write(os.urandom(4096))
    handle = os.open(path, os.O_RDONLY)
    try:
        found = read_extents(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("the scratch folder's file system has no FIEMAP")
    assert found == Extents(600, 600 * 4096, 0, 0)


def test_every_fact_about_a_file_is_in_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(8192))
    facts = by_name(HOST.file_facts(str(tmp_path / "data")))
    folders = {"volume_compresses", "direct_write_buffered"}
    assert set(facts) == {name for name, term in TERMS.items() if term.factor == "file"} - folders


def test_looking_at_a_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"precious" * 1000)
    before = path.stat()
    HOST.file_facts(str(path))
    after = path.stat()
    assert path.read_bytes() == b"precious" * 1000
    assert (before.st_mtime_ns, before.st_ctime_ns) == (after.st_mtime_ns, after.st_ctime_ns)


def test_the_probe_of_a_folder_leaves_nothing(tmp_path: Path) -> None:
    facts = by_name(HOST.folder_facts(str(tmp_path)))
    assert set(facts) == {"volume_compresses", "direct_write_buffered"}
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("number_", "kind"),
    [
        (errno.EACCES, TargetProblem),
        (errno.EROFS, TargetProblem),
        (errno.ENOTCONN, TargetProblem),
        (errno.EIO, RunProblem),
        (errno.ENOSPC, RunProblem),
        (errno.EDQUOT, RunProblem),
    ],
)
def test_errors_become_problems(number_: int, kind: type[Exception]) -> None:
    found = problem(OSError(number_, os.strerror(number_)), "/some/file\n")
    assert type(found) is kind
    assert "/some/file\\n" in str(found)
    if isinstance(found, RunProblem):
        assert (found.errno, found.phase) == (number_, "prepare")


def test_the_process_limit_on_file_sizes_is_told(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 * MIB, hard))
    try:
        facts = HOST.facts(HOST.resolve(str(tmp_path)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert value(facts, "file_size_limit_bytes") == 3 * MIB
    assert "ulimit" in next(fact.source for fact in facts if fact.name == "file_size_limit_bytes")
