"""Writing back in pieces: how much a stop may have to wait for, and that all of it is written."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

import pytest

from graycard.errors import RunProblem
from graycard.facts import number
from graycard.host.linux import write_back as room
from graycard.host.linux.machine import LinuxHost

HOST = LinuxHost()
MIB = 1 << 20
SIZE = 16 * MIB


class Kernel:
    """Notes what it is asked for, in order: (begin, bytes, whether it is waited for), or "flush"."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, error: int = 0) -> None:
        self.asked: list[tuple[int, int, bool] | str] = []
        self._error = error
        monkeypatch.setattr(room, "_RANGE", self._range)
        monkeypatch.setattr(os, "fdatasync", lambda _: self.asked.append("flush"))
        monkeypatch.setattr(room, "_LOOK_EVERY_NS", 0)

    def _range(self, handle: int, begin: int, count: int, flags: int) -> int:
        self.asked.append((begin, count, flags != room._WRITE))
        ctypes.set_errno(self._error)
        return -1 if self._error else 0


def file_of(tmp_path: Path, size_bytes: int = SIZE) -> str:
    path = tmp_path / "data"
    path.write_bytes(os.urandom(size_bytes))
    return str(path)


def quiet() -> None:
    """Nothing to look at."""


def test_every_piece_is_begun_before_it_is_waited_for_and_the_flush_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = Kernel(monkeypatch)
    HOST.write_back(file_of(tmp_path, SIZE + 1), quiet)
    assert kernel.asked.pop() == "flush"
    begun, waited = ([each for each in kernel.asked if each[2] is waits] for waits in (False, True))
    assert [each[0] for each in waited] == [at * MIB for at in range(17)]
    for begin, count, _ in waited:
        assert count == MIB
        assert kernel.asked.index((begin, count, False)) < kernel.asked.index((begin, count, True))
    assert {each[1] for each in begun} == {MIB}


@pytest.mark.parametrize("looks_count", [1, 2, 5])
def test_a_stop_leaves_two_pieces_in_flight_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks_count: int
) -> None:
    kernel = Kernel(monkeypatch)
    looks = iter(range(looks_count))

    def look() -> None:
        if next(looks) == looks_count - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HOST.write_back(file_of(tmp_path), look)
    begun, waited = ({each[0] for each in kernel.asked if each[2] is waits} for waits in (False, True))
    assert "flush" not in kernel.asked
    assert len(begun - waited) <= 2
    assert len(begun) == looks_count - 1


@pytest.mark.parametrize("error", [errno.ENOSYS, errno.EINVAL, errno.ESPIPE])
def test_where_no_ranges_are_known_the_flush_does_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    kernel = Kernel(monkeypatch, error=error)
    HOST.write_back(file_of(tmp_path), quiet)
    assert kernel.asked == [(0, MIB, False), "flush"]


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
def test_an_error_of_a_piece_is_told_for_no_flush_would_tell_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    Kernel(monkeypatch, error=error)
    with pytest.raises(RunProblem) as caught:
        HOST.write_back(file_of(tmp_path), quiet)
    assert caught.value.errno == error


def test_an_error_is_told_by_the_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(handle: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fails)
    with pytest.raises(RunProblem) as caught:
        HOST.write_back(file_of(tmp_path), quiet)
    assert caught.value.errno == 5


def test_nothing_stays_dirty_and_nothing_leaves_the_cache(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    HOST.write_back(path, quiet)
    facts = HOST.file_facts(path)
    assert number(facts, "file_cached_bytes") == SIZE
    assert number(facts, "file_dirty_bytes") in (0, None)
