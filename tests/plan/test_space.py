"""A plan that the volume cannot take is refused before anything is written."""

from __future__ import annotations

import pytest
from plan.made import GIB, MIB, ROOMY, facts, plan, refusal

from graycard.errors import PlanProblem
from graycard.plan import (
    bytes_to_write,
    check_space,
    reserve_bytes,
)


@pytest.mark.parametrize(
    ("volume_bytes", "reserve"),
    [
        (100_000_000, 10_000_000),
        (2_560_000_000, 256_000_000),
        (4_000_000_000, 256_000_000),
        (100_000_000_000, 5_000_000_000),
        (8_000_000_000_000, 10_000_000_000),
        (None, 256_000_000),
    ],
)
def test_reserve(volume_bytes: int | None, reserve: int) -> None:
    assert reserve_bytes(volume_bytes) == reserve


def test_space_is_refused_with_needed_free_and_reserve() -> None:
    made = plan("standard")
    exactly = 2 * GIB + 256_000_000
    assert check_space(made, facts(free_bytes=exactly, size_bytes=4 * 10**9)) == ()
    with pytest.raises(PlanProblem) as caught:
        check_space(made, facts(free_bytes=exactly - 1, size_bytes=4 * 10**9))
    assert "needed 2.15 GB, free 2.40 GB, of which 256 MB are kept in reserve; use --size 1023MiB" in str(caught.value)


def test_advised_size_fits() -> None:
    known = facts(free_bytes=700_000_000, size_bytes=4 * 10**9)
    with pytest.raises(PlanProblem, match="use --size 211MiB or less"):
        check_space(plan("standard"), known)
    assert check_space(plan("standard", size_bytes=211 * MIB), known) == ()


def test_copy_on_write_needs_room_for_the_rewritten_span() -> None:
    known = facts(free_bytes=2 * GIB + 256_000_000, size_bytes=4 * 10**9, copy_on_write=True)
    with pytest.raises(PlanProblem, match=r"needed 3\.22 GB"):
        check_space(plan("standard"), known)
    assert check_space(plan("standard", nocow=True), known) == ()


def test_quota_is_told_as_quota() -> None:
    known = facts(free_bytes=10**12, size_bytes=10**12, quota_free_bytes=10**8)
    with pytest.raises(PlanProblem, match=r"The quota on /mnt/card leaves 100 MB, but the plan needs 2\.15 GB"):
        check_space(plan("standard"), known)


def test_unknown_free_space_is_said() -> None:
    (note,) = check_space(plan("standard"), ())
    assert "unknown" in note


FAT32 = facts(file_size_limit_bytes=(1 << 32) - 1, free_bytes=10**12, size_bytes=10**12)


def test_default_size_is_capped_by_the_largest_file_and_told() -> None:
    small = facts(file_size_limit_bytes=300 * MIB + 5, free_bytes=10**12, size_bytes=10**12)
    made = plan("standard", small)
    assert {task.span_bytes for task in made.tasks} == {300 * MIB}
    assert check_space(made, small) == ("The test files are 300 MiB: no file may be larger here (315 MB).",)
    assert check_space(plan("standard", FAT32), FAT32) == ()


def test_asked_size_above_the_largest_file_is_refused() -> None:
    with pytest.raises(PlanProblem, match="use --size 4095MiB or less"):
        check_space(plan("standard", FAT32, size_bytes=4 * GIB, write_limit_bytes=10**13), FAT32)
    fits = plan("standard", FAT32, size_bytes=4095 * MIB, write_limit_bytes=10**13)
    assert "4095 MiB" in check_space(fits, FAT32)[0]


def test_a_tiny_file_size_limit_is_refused() -> None:
    assert "ulimit -f" in refusal("standard", facts(file_size_limit_bytes=0))


def test_write_limit() -> None:
    with pytest.raises(PlanProblem, match=r"may write 23\.6 GB, more than the write limit of 10\.0 GB"):
        check_space(plan("standard", write_limit_bytes=10**10), ROOMY)
    assert check_space(plan("standard", write_limit_bytes=24 * 10**9), ROOMY) == ()
    assert bytes_to_write(plan("standard", write_limit_bytes=24 * 10**9)).most_bytes == 24 * 10**9
    assert bytes_to_write(plan("standard")).most_bytes == 2 * GIB + 20 * 4 * GIB
    assert bytes_to_write(plan("standard", engine_count=2)).most_bytes == 2 * GIB + 2 * 20 * 4 * GIB
    assert bytes_to_write(plan("standard", write_limit_bytes=10**15)).most_bytes == 2 * GIB + 20 * 4 * GIB
