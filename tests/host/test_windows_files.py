"""How the Windows host handles files: the flags are what counts, on a real file system below."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from graycard.errors import TargetProblem
from graycard.host.windows import WindowsHost
from graycard.host.windows_calls import (
    CREATE_NEW,
    FILE_ATTRIBUTE_COMPRESSED,
    FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_SPARSE_FILE,
    FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_FLAG_OVERLAPPED,
    GENERIC_WRITE,
    native_calls,
)
from graycard.host.windows_files import compression_probe, create_new, drop_pages, file_facts, open_existing, write_back
from tests.host.stored_samples import by_name
from tests.host.windows_machine import FakeCalls, InvalidParameterError, powershell


def test_the_flags_of_every_open(tmp_path: Path) -> None:
    calls = FakeCalls()
    path = str(tmp_path / "data")
    os.close(create_new(path, direct=True, calls=calls))
    os.close(open_existing(path, write=True, direct=False, calls=calls))
    assert calls.opened == [
        (CREATE_NEW, FILE_FLAG_OVERLAPPED | FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_NO_BUFFERING),
        (3, FILE_FLAG_OVERLAPPED | FILE_FLAG_OPEN_REPARSE_POINT),
    ]
    with pytest.raises(FileExistsError):
        create_new(path, direct=False, calls=calls)


def test_links_and_folders_are_refused(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x")
    with pytest.raises(TargetProblem, match="is a folder"):
        open_existing(str(tmp_path), write=False, direct=False, calls=calls)
    with pytest.raises(TargetProblem, match="is not there"):
        open_existing(str(tmp_path / "missing"), write=False, direct=False, calls=calls)
    calls.attribute_bits = FILE_ATTRIBUTE_REPARSE_POINT
    with pytest.raises(TargetProblem, match="symbolic link"):
        open_existing(str(tmp_path / "data"), write=False, direct=False, calls=calls)
    with pytest.raises(TargetProblem, match="leave out --nocow"):
        WindowsHost(powershell(), calls).create_file(str(tmp_path / "new"), direct=False, nocow=True)


def test_a_file_system_that_refuses_unbuffered_files_is_told(tmp_path: Path) -> None:
    class Refusing(FakeCalls):
        def open(self, path: str, access: int, disposition: int, flags: int) -> int:
            if flags & FILE_FLAG_NO_BUFFERING:
                raise InvalidParameterError(22, "The parameter is incorrect")
            return super().open(path, access, disposition, flags)

    (tmp_path / "data").write_bytes(b"x")
    with pytest.raises(TargetProblem, match="refuses direct I/O; --cache cold"):
        open_existing(str(tmp_path / "data"), write=False, direct=True, calls=Refusing())
    assert by_name(file_facts(str(tmp_path / "data"), Refusing()))["direct_requested"] is False


def test_file_facts_and_holes(tmp_path: Path) -> None:
    calls = FakeCalls()
    path = tmp_path / "data"
    with path.open("wb") as file:
        file.write(b"x" * 65536)
        file.truncate(1 << 20)
    found = by_name(file_facts(str(path), calls))
    assert (found["file_size_bytes"], found["file_allocated_bytes"], found["direct_requested"]) == (
        1 << 20,
        65536,
        True,
    )
    assert found["file_hole_bytes"] == 0  # without the attribute nothing is sparse
    calls.attribute_bits = FILE_ATTRIBUTE_SPARSE_FILE | FILE_ATTRIBUTE_COMPRESSED
    found = by_name(file_facts(str(path), calls))
    assert found["file_hole_bytes"] == (1 << 20) - 65536
    assert found["file_encoded_bytes"] == 1 << 20


def test_the_cache_is_dropped_by_an_unbuffered_open(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x")
    drop_pages(str(tmp_path / "data"), calls)
    assert [flags & FILE_FLAG_NO_BUFFERING for _, flags in calls.opened] == [FILE_FLAG_NO_BUFFERING]


def test_a_file_is_written_back_through_a_descriptor_that_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr("os.fsync", flushed.append)
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x")
    write_back(str(tmp_path / "data"), calls)
    assert (len(flushed), len(calls.opened)) == (1, 1)


def test_a_file_that_may_only_be_read_is_written_back_by_an_unbuffered_open(tmp_path: Path) -> None:
    class ReadOnly(FakeCalls):
        def open(self, path: str, access: int, disposition: int, flags: int) -> int:
            if access & GENERIC_WRITE:
                raise PermissionError(13, "Access is denied")
            return super().open(path, access, disposition, flags)

    calls = ReadOnly()
    (tmp_path / "data").write_bytes(b"x")
    write_back(str(tmp_path / "data"), calls)
    assert [flags & FILE_FLAG_NO_BUFFERING for _, flags in calls.opened] == [FILE_FLAG_NO_BUFFERING]


def test_the_probe_of_zeros_leaves_nothing(tmp_path: Path) -> None:
    assert by_name(compression_probe(str(tmp_path), FakeCalls()))["volume_compresses"] is False
    assert list(tmp_path.iterdir()) == []


def test_the_real_calls_are_those_of_windows() -> None:
    with pytest.raises(OSError, match="calls of Windows"):
        native_calls()
    assert ctypes.sizeof(ctypes.c_void_p) == 8
