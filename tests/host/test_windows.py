"""The Windows host as a whole, on stored output of its commands."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from graycard.errors import TargetProblem
from graycard.host.portable import hashed
from graycard.host.windows import WindowsHost
from graycard.host.windows_calls import (
    DRIVE_CDROM,
    DRIVE_REMOTE,
    FILE_ATTRIBUTE_COMPRESSED,
    FILE_READ_ONLY_VOLUME,
)
from graycard.model import Target, TargetKind
from graycard.protocols import Host
from tests.host.stored_samples import Answers, by_name, sample
from tests.host.windows_machine import NTFS, RUNNER, SAMPLES, FakeCalls, powershell


def test_it_is_a_host() -> None:
    host: Host = WindowsHost(powershell(), FakeCalls())
    assert host.name == "windows"
    assert host.levels(SAMPLES) == ()


def test_whole_run_of_facts_on_the_stored_machine() -> None:
    """The samples are tables: the machine of a session that may not print objects as JSON."""
    calls = FakeCalls(label="", size_bytes=161_000_000_000, free_bytes=40_250_000_000)
    run = Answers(
        {"powershell -NoProfile -NonInteractive -Command Get-PhysicalDisk": sample(RUNNER), "fsutil": sample(NTFS)}
    )
    found = by_name(WindowsHost(run, calls).facts(SAMPLES))
    assert found["device_name"] == "PhysicalDrive1"
    assert found["device_model"] == "Virtual HD"
    assert found["device_size_bytes"] == 150 * 2**30  # INDEX.tsv: 150 GB, and PowerShell counts in 1024
    assert found["rotational"] is None  # INDEX.tsv: media type unknown
    assert found["device_id"] is None  # the column of serial numbers is empty
    assert found["health"] == "passed"
    assert found["logical_block_bytes"] == 512
    assert found["physical_block_bytes"] == 4096
    assert found["allocation_unit_bytes"] == 4096
    assert found["bus"] is None
    assert found["os_name"] is None
    assert found["file_system"] == "ntfs"
    assert found["file_system_id"] == "CAFE1234"
    assert found["volume_name"] is None
    assert found["used_ratio"] == 0.75
    assert found["power_source"] == "mains"
    assert "fsutil fsinfo ntfsinfo D:" in run.asked


def test_whole_run_of_facts_where_powershell_prints_json() -> None:
    run = powershell()
    found = by_name(WindowsHost(run, FakeCalls()).facts(SAMPLES))
    assert len(run.asked) == 1  # PowerShell is slow to start
    assert found["bus"] == "nvme"
    assert found["rotational"] is False
    assert found["device_model"] == "Samsung SSD 990 PRO 2TB"
    assert found["device_firmware"] == "4B2QJXD7"
    assert found["device_id"] == hashed("0025_3851_2345_6789.")
    assert found["device_size_bytes"] == 2000398934016
    assert found["partition_scheme"] == "gpt"
    assert (found["temperature_celsius"], found["temperature_limit_celsius"], found["wear_ratio"]) == (41, 85, 0.02)
    assert (found["logical_block_bytes"], found["physical_block_bytes"]) == (512, 4096)
    assert found["os_name"] == "Windows 11 Pro"
    assert found["kernel_version"] == "10.0.22631"
    assert found["cpu_model"] == "AMD Ryzen 9 7950X 16-Core Processor"
    assert found["memory_bytes"] == 34282221568
    assert found["virtual_machine"] == "none"


@pytest.mark.parametrize(
    ("maker", "model", "present", "name"),
    [
        ("VMware, Inc.", "VMware20,1", True, "VMware, Inc. VMware20,1"),
        ("Microsoft Corporation", "Virtual Machine", True, "Microsoft Corporation Virtual Machine"),
        ("Dell Inc.", "XPS", True, None),  # its own Hyper-V, or a stranger's: unknown
        ("Dell Inc.", "XPS", False, "none"),
    ],
)
def test_hypervisors(maker: str, model: str, present: bool, name: str | None) -> None:
    computer = {"Manufacturer": maker, "Model": model, "HypervisorPresent": present}
    found = by_name(WindowsHost(powershell({"computer": computer}), FakeCalls()).facts(SAMPLES))
    assert found["virtual_machine"] == name


def test_a_share_is_named_with_its_server_and_has_no_disk() -> None:
    calls = FakeCalls()
    calls.kind = DRIVE_REMOTE
    run = powershell()
    target = Target("\\\\nas\\media\\day 1", TargetKind.SHARE)
    found = by_name(WindowsHost(run, calls).facts(target))
    assert (found["bus"], found["server"], found["mount_source"]) == ("network", "nas", "\\\\nas\\media")
    assert "device_model" not in found
    assert found["os_name"] == "Windows 11 Pro"


def test_fat_and_compression_are_told() -> None:
    calls = FakeCalls(file_system="FAT32", flags=FILE_READ_ONLY_VOLUME)
    calls.attribute_bits = FILE_ATTRIBUTE_COMPRESSED
    found = by_name(WindowsHost(powershell(), calls).facts(SAMPLES))
    assert found["file_size_limit_bytes"] == 2**32 - 1
    assert found["compression"] == "compressed"
    assert found["mount_options"] == "read-only"


def test_volumes_and_why_not() -> None:
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    assert [volume.mount_point for volume in host.volumes()] == ["C:\\", "D:\\"]
    assert host.volumes()[0].why_not is None
    calls.state = calls.state._replace(flags=FILE_READ_ONLY_VOLUME) if calls.state else None
    assert (host.volume(SAMPLES).why_not or "").startswith("mounted read-only")
    assert host.volume(Target("D:\\clip.mov", TargetKind.FILE)).why_not is None
    calls.state = None
    assert (host.volumes()[0].why_not or "").startswith("no medium")
    assert host.volumes()[0].size_bytes is None
    calls.kind = DRIVE_REMOTE
    assert (host.volumes()[0].why_not or "").startswith("the share does not answer")
    calls.kind = DRIVE_CDROM
    assert host.volumes() == ()


def test_counters_name_the_disk_and_keep_silent_on_what_the_cache_blurs(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = SimpleNamespace(read_count=1, write_count=2, read_bytes=3000, write_bytes=4000)
    monkeypatch.setattr(psutil, "disk_io_counters", lambda perdisk: {"PhysicalDrive1": reading})
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    found = by_name(host.counters(SAMPLES))
    assert (found["device_read_bytes"], found["device_written_bytes"], found["device_ops_count"]) == (3000, 4000, 3)
    assert (found["clock_monotonic_ns"], found["clock_boottime_ns"], found["clock_realtime_ns"]) == (5, 7, 11)
    assert found["own_read_bytes"] is None
    calls.disk = None
    assert by_name(WindowsHost(powershell(), calls).counters(SAMPLES))["device_read_bytes"] is None


@pytest.mark.parametrize(
    "path",
    [
        r"\\.\PhysicalDrive0",
        "//./PhysicalDrive0",
        r"\\.\C:",
        r"\\?\PhysicalDrive0",
        r"\\?\GLOBALROOT\Device\Harddisk0\Partition0",
        r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}",
        r"\\.\pipe\name",
    ],
)
def test_raw_devices_are_refused_everywhere(path: str, tmp_path: Path) -> None:
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    with pytest.raises(TargetProblem, match="is a raw device, and graycard never writes to raw devices"):
        host.resolve(path)
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.open_file(path, write=True, direct=True)
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.create_file(path, direct=True, nocow=False)
    assert calls.opened == []


def test_resolve(tmp_path: Path) -> None:
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    (tmp_path / "clip.mov").write_bytes(b"x")
    assert host.resolve(str(tmp_path / "clip.mov")).kind is TargetKind.FILE
    assert host.resolve("D:\\samples") == SAMPLES
    calls.kind = DRIVE_REMOTE
    assert host.resolve("\\\\nas\\media").kind is TargetKind.SHARE
    with pytest.raises(TargetProblem, match="there is no"):
        host.resolve(str(tmp_path / "missing"))
    with pytest.raises(TargetProblem, match="is no path"):
        host.resolve("")
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.resolve("/dev/null")  # as \\.\NUL, which Windows gives the mode of a character device
