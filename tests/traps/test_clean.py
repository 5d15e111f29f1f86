"""A clean file system, twenty times: no check fails that has no reason to."""

from __future__ import annotations

import pytest

from graycard.model import Verdict
from tests.traps.conftest import Measure
from tests.traps.contention import DUE_TO_CONTENTION, contended, proofs
from tests.traps.measured import clear

# Alone: what other tests take from the processors or the disk is not always proven by the counters.
pytestmark = [pytest.mark.root, pytest.mark.alone]
TIMES = 4
LOADS = {
    "SEQ1M QD8 read": ("--read", "--block", "1MiB", "--depth", "8"),
    "SEQ1M QD8 write": ("--write", "--block", "1MiB", "--depth", "8"),
    "RND4K QD64 read": ("--read", "--random", "--block", "4KiB", "--depth", "64"),
    "RND4K QD1 read": ("--read", "--random", "--block", "4KiB", "--depth", "1"),
    "RND4K QD1 write": ("--write", "--random", "--block", "4KiB", "--depth", "1", "--size", "16MiB"),
}
# What depends on nothing but this file system and its device must pass, however busy the computer is.
MUST_PASS = ("bytes_conserved", "from_device", "direct_was_real", "file_is_there", "not_compressed", "on_medium")


def test_there_are_twenty() -> None:
    assert TIMES * len(LOADS) == 20


@pytest.mark.parametrize("load", LOADS)
def test_nothing_fails_on_a_clean_file_system(ext4: str, measure: Measure, load: str) -> None:
    for _ in range(TIMES):
        measured = measure(*LOADS[load], ext4)
        for name in MUST_PASS:
            clear(measured, name)
        alone = measured.checks["alone_on_device"]
        assert alone.verdict is Verdict.PASS or "processor" in alone.says, alone
        excused = DUE_TO_CONTENTION if contended(measured.result) else frozenset()
        shown = [proofs(measured.result, run) for run in measured.result.runs]
        assert set(measured.failed) <= excused, (measured.failed, shown)


@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_flush_after_each_write_is_counted_once(ext4: str, measure: Measure, engine: str) -> None:
    load = ("--write", "--random", "--block", "4KiB", "--durability", "each-write", "--size", "16MiB")
    measured = measure(*load, "--engine", engine, ext4)
    check = measured.checks["littles_law"]
    assert check.measured is not None
    assert check.measured <= 1.05
    assert check.verdict is Verdict.PASS or contended(measured.result), check
