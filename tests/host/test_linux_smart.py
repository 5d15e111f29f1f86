"""smartctl's three forms, from stored outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from host.stored_samples import sample
from host.trees import Tree, nvme_disk

from graycard.host.linux.smart import Smart, parse_smart, read_smart


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("01-nvme-ct250p2.json", Smart("passed", 0.0, 26, None, throttled=False)),
        ("02-nvme-samsung.json", Smart("passed", 0.0, 40, None, throttled=False)),
        ("03-ata.json", Smart("passed", None, 32, None, throttled=None)),
        ("04-nvme-failed.json", Smart("passed", 0.03, 35, None, throttled=False)),
        ("05-scsi.json", Smart("passed", None, 34, 68, throttled=None)),
        ("06-usb-sat.json", Smart(None, None, 29, None, throttled=None)),
        ("07-open-failed.json", Smart()),
        ("08-virtio-unsupported.json", Smart()),
    ],
)
def test_stored_outputs(name: str, expected: Smart) -> None:
    assert parse_smart(sample(f"smartctl/{name}")) == expected


def test_a_drive_too_warm_and_failing() -> None:
    text = b'{"smart_status": {"passed": false}, "nvme_smart_health_information_log": {"critical_warning": 2}}'
    assert parse_smart(text) == Smart("failed", throttled=True)


def test_limits_and_wear_of_newer_versions() -> None:
    nvme = b'{"nvme_composite_temperature_threshold": {"warning": 84}, "endurance_used": {"current_percent": 7}}'
    assert parse_smart(nvme) == Smart(wear_ratio=0.07, temperature_limit_celsius=84)
    ssd = b'{"ata_smart_attributes": {"table": [{"name": "SSD_Life_Left", "value": 91}, {"name": "X", "value": 1}]}}'
    assert parse_smart(ssd).wear_ratio == pytest.approx(0.09)


@pytest.mark.parametrize("text", [b"", b"smartctl: command not found", b"[]", b'{"temperature": 5}', b"3"])
def test_what_is_no_answer_tells_nothing(text: bytes) -> None:
    assert parse_smart(text) == Smart()


def test_a_drive_that_may_not_be_read_is_not_asked(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    assert read_smart(nvme_disk(tree), tree.roots) is None
