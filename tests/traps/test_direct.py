"""Direct I/O that was not: FUSE, btrfs with checksums; and fewer bytes than were asked for: compression."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graycard.model import Verdict
from tests.bed.loops import MIB, LoopImage
from tests.bed.passthrough import passthrough
from tests.traps.conftest import Measure
from tests.traps.measured import caught, clear

pytestmark = pytest.mark.root
LOAD = ("--block", "1MiB", "--depth", "8")
# btrfs buffers direct writes to files with checksums from Linux 6.15 on; 7.3 copies them into pages of its own instead.
BUFFERS_SINCE, BUFFERS_UNTIL = (6, 15), (7, 3)


@pytest.fixture
def btrfs(loop_image: LoopImage) -> str:
    return loop_image(400 * MIB, "mkfs.btrfs")


@pytest.fixture
def compressing(loop_image: LoopImage) -> str:
    return loop_image(400 * MIB, "mkfs.btrfs", "compress-force=zstd")


@pytest.fixture
def fuse(ext4: str, tmp_path: Path) -> Iterator[str]:
    with passthrough(ext4, str(tmp_path / "fuse")) as point:
        yield point


@pytest.mark.parametrize("operation", ["--read", "--write"])
def test_fuse_that_accepts_o_direct_and_buffers(fuse: str, ext4: str, measure: Measure, operation: str) -> None:
    trap = measure(operation, *LOAD, "--size", "32MiB", fuse)
    caught(trap, "direct_was_real", "accepted what true direct I/O must refuse")
    assert trap.checks["from_device"].verdict is Verdict.UNKNOWN
    clear(measure(operation, *LOAD, "--size", "32MiB", ext4), "direct_was_real")


def buffers_direct_writes() -> bool:
    major, minor = re.findall(r"[0-9]+", platform.release())[:2]
    return BUFFERS_SINCE <= (int(major), int(minor)) < BUFFERS_UNTIL


@pytest.mark.parametrize("load", [LOAD, ("--random", "--block", "4KiB", "--depth", "1", "--size", "16MiB")])
def test_btrfs_with_checksums_buffers_direct_writes(btrfs: str, measure: Measure, load: tuple[str, ...]) -> None:
    trap = measure("--write", *load, btrfs)
    if buffers_direct_writes():
        caught(trap, "direct_was_real", "its checksums require since Linux 6.15; use --nocow")
    else:
        clear(trap, "direct_was_real")
    control = measure("--write", *load, "--nocow", btrfs)
    clear(control, "direct_was_real")


def test_btrfs_with_checksums_reads_directly(btrfs: str, measure: Measure) -> None:
    measured = measure("--read", *LOAD, btrfs)
    clear(measured, "direct_was_real")
    clear(measured, "from_device")


@pytest.mark.parametrize("operation", ["--read", "--write"])
def test_compressible_data_on_a_compressing_volume(compressing: str, measure: Measure, operation: str) -> None:
    trap = measure(operation, *LOAD, "--compressible", "90%", compressing)
    caught(trap, "not_compressed", "stored compressed")
    caught(trap, "from_device", "compress")
    if operation == "--write":
        assert trap.checks["on_medium"].verdict is Verdict.UNKNOWN, "fewer bytes on the drive do not mean no flush"
    # Data that cannot be compressed are stored as they are, and that is worth a remark.
    remark = measure(operation, *LOAD, compressing)
    caught(remark, "not_compressed", "these data cannot be compressed", Verdict.CAVEAT)
    clear(remark, "from_device")


@pytest.mark.parametrize("operation", ["--read", "--write"])
def test_compressible_data_on_a_volume_that_does_not_compress(btrfs: str, measure: Measure, operation: str) -> None:
    clear(measure(operation, *LOAD, "--compressible", "90%", btrfs), "not_compressed")


def test_a_compressed_file_that_is_only_read(compressing: str, measure: Measure) -> None:
    path = os.path.join(compressing, "zeros")
    Path(path).write_bytes(bytes(64 * MIB))
    caught(measure(*LOAD, "--read-only", path), "not_compressed", "stored compressed")
