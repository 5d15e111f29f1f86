"""Single transfers at given moments: what moves, when, and what a refusal looks like."""

from __future__ import annotations

import errno
import os
from mmap import mmap
from pathlib import Path

import pytest

from graycard.engines.native_frames import NativeFrames
from tests.native.build import Driver

FRAMES = NativeFrames()
SIZE = 1 << 16


def memory(size: int = SIZE) -> memoryview:
    return memoryview(mmap(-1, size))


@pytest.fixture
def file(tmp_path: Path) -> int:
    return os.open(tmp_path / "data", os.O_RDWR | os.O_CREAT)


def test_threads_move_whole_frames_not_before_their_moments(driver: Driver, tmp_path: Path) -> None:
    assert driver.text("moves", str(tmp_path / "data"), 4, 20, 65536) == f"wrong=0\nrefused={-errno.EBADF}\n"


def test_what_was_written_is_read(file: int) -> None:
    given, back = memory(), memory()
    FRAMES.fill(given, 1, 2, 3)
    assert FRAMES.write(file, given, SIZE, 0).moved_bytes == SIZE
    FRAMES.flush(file)
    assert FRAMES.read(file, back, SIZE, 0).moved_bytes == SIZE
    assert back == given
    os.close(file)


def test_a_transfer_waits_for_its_moment(file: int) -> None:
    moment_ns = FRAMES.now_ns() + 20_000_000
    move = FRAMES.write(file, memory(), 0, moment_ns)
    assert moment_ns <= move.begin_ns <= move.end_ns <= FRAMES.now_ns()
    late = FRAMES.write(file, memory(), 0, 1)
    assert late.begin_ns >= move.end_ns
    os.close(file)


def test_the_end_of_a_file_and_errors_are_numbers(file: int) -> None:
    assert FRAMES.read(file, memory(), 0, 0).moved_bytes == 0
    os.write(file, b"x" * 100)
    assert FRAMES.read(file, memory(), 0, 0).moved_bytes == 100
    os.close(file)
    assert FRAMES.read(file, memory(), 0, 0).moved_bytes == -errno.EBADF
    with pytest.raises(OSError, match="Bad file descriptor"):
        FRAMES.flush(file)


def test_every_frame_has_data_of_its_own() -> None:
    seen = set()
    for numbers in ((1, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1)):
        block = memory(4096)
        FRAMES.fill(block, *numbers)
        seen |= {bytes(block[at : at + 16]) for at in range(0, 4096, 16)}
    assert len(seen) == 4 * 256


def test_memory_that_is_not_aligned_is_refused() -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        FRAMES.fill(memory()[1:], 1, 1, 1)


def test_memory_that_may_not_be_written_is_refused(file: int) -> None:
    with pytest.raises(TypeError, match="read-write"):
        FRAMES.read(file, memoryview(b"constant"), 0, 0)
    os.close(file)
