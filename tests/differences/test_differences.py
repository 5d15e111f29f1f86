"""What counts as different, in which order it is told and in which words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.differences import differences, known_on_one_side
from graycard.differences.suspects import IGNORED, IGNORED_FACTORS, SUSPECTS
from graycard.facts import TERMS, fact
from graycard.model import Fact, FactValue

GB = 10**9


def facts(**values: FactValue) -> tuple[Fact, ...]:
    return tuple(fact(name, value, "test") for name, value in values.items())


def said(name: str, base: FactValue, other: FactValue, **more: FactValue) -> list[str]:
    return [each.says for each in differences(facts(**{name: base}, **more), facts(**{name: other}, **more))]


@pytest.mark.parametrize(
    ("name", "base", "other", "says"),
    [
        ("link_bits_per_s", 5_000_000_000, 480_000_000, "link: 5.00 Gbit/s against 480 Mbit/s"),
        ("file_system", "exfat", "ext4", "file system: exfat against ext4"),
        ("file_system_driver", "FUSE ntfs-3g", "kernel ntfs3", "file system driver: FUSE ntfs-3g against kernel ntfs3"),
        ("rotational", True, False, "rotational: yes against no"),
        ("allocation_unit_bytes", 4096, 131072, "allocation unit: 4 KiB against 128 KiB"),
        ("device_id", "aa", "bb", "another drive"),
        ("file_system_id", "aa", "bb", "another volume, or one formatted anew"),
        ("used_ratio", 0.7, 0.95, "used: 70 % against 95 %: one is more than 90 % full"),
        ("used_ratio", 0.79, 0.86, "used: 79 % against 86 %: one is more than 80 % full"),
        ("used_ratio", 0.2, 0.3, "used: 20 % against 30 %"),
        ("mount_options", "rw,relatime,discard", "rw,relatime", "mount options: discard against none"),
        ("mount_options", "rw,a=1,uid=7", "rw,b,uid=8,a=2", "mount options: a=1 against b, a=2"),
        ("engine_settings", "bs=1M sync=0", "bs=1M sync=1", "engine settings: sync=0 against sync=1"),
        ("engine_settings", "pool, fixed files", "pool", "engine settings: fixed files against none"),
        ("size_bytes", 511_000_000, 1 << 29, "size: 511 MB against 537 MB"),
        ("mount_options", "rw", "ro", "mount options: none against ro"),
        ("temperature_celsius", 35, 47, "temperature: 35 °C against 47 °C"),
        ("load_average", 0.5, 3.0, "load average: 0.500 against 3.00"),
        ("memory_bytes", 16 * GB, 32 * GB, "memory: 16.0 GB against 32.0 GB"),
        ("file_extent_count", 3, 900, "file extent count: 3 against 900"),
        ("mount_source", "nas:/a", "nas:/b", "mount source: nas:/a against nas:/b"),
        ("wifi_signal_dbm", -52, -71, "wifi signal: -52 dBm against -71 dBm"),
    ],
)  # fmt: skip
def test_a_line_has_both_values_in_units_people_read(name: str, base: FactValue, other: FactValue, says: str) -> None:
    assert said(name, base, other) == [says]


@pytest.mark.parametrize(
    ("name", "base", "other"),
    [
        ("used_ratio", 0.78, 0.82),
        ("free_bytes", 5 * GB, 6 * GB),
        ("load_average", 0.2, 1.1),
        ("temperature_celsius", 35, 44),
        ("wifi_signal_dbm", -52, -60),
        ("memory_bytes", 16_000_000_000, 16_100_000_000),
        ("mount_source", "/dev/sda1", "/dev/sdb1"),
        ("mount_options", "rw,uid=1000,fd=7", "rw, uid=0"),
        ("mount_options", "a,b", "b,a"),
        ("mount_point", "/a", "/b"),
        ("file_extent_count", 3, 30),
        ("file_extent_count", 90, 120),
        ("file_cached_bytes", 3, 30),
        ("device_written_bytes", 3, 30),
        ("link_bits_per_s", None, 480_000_000),
    ],
)
def test_what_always_differs_is_no_suspect(name: str, base: FactValue, other: FactValue) -> None:
    assert said(name, base, other) == []


def test_the_drives_own_limit_counts_where_it_is_near() -> None:
    assert said("temperature_celsius", 66, 71, temperature_limit_celsius=70) == ["temperature: 66 °C against 71 °C"]
    assert said("temperature_celsius", 60, 65, temperature_limit_celsius=70) == []


def test_the_largest_suspect_comes_first() -> None:
    base = facts(kernel_version="6.1", file_system="ext4", bus="usb", used_ratio=0.2, link_bits_per_s=5e9)
    other = facts(kernel_version="6.9", file_system="exfat", bus="nvme", used_ratio=0.97, link_bits_per_s=48e7)
    names = [each.name for each in differences(base, other)]
    assert names == ["bus", "link_bits_per_s", "file_system", "used_ratio", "kernel_version"]
    assert [each.factor for each in differences(base, other)][:3] == ["connection", "connection", "format"]


def test_what_one_side_alone_knows_is_named_apart() -> None:
    base, other = facts(bus="usb", io_scheduler="none", mount_point="/a"), facts(bus="usb", rotational=True)
    assert differences(base, other) == ()
    assert known_on_one_side(base, other) == ("rotational", "io_scheduler")


def test_every_fact_of_the_vocabulary_is_a_suspect_or_left_out_for_a_reason() -> None:
    read = {name for name, term in TERMS.items() if term.factor not in IGNORED_FACTORS}
    named = {suspect.name for suspect in SUSPECTS}
    assert named | IGNORED.keys() == read
    assert not named & IGNORED.keys()
    assert all(suspect.reason for suspect in SUSPECTS)


def test_the_table_of_suspects_is_documented_in_its_order() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "method.md").read_text(encoding="utf-8")
    section = page.partition("### Suspects")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_]+)` \| (.+?) \|$", section, re.MULTILINE)
    assert rows == [(suspect.name, suspect.reason) for suspect in SUSPECTS]


values = st.one_of(
    st.none(), st.booleans(), st.text(max_size=200), st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
any_facts = st.lists(st.builds(lambda name, value: fact(name, value, "x"), st.sampled_from(sorted(TERMS)), values))


@given(any_facts, any_facts)
def test_any_facts_can_be_compared_both_ways(base: list[Fact], other: list[Fact]) -> None:
    ours, theirs = differences(base, other), differences(other, base)
    assert [each.name for each in ours] == [each.name for each in theirs]
    assert [(each.base, each.other) for each in ours] == [(each.other, each.base) for each in theirs]
    assert all(each.says for each in ours)
    assert differences(base, base) == ()
