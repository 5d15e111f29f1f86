"""Warnings are functions of the facts alone: each one told where it holds, silent where it does not."""

from __future__ import annotations

import pytest

from graycard.facts import fact
from graycard.model import FactValue
from graycard.report.warnings import WARNERS, warnings


def told(**values: FactValue) -> tuple[str, ...]:
    return warnings(fact(name, value, "test") for name, value in values.items())


def test_nothing_is_said_of_a_quiet_machine_or_of_no_facts() -> None:
    assert warnings(()) == ()
    quiet = told(
        bus="usb",
        link_bits_per_s=5_000_000_000,
        used_ratio=0.9,
        temperature_celsius=41,
        virtual_machine="none",
        loop_direct_io=True,
        health="passed",
        power_source="mains",
        other_measurements_count=0,
        throttled=False,
    )
    assert quiet == ()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"bus": "usb", "link_bits_per_s": 480_000_000}, ("480 Mbit/s", "ceiling about 40 MB/s", "able, hub or port")),
        ({"bus": "usb", "link_bits_per_s": 12_000_000}, ("12.0 Mbit/s", "1 MB/s")),
        ({"used_ratio": 0.934, "free_bytes": 12_000_000_000}, ("93 % full", "12.0 GB free")),
        ({"temperature_celsius": 71}, ("hot: 71 °C",)),
        ({"temperature_celsius": 52, "temperature_limit_celsius": 55}, ("52 °C (it warns at 55 °C)",)),
        ({"throttled": True, "temperature_celsius": 80}, ("slows itself down", "80 °C")),
        ({"virtual_machine": "kvm"}, ("virtual machine (kvm)",)),
        ({"loop_direct_io": False}, ("loop device", "losetup --direct-io=on")),
        ({"health": "failed"}, ("health check failed",)),
        ({"power_source": "battery"}, ("battery",)),
        ({"bus": "memory", "file_system": "tmpfs"}, ("tmpfs keeps its files in memory",)),
        ({"other_measurements_count": 2}, ("2 other",)),
    ],
)
def test_each_warning(values: dict[str, FactValue], words: tuple[str, ...]) -> None:
    (sentence,) = told(**values)
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    "values",
    [
        {"bus": "sata", "link_bits_per_s": 480_000_000},
        {"bus": "usb", "link_bits_per_s": None},
        {"temperature_celsius": 60, "temperature_limit_celsius": 84},
        {"temperature_celsius": 69},
        {"virtual_machine": None},
        {"loop_direct_io": None},
        {"used_ratio": None},
    ],
)
def test_unknown_and_harmless_facts_are_no_warning(values: dict[str, FactValue]) -> None:
    assert told(**values) == ()


def test_every_warner_is_listed_once() -> None:
    assert len(set(WARNERS)) == len(WARNERS) == 9
