"""What quotas leave: stored structures and sysfs, and a real btrfs quota group."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from bed.loops import LoopImage, run

from graycard.facts import number, value
from graycard.host.linux.machine import LinuxHost
from graycard.host.linux.quota import parse_user_quota, qgroup_free_bytes

MIB = 1 << 20


def dqblk(hard_blocks: int, used_bytes: int) -> bytes:
    return struct.pack("=8QI", hard_blocks, 0, used_bytes, 0, 0, 3, 0, 0, 63)


def test_a_user_quota_counts_limits_in_kib_and_use_in_bytes() -> None:
    assert parse_user_quota(dqblk(20000, 5 * MIB)) == 20000 * 1024 - 5 * MIB
    assert parse_user_quota(dqblk(1000, 5 * MIB)) == 0
    assert parse_user_quota(dqblk(0, 5 * MIB)) is None


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"limit_flags": 1, "max_referenced": 100, "referenced": 30, "rsv_data": 0}, 70),
        ({"limit_flags": 1, "max_referenced": 100, "referenced": 30, "rsv_data": 50}, 20),
        ({"limit_flags": 1, "max_referenced": 100, "referenced": 90, "rsv_data": 50}, 0),
        ({"limit_flags": 3, "max_referenced": 100, "referenced": 30, "max_exclusive": 40, "exclusive": 30}, 10),
        ({"limit_flags": 0, "max_referenced": 0, "referenced": 30}, None),
        ({}, None),
    ],
)
def test_quota_groups(tmp_path: Path, files: dict[str, int], left: int | None) -> None:
    for name, figure in files.items():
        (tmp_path / name).write_text(f"{figure}\n")
    assert qgroup_free_bytes(str(tmp_path)) == left


@pytest.mark.root
def test_a_limited_subvolume_of_btrfs(loop_image: LoopImage) -> None:
    top = loop_image(256 * MIB, "mkfs.btrfs")
    run("btrfs", "quota", "enable", top)
    run("btrfs", "subvolume", "create", f"{top}/limited")
    run("btrfs", "qgroup", "limit", "32M", f"{top}/limited")
    folder = f"{top}/limited/inside"
    os.mkdir(folder)
    host = LinuxHost()
    before = number(host.facts(host.resolve(folder)), "quota_free_bytes")
    assert before == pytest.approx(32 * MIB, abs=MIB)
    Path(folder, "data").write_bytes(os.urandom(8 * MIB))
    dirty = number(host.facts(host.resolve(folder)), "quota_free_bytes")
    run("sync", "-f", folder)
    clean = number(host.facts(host.resolve(folder)), "quota_free_bytes")
    assert before is not None
    assert dirty == pytest.approx(before - 8 * MIB, abs=MIB)
    assert clean == pytest.approx(before - 8 * MIB, abs=MIB)
    assert number(host.facts(host.resolve(folder)), "free_bytes") > 64 * MIB  # statvfs does not know of the limit
    assert value(host.facts(host.resolve(top)), "quota_free_bytes") is None


@pytest.mark.root
def test_no_quota(loop_image: LoopImage) -> None:
    host = LinuxHost()
    assert value(host.facts(host.resolve(loop_image())), "quota_free_bytes") is None
