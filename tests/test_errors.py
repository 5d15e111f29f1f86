"""Failed I/O calls as sentences for users."""

from __future__ import annotations

import errno

import pytest

from graycard.errors import _TOLD, io_problem


def test_the_sentence_says_what_where_and_what_next() -> None:
    problem = io_problem(errno.ENOSPC, operation="write", place="/mnt/data", offset_bytes=4096, phase="layout")
    assert str(problem) == (
        "the volume is full (ENOSPC) while writing /mnt/data at byte 4096; free some space or choose a smaller size"
    )
    assert (problem.errno, problem.offset_bytes, problem.phase) == (errno.ENOSPC, 4096, "layout")


@pytest.mark.parametrize("code", [None, 0])
def test_a_short_transfer_has_no_errno(code: int | None) -> None:
    problem = io_problem(code, operation="read", place="/x", offset_bytes=10, phase="measure")
    assert str(problem).startswith("the file ended early while reading /x at byte 10; ")
    assert problem.errno is None
    assert str(io_problem(code, operation="write", place="/x", phase="measure")).startswith(
        "the transfer was cut short "
    )


@pytest.mark.parametrize("name", sorted(_TOLD))
def test_every_name_is_an_errno_and_is_told(name: str) -> None:
    problem = io_problem(getattr(errno, name), operation="flush", place="/x", phase="flush")
    assert f"({name}) while flushing /x; " in str(problem)


def test_an_errno_without_a_sentence_keeps_the_systems_words() -> None:
    assert str(io_problem(errno.ELOOP, operation="open", place="/x", phase="prepare")).startswith(
        "Too many levels of symbolic links (ELOOP) while opening /x; "
    )
