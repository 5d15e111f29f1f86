"""How the macOS host handles files: the same calls as on macOS, on a real file system."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from graycard.errors import RunProblem, TargetProblem
from graycard.host.macos import MacHost
from graycard.host.macos_calls import RusageInfoV2, native_calls
from graycard.host.macos_files import (
    compression_probe,
    create_new,
    drop_pages,
    file_facts,
    hole_bytes,
    open_existing,
    write_back,
)
from graycard.model import Target, TargetKind
from tests.host.mac_machine import MOUNT, FakeCalls, df_line, hfs_machine
from tests.host.stored_samples import Answers, by_name, sample


def test_resolve_finds_the_real_path_and_kind(tmp_path: Path) -> None:
    host = MacHost(hfs_machine(), FakeCalls())
    (tmp_path / "clip ü.mov").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "clip ü.mov")
    assert host.resolve(str(tmp_path / "link")) == Target(str(tmp_path / "clip ü.mov"), TargetKind.FILE)
    assert host.resolve(str(tmp_path)).kind is TargetKind.FOLDER
    share = MacHost(
        Answers({"mount": sample(MOUNT), "df": df_line("//u@n/share", 9, 9, "/Volumes/share")}), FakeCalls()
    )
    assert share.resolve(str(tmp_path)).kind is TargetKind.SHARE


def test_resolve_refuses_what_is_no_place(tmp_path: Path) -> None:
    host = MacHost(hfs_machine(), FakeCalls())
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path, says in (
        ("/dev/null", "is a raw device"),
        (str(tmp_path / "pipe"), "is a pipe or a socket"),
        (str(tmp_path / "missing"), "there is no"),
        (str(tmp_path / "loop"), "lead in a circle"),
        ("", "is no path"),
        ("a\0b", "is no path"),
    ):
        with pytest.raises(TargetProblem, match=says):
            host.resolve(path)


def test_the_cache_is_bypassed_before_the_first_write(tmp_path: Path) -> None:
    calls = FakeCalls()
    path = str(tmp_path / "data")
    os.close(create_new(path, direct=True, calls=calls))
    assert calls.asked == ["bypass at size 0"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with pytest.raises(FileExistsError):
        create_new(path, direct=False, calls=calls)


def test_a_file_system_that_cannot_bypass_the_cache_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data"
    with pytest.raises(TargetProblem, match="refuses direct I/O; --cache cold"):
        create_new(str(path), direct=True, calls=FakeCalls(refuses_bypass=True))
    assert not path.exists()
    path.write_bytes(b"x" * 5000)
    with pytest.raises(TargetProblem, match="refuses direct I/O"):
        open_existing(str(path), write=False, direct=True, calls=FakeCalls(refuses_bypass=True))
    assert by_name(file_facts(str(path), FakeCalls(refuses_bypass=True)))["direct_requested"] is False
    assert by_name(file_facts(str(path), FakeCalls()))["direct_requested"] is True


def test_only_regular_files_are_opened_and_no_link_is_followed(tmp_path: Path) -> None:
    host = MacHost(hfs_machine(), FakeCalls())
    (tmp_path / "real").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name, says in (("link", "symbolic link"), ("pipe", "pipe or a socket"), ("missing", "is not there")):
            with pytest.raises(TargetProblem, match=says):
                host.open_file(str(tmp_path / name), write=False, direct=False)
        with pytest.raises(RunProblem) as caught:
            host.open_file(str(tmp_path / "socket"), write=False, direct=False)
        assert caught.value.phase == "prepare"
    with pytest.raises(TargetProblem, match="is a folder"):
        host.open_file(str(tmp_path), write=False, direct=False)
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.open_file("/dev/null", write=False, direct=False)
    with pytest.raises(TargetProblem, match="leave out --nocow"):
        host.create_file(str(tmp_path / "new"), direct=False, nocow=True)
    assert (tmp_path / "real").read_bytes() == b"kept"


def test_holes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"x" * 65536)
        file.truncate(1 << 20)
        file.seek(512 << 10)
        file.write(b"y" * 65536)
    with path.open("rb") as file:
        assert hole_bytes(file.fileno(), 1 << 20) == (1 << 20) - 2 * 65536
        assert hole_bytes(file.fileno(), 0) == 0
    found = by_name(file_facts(str(path), FakeCalls()))
    assert found["file_size_bytes"] == 1 << 20
    assert found["file_allocated_bytes"] == 2 * 65536
    assert found["file_encoded_bytes"] == 0


def test_the_cache_is_dropped_after_the_flush(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x" * 4096)
    (tmp_path / "empty").write_bytes(b"")
    drop_pages(str(tmp_path / "data"), calls)
    drop_pages(str(tmp_path / "empty"), calls)
    assert calls.asked == ["flush", "evict 4096", "flush"]


def test_a_file_is_written_back_and_stays_in_the_cache(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x" * 4096)
    write_back(str(tmp_path / "data"), calls)
    assert calls.asked == ["flush"]


def test_the_probe_of_zeros_leaves_nothing(tmp_path: Path) -> None:
    calls = FakeCalls()
    found = by_name(compression_probe(str(tmp_path), calls))
    assert found["volume_compresses"] is False
    assert calls.asked == ["flush"]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TargetProblem, match="is not there"):
        compression_probe(str(tmp_path / "missing"), calls)


def test_the_real_calls_are_those_of_macos() -> None:
    with pytest.raises(OSError, match="calls of macOS"):
        native_calls()
    assert RusageInfoV2.ri_diskio_bytesread.offset == 16 + 16 * 8
