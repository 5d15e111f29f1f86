"""A direct write that goes through the page cache all the same, and pages that wait, on real file systems."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from graycard.facts import value
from graycard.host.linux.machine import LinuxHost
from tests.bed.loops import MIB, LoopImage

pytestmark = pytest.mark.root
HOST = LinuxHost()


def buffered(folder: str) -> object:
    found = value(HOST.folder_facts(folder), "direct_write_buffered")
    assert [name for name in os.listdir(folder) if name.endswith(".graycard")] == []
    return found


def kernel() -> tuple[int, int]:
    major, minor = re.findall(r"[0-9]+", platform.release())[:2]
    return int(major), int(minor)


@pytest.mark.parametrize(("mkfs", "size"), [("mkfs.ext4", 64 * MIB), ("mkfs.xfs", 320 * MIB)])
def test_true_direct_writes_leave_no_page_even_meanwhile(loop_image: LoopImage, mkfs: str, size: int) -> None:
    assert buffered(loop_image(size, mkfs)) is False


def test_btrfs_with_checksums_buffers_between_linux_6_15_and_7_3(loop_image: LoopImage) -> None:
    assert buffered(loop_image(256 * MIB, "mkfs.btrfs")) is ((6, 15) <= kernel() < (7, 3))


def test_btrfs_without_checksums_does_not(loop_image: LoopImage) -> None:
    assert buffered(loop_image(256 * MIB, "mkfs.btrfs", "nodatacow")) is False


def test_memory_is_seen_and_a_refusal_is_unknown(mount_at: Callable[..., str]) -> None:
    assert buffered(mount_at("tmpfs", "memory", kind="tmpfs", options="size=32m")) is True
    assert buffered(mount_at("ramfs", "plain", kind="ramfs")) is None


def test_pages_that_wait_to_be_written_are_those_of_the_file(loop_image: LoopImage) -> None:
    path = Path(loop_image()) / "data"
    path.write_bytes(os.urandom(4 * MIB))
    assert value(HOST.file_facts(str(path)), "file_dirty_bytes") == 4 * MIB
    HOST.drop_cache(str(path))
    assert value(HOST.file_facts(str(path)), "file_dirty_bytes") == 0
