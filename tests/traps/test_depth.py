"""A depth that never was: requests that memory answered, writes that the system sends on, a file system in between."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graycard.model import Verdict
from tests.bed.loops import MIB
from tests.bed.passthrough import passthrough
from tests.traps.conftest import Measure, kept_in_memory
from tests.traps.measured import caught, clear

pytestmark = [pytest.mark.root, pytest.mark.alone]
DEEP = ("--random", "--block", "4KiB", "--depth", "64")


def test_a_deep_queue_in_the_page_cache(ext4: str, measure: Measure) -> None:
    path = Path(ext4) / "data"
    path.write_bytes(os.urandom(64 * MIB))
    load = (*DEEP, "--read-only", str(path))
    with kept_in_memory(str(path)):
        caught(measure(*load, "--cache", "cold"), "depth_was_real", "never had 64 requests at a time")
        caught(measure(*load, "--cache", "warm"), "depth_was_real", "that of memory", Verdict.CAVEAT)
        clear(measure(*load), "depth_was_real")


def test_a_deep_queue_of_buffered_writes(ext4: str, measure: Measure) -> None:
    trap = measure("--write", *DEEP, "--cache", "cold", ext4)
    caught(trap, "depth_was_real", "the system chose how many went to the drive at once, not 64", Verdict.CAVEAT)
    clear(measure("--write", *DEEP, ext4), "depth_was_real")


@pytest.mark.usefixtures("fuse_requests")
def test_a_file_system_that_serialises(ext4: str, tmp_path: Path, measure: Measure) -> None:
    """FUSE writes one request of a file at a time, unless its program asks for more; reads go side by side."""
    load = ("--random", "--block", "4KiB", "--depth", "8", "--time", "0.7s", "--runs", "1")
    with passthrough(ext4, str(tmp_path / "fuse")) as fuse:
        trap = measure("--write", *load, fuse)
        caught(trap, "depth_was_real", "the file system lets few requests through at a time; read the figure as one of")
        clear(measure("--read", *load, fuse), "depth_was_real")


def test_a_file_with_holes_is_served_inside_the_call(ext4: str, measure: Measure) -> None:
    path = Path(ext4) / "sparse"
    path.touch()
    with path.open("r+b") as file:
        file.truncate(64 * MIB)
    trap = measure("--block", "1MiB", "--depth", "8", "--read-only", str(path))
    caught(trap, "depth_was_real", "served one by one, never 8 at a time")
