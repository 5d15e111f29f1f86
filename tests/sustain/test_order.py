"""How much is written: by what was asked, the room, the limits; and what is said of it beforehand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.errors import PlanProblem
from graycard.facts import fact
from graycard.model import Fact, Target, TargetKind
from graycard.plan import reserve_bytes
from graycard.protocols import Volume
from graycard.sustain import Wish, describe, make_order
from graycard.sustain.words import Expected

GB, GIB, MIB, S = 10**9, 1 << 30, 1 << 20, 10**9
FOLDER = Target("/mnt/ssd", TargetKind.FOLDER)
VOLUME = Volume("/mnt/ssd", "/dev/sdx1", "exfat", 1000 * GB, 900 * GB, False, False, None)


def facts(*more: Fact, size: int = 1000 * GB, free: int = 900 * GB) -> tuple[Fact, ...]:
    return (fact("size_bytes", size, "statvfs"), fact("free_bytes", free, "statvfs"), *more)


def wish(**given_: Any) -> Wish:
    return Wish(seed=1, **given_)


def test_by_default_it_goes_on_until_steady_within_a_budget() -> None:
    order = make_order(FOLDER, wish(), facts())
    assert order.byte_limit == pytest.approx(200 * GB, abs=2 * MIB)
    assert (order.time_ns, order.hold_ns, order.rest_ns) == (30 * 60 * S, 60 * S, 60 * S)
    assert order.again_bytes == pytest.approx(20 * GB, abs=2 * MIB)
    assert order.byte_limit % order.block_bytes == order.piece_bytes % order.block_bytes == 0


def test_by_default_a_small_volume_is_written_up_to_its_reserve() -> None:
    order = make_order(FOLDER, wish(), facts(size=64 * GB, free=50 * GB))
    assert order.byte_limit == pytest.approx(50 * GB - reserve_bytes(64 * GB), abs=2 * MIB)


def test_so_many_bytes_are_written_without_a_limit_of_time() -> None:
    order = make_order(FOLDER, wish(size_bytes=10 * GB), facts())
    assert (order.byte_limit, order.time_ns, order.hold_ns) == (10 * GB // (2 * MIB) * 2 * MIB, None, None)


def test_filling_counts_what_is_used() -> None:
    order = make_order(FOLDER, wish(fill_ratio=0.9), facts())
    assert order.byte_limit == pytest.approx(800 * GB, abs=2 * MIB)


def test_files_hold_what_the_file_system_takes() -> None:
    fat = make_order(FOLDER, wish(), facts(fact("file_size_limit_bytes", 4 * GIB - 1, "table")))
    assert fat.piece_bytes == 4 * GIB - 2 * MIB
    assert make_order(FOLDER, wish(), facts()).piece_bytes == 16 * GIB


def test_where_every_write_is_new_the_second_burst_needs_room_too() -> None:
    on_btrfs = make_order(FOLDER, wish(), facts(fact("copy_on_write", True, "table"), size=64 * GB, free=50 * GB))
    usual = make_order(FOLDER, wish(), facts(size=64 * GB, free=50 * GB))
    assert on_btrfs.byte_limit < usual.byte_limit


@pytest.mark.parametrize(
    ("given_", "known", "says"),
    [
        ({"size_bytes": 950 * GB}, facts(), "10.0 GB of free space are kept in reserve.*use --bytes [0-9]+MiB or less"),
        ({"size_bytes": 10 * GB}, facts(fact("quota_free_bytes", 5 * GB, "quota")), "the quota leaves no more"),
        ({"fill_ratio": 0.05}, facts(), "is 10 % full already"),
        ({"fill_ratio": 0.995}, facts(), "not enough space"),
        ({"fill_ratio": 1.5}, facts(), "--fill is the share"),
        ({"fill_ratio": 0.5}, (), "use --bytes instead of --fill"),
        ({"size_bytes": 10 * GB, "write_limit_bytes": GB}, facts(), "more than the write limit of 1.00 GB"),
        ({"size_bytes": 100_000}, facts(), "too few to write on; use --bytes 4MiB or more"),
        ({}, facts(free=40 * MIB), "make room or use another volume"),
        ({"block_bytes": 5000}, facts(), "--block must be a multiple of 4 KiB"),
        ({"depth_count": 0}, facts(), "--depth must be"),
        ({"max_time_ns": 5}, facts(), "--max-time must be"),
        ({"hold_ns": 5}, facts(), "--hold must be"),
        ({}, facts(fact("file_size_limit_bytes", MIB, "ulimit")), "raise ulimit -f"),
    ],
)
def test_what_cannot_be_is_refused(given_: dict[str, Any], known: tuple[Fact, ...], says: str) -> None:
    with pytest.raises(PlanProblem, match=says):
        make_order(FOLDER, wish(**given_), known)


def test_a_file_is_no_place_to_write_on() -> None:
    with pytest.raises(PlanProblem, match="name a folder"):
        make_order(Target("/mnt/ssd/clip.mov", TargetKind.FILE), wish(), facts())


@given(
    free=st.integers(0, 2 * 10**12),
    limit=st.none() | st.integers(1, 10**12),
    size=st.none() | st.integers(1, 10**12),
    copies=st.booleans(),
)
def test_no_order_writes_beyond_limit_and_reserve(free: int, limit: int | None, size: int | None, copies: bool) -> None:
    known = facts(fact("copy_on_write", copies, "table"), size=2 * 10**12, free=free)
    try:
        order = make_order(FOLDER, wish(size_bytes=size, write_limit_bytes=limit), known)
    except PlanProblem:
        return
    assert limit is None or order.most_bytes <= limit
    taken = order.most_bytes if copies else order.byte_limit
    assert taken + reserve_bytes(2 * 10**12) <= free
    assert size is None or size - order.byte_limit < order.block_bytes
    assert 0 <= order.again_bytes <= 0.1 * order.byte_limit + order.block_bytes


def said(*more: Fact, endurance: int | None = None, expected: Expected | None = None, **given_: Any) -> str:
    known = facts(*more)
    order = make_order(FOLDER, wish(**given_), known)
    words = (
        describe(order, VOLUME, known, endurance, expected) if expected else describe(order, VOLUME, known, endurance)
    )
    return " ".join(words)


def test_it_says_what_it_costs() -> None:
    says = said(size_bytes=100 * GB)
    assert "Writes 100.0 GB, into 6 new files of 17.2 GB at most" in says
    assert "Writes at most 110 GB in all; which share of the drive's endurance that is, is unknown" in says
    assert "Takes about 36 min 0 s at 100 MB/s (assumed), reading back as fast" in says
    assert "Keeps 10.0 GB of the volume free" in says
    assert "Nothing stays" in says
    assert "no bytes are left for a second burst" in said(size_bytes=GB, write_limit_bytes=GB)


def test_the_share_of_the_endurance_is_told_where_it_is_known() -> None:
    assert "that is 0.018 % of the 600 TB that it is rated for" in said(size_bytes=100 * GB, endurance=600 * 10**12)
    worn = fact("wear_ratio", 0.1, "smartctl")
    assert "is unknown" in said(worn)
    assert "the drive says that 10 % of it are used" in said(worn)
    written = Fact("life_written_bytes", 60 * 10**12, "bytes", "smartctl")
    assert "that is about 0.018 % of its endurance, reckoned" in said(worn, written, size_bytes=100 * GB)
    fresh = fact("wear_ratio", 0.01, "smartctl")
    assert "is unknown" in said(fresh, written)
    assert "does not wear by it" in said(fact("rotational", True, "sysfs"))
    assert "not known, as this disk is virtual" in said(
        fact("rotational", True, "sysfs"), fact("bus", "virtio", "sysfs")
    )


def test_a_measured_rate_replaces_the_assumed_one() -> None:
    says = said(size_bytes=100 * GB, rest_ns=0, expected=Expected(1e9, "as measured on 2026-05-01"))
    assert "Takes about 3 min 30 s at 1000 MB/s (as measured on 2026-05-01)" in says


def test_the_least_that_is_named_is_enough() -> None:
    assert make_order(FOLDER, wish(size_bytes=4 * MIB), facts()).byte_limit == 4 * MIB
