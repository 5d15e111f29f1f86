"""Bytes that never came from a drive: the page cache, holes, parts never written, file systems and loops in memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from graycard.model import Verdict
from tests.bed.loops import MIB, LoopImage, run
from tests.traps.conftest import NOT_LAZY, Measure, kept_in_memory
from tests.traps.measured import caught, clear

pytestmark = pytest.mark.root
MountAt = Callable[..., str]


def test_a_cold_read_does_not_go_round_a_small_file(ext4: str, measure: Measure) -> None:
    """A second pass would find in memory what the first has read, so there is none."""
    load = ("--read", "--block", "1MiB", "--depth", "8", "--size", "16MiB")
    clear(measure(*load, "--cache", "cold", ext4), "from_device")
    clear(measure(*load, ext4), "from_device")


def test_a_file_that_cannot_be_emptied_from_the_page_cache(ext4: str, measure: Measure) -> None:
    """Pages that a program has mapped stay, and every read finds them."""
    path = os.path.join(ext4, "data")
    Path(path).write_bytes(os.urandom(64 * MIB))
    load = ("--random", "--block", "4KiB", "--depth", "8", "--read-only", path)
    with kept_in_memory(path):
        trap = measure(*load, "--cache", "cold")
        caught(trap, "from_device", "only 0 % of the bytes; the rest came from this computer's memory")
        control = measure(*load)
    clear(control, "from_device")
    clear(control, "direct_was_real")


def test_a_warm_read_says_that_it_is_one(ext4: str, measure: Measure) -> None:
    trap = measure("--read", "--block", "1MiB", "--cache", "warm", ext4)
    caught(trap, "from_device", "from memory on purpose", Verdict.CAVEAT)
    caught(trap, "direct_was_real", "on purpose", Verdict.CAVEAT)


def sparse(path: str) -> None:
    os.truncate(path, 64 * MIB)


def unwritten(path: str) -> None:
    run("fallocate", "--length", str(64 * MIB), path)


def half_written(path: str) -> None:
    unwritten(path)
    with open(path, "r+b") as file:
        file.write(os.urandom(32 * MIB))


@pytest.mark.parametrize(
    ("make", "cause"),
    [(sparse, "holes"), (unwritten, "never written"), (half_written, "never written")],
)
def test_a_file_that_is_not_there(ext4: str, measure: Measure, make: Callable[[str], None], cause: str) -> None:
    trap, whole = (os.path.join(ext4, name) for name in ("trap", "whole"))
    Path(trap).touch()
    make(trap)
    Path(whole).write_bytes(os.urandom(64 * MIB))
    measured = measure("--block", "1MiB", "--depth", "8", "--read-only", trap)
    caught(measured, "file_is_there", cause)
    caught(measured, "from_device", cause)
    control = measure("--block", "1MiB", "--depth", "8", "--read-only", whole)
    clear(control, "file_is_there")
    clear(control, "from_device")
    clear(control, "direct_was_real")


@pytest.mark.parametrize("operation", ["--read", "--write"])
@pytest.mark.parametrize(("kind", "options"), [("tmpfs", "size=200m"), ("ramfs", "")])
def test_a_file_system_in_memory(
    mount_at: MountAt, ext4: str, measure: Measure, kind: str, options: str, operation: str
) -> None:
    trap = measure(operation, "--block", "1MiB", "--depth", "8", mount_at(kind, "memory", kind=kind, options=options))
    for name in ("from_device", "direct_was_real"):
        caught(trap, name, f"{kind} keeps")
    control = measure(operation, "--block", "1MiB", "--depth", "8", ext4)
    for name in ("from_device", "direct_was_real"):
        clear(control, name)


def test_a_loop_device_without_direct_io(loop_image: LoopImage, ext4: str, measure: Measure) -> None:
    buffered = loop_image(256 * MIB, mkfs_options=NOT_LAZY, direct=False)
    caught(measure("--read", "--block", "1MiB", buffered), "no_cache_below", "losetup --direct-io=on")
    control = measure("--read", "--block", "1MiB", ext4).checks["no_cache_below"]
    # In a virtual machine the host may cache, and that is said instead.
    assert control.verdict is Verdict.PASS or (control.verdict is Verdict.CAVEAT and "virtual machine" in control.says)
