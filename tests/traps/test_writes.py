"""Writes that are not written: in memory when the clock stops, or in the drive's own cache."""

from __future__ import annotations

import pytest

from graycard.model import Verdict
from tests.traps.conftest import Measure
from tests.traps.measured import caught, clear

pytestmark = pytest.mark.root
LOAD = ("--write", "--block", "1MiB", "--depth", "8")


@pytest.mark.parametrize("cache", ["cold", "warm"])
def test_buffered_writes_without_a_flush(ext4: str, measure: Measure, cache: str) -> None:
    trap = measure(*LOAD, "--cache", cache, "--durability", "none", ext4)
    caught(trap, "on_medium", "had not reached the drive when the clock stopped; use --durability at_end")
    caught(trap, "from_device", "still in this computer's memory")
    control = measure(*LOAD, "--cache", cache, "--durability", "at-end", ext4)
    clear(control, "on_medium")
    clear(control, "from_device")


def test_direct_writes_without_a_flush_may_be_in_the_drives_cache(ext4: str, measure: Measure) -> None:
    trap = measure(*LOAD, "--durability", "none", ext4)
    caught(trap, "on_medium", "drive's own cache, since no flush was asked for", Verdict.CAVEAT)
    clear(measure(*LOAD, "--durability", "at-end", ext4), "on_medium")


def test_a_flush_after_every_write(ext4: str, measure: Measure) -> None:
    load = ("--write", "--random", "--block", "4KiB", "--size", "4MiB", "--durability", "each-write")
    clear(measure(*load, ext4), "on_medium")
