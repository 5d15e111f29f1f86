"""The macOS host as a whole, on stored output of its commands."""

from __future__ import annotations

import plistlib
from types import SimpleNamespace

import psutil
import pytest

from graycard.errors import TargetProblem
from graycard.host.link import Link
from graycard.host.macos import MacHost
from graycard.host.macos_links import read_registry
from graycard.host.portable import hashed
from graycard.model import Target, TargetKind
from graycard.protocols import Host
from tests.host.mac_machine import DISK0, DISK0S2, MOUNT, SYSCTL, FakeCalls, df_line, hfs_machine
from tests.host.stored_samples import Answers, by_name, right_values, sample


def test_it_is_a_host() -> None:
    host: Host = MacHost(hfs_machine(), FakeCalls())
    assert host.name == "macos"
    assert host.levels(Target("/", TargetKind.FOLDER)) == ()


def test_whole_run_of_facts_on_the_stored_machine() -> None:
    volume, disk = right_values(DISK0S2), right_values(DISK0)
    host = MacHost(hfs_machine(), FakeCalls())
    found = by_name(host.facts(Target("/", TargetKind.FOLDER)))
    assert found["file_system"] == volume["FilesystemType"]
    assert found["mount_point"] == volume["MountPoint"]
    assert found["mount_options"] == "local, journaled"
    assert found["size_bytes"] == volume["Size"]
    assert found["free_bytes"] == 18913898496
    assert found["used_ratio"] == pytest.approx(1 - 18913898496 / 42089095168)
    assert found["allocation_unit_bytes"] == 4096
    assert found["volume_name"] == "OSX"
    assert found["partition_scheme"] == "gpt"
    assert found["device_name"] == disk["DeviceIdentifier"]
    assert found["device_model"] == disk["MediaName"]
    assert found["device_size_bytes"] == disk["TotalSize"]
    assert found["rotational"] is not disk["SolidState"]
    assert found["bus"] == str(disk["BusProtocol"]).lower()
    assert found["logical_block_bytes"] == 512
    assert found["health"] is None  # "Not Supported" is not a verdict
    assert found["encryption"] is None
    assert found["link_bits_per_s"] is None
    assert found["os_name"] == "macOS 10.14.6"
    assert found["cpu_model"] == "Apple M1 Pro"
    assert found["memory_bytes"] == 16 * 2**30
    assert found["virtual_machine"] == "none"
    assert found["power_source"] == "mains"
    assert found["load_average"] == 1.52
    assert found["file_size_limit_bytes"] is None


def test_a_usb_disk_below_an_apfs_container_has_the_link_of_the_stored_profile() -> None:
    """The volume lies in the synthesized disk3; its store is on disk2, the SanDisk of the sample at super_speed."""
    volume = {
        "FilesystemType": "apfs",
        "ParentWholeDisk": "disk3",
        "APFSPhysicalStores": [{"APFSPhysicalStore": "disk2s2"}],
        "APFSContainerFree": 400_000_000_000,
        "FileVault": False,
        "Encryption": True,
    }
    disk = {"DeviceIdentifier": "disk2", "BusProtocol": "USB", "Internal": False, "SMARTStatus": "Verified"}
    run = hfs_machine(
        df=df_line("/dev/disk3s1", 976_556_640, 390_625_000 + 1, "/Volumes/Extreme SSD"),
        mount=b"/dev/disk3s1 on /Volumes/Extreme SSD (apfs, local, nodev, nosuid, journaled, noowners)\n",
        **{
            "diskutil info -plist /dev/disk3s1": plistlib.dumps(volume),
            "diskutil info -plist disk2": plistlib.dumps(disk),
        },
    )
    found = by_name(MacHost(run, FakeCalls()).facts(Target("/Volumes/Extreme SSD", TargetKind.FOLDER)))
    assert found["bus"] == "usb"
    assert found["link_bits_per_s"] == 5_000_000_000
    assert found["link_ceiling_bytes_per_s"] == 500e6  # interfaces.csv: USB 3.2 Gen 1
    assert found["free_bytes"] == 400_000_000_000
    assert found["encryption"] == "apfs"
    assert found["health"] == "passed"
    assert found["device_id"] == hashed("REMOVED")
    assert "REMOVED" not in str(found["device_id"])


def test_a_share_is_named_with_server_and_dialect_and_without_user_and_disk() -> None:
    mounts = sample(MOUNT)
    run = hfs_machine(
        df=df_line("//user@NAS._afpovertcp._tcp.local/share", 1_000_000, 250_000, "/Volumes/share"), mount=mounts
    )
    found = by_name(MacHost(run, FakeCalls()).facts(Target("/Volumes/share", TargetKind.SHARE)))
    assert found["bus"] == "network"
    assert found["file_system"] == "afpfs"
    assert found["server"] == "NAS._afpovertcp._tcp.local"
    assert found["mount_source"] == "//NAS._afpovertcp._tcp.local/share"
    assert "device_name" not in found
    assert not any(command.startswith("diskutil") for command in run.asked)


def test_the_registry_tells_the_link_where_the_profile_does_not() -> None:
    """Since macOS 26 SPUSBDataType is empty."""
    disk = {"IOObjectClass": "IOMedia", "BSD Name": "disk0"}
    device = {"USB Product Name": "SSD", "UsbLinkSpeed": 480_000_000, "IORegistryEntryChildren": [disk]}
    hub = {"UsbLinkSpeed": 10_000_000_000, "IORegistryEntryChildren": [device]}
    registry = plistlib.dumps([hub])
    assert read_registry(registry, "disk0") == Link.usb(480_000_000)
    assert read_registry(b"", "disk0") is None
    usb = plistlib.dumps({**plistlib.loads(sample(DISK0)), "BusProtocol": "USB"})
    run = hfs_machine(system_profiler=b'{"SPUSBDataType" : []}', ioreg=registry, **{"diskutil info -plist disk0": usb})
    found = by_name(MacHost(run, FakeCalls()).facts(Target("/", TargetKind.FOLDER)))
    assert found["link_bits_per_s"] == 480_000_000
    assert found["link_ceiling_bytes_per_s"] == pytest.approx(53.2e6, rel=1e-2)  # interfaces.csv: USB 2.0


def test_a_virtual_machine_is_named_by_its_model() -> None:
    run = hfs_machine(sysctl=SYSCTL.replace(b"present: 0", b"present: 1").replace(b"MacBookPro18,3", b"VirtualMac2,1"))
    found = by_name(MacHost(run, FakeCalls()).facts(Target("/", TargetKind.FOLDER)))
    assert found["virtual_machine"] == "VirtualMac2,1"


def test_a_machine_that_answers_nothing_more_than_the_volume() -> None:
    machine = hfs_machine()
    run = Answers({key: machine.table[key] for key in ("df", "mount")})
    found = by_name(MacHost(run, FakeCalls()).facts(Target("/", TargetKind.FOLDER)))
    assert found["file_system"] == "hfs"
    assert [found[name] for name in ("os_name", "cpu_model", "memory_bytes", "virtual_machine", "power_source")] == (
        [None] * 5
    )


def test_volumes_of_the_stored_mounts() -> None:
    space = df_line("/dev/disk1s1", 1000, 400, "/")
    first, share = MacHost(Answers({"mount": sample(MOUNT), "df": space}), FakeCalls()).volumes()
    assert (first.mount_point, first.size_bytes, first.free_bytes) == ("/", 1024000, 409600)
    assert first.why_not is None
    assert share.network
    assert share.size_bytes is None  # df gave no line for it: unknown, not zero


def test_why_a_volume_cannot_be_measured() -> None:
    sealed = b"/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
    host = MacHost(Answers({"mount": sealed, "df": df_line("/dev/disk3s1s1", 1000, 400, "/")}), FakeCalls())
    assert (host.volume(Target("/", TargetKind.FOLDER)).why_not or "").startswith("mounted read-only")
    assert host.volume(Target("/bin/ls", TargetKind.FILE)).why_not is None
    locked = MacHost(hfs_machine(), FakeCalls()).volume(Target("/locked", TargetKind.FOLDER))
    assert (locked.why_not or "").startswith("this user may not write here")


def test_a_volume_that_is_gone_is_refused() -> None:
    with pytest.raises(TargetProblem, match="no mounted volume is known to hold /gone"):
        MacHost(Answers({}), FakeCalls()).volume(Target("/gone", TargetKind.FOLDER))


def test_fat_limits_the_file() -> None:
    fat = b"/dev/disk0s2 on / (msdos, local, nodev)\n"
    found = by_name(MacHost(hfs_machine(mount=fat), FakeCalls()).facts(Target("/", TargetKind.FOLDER)))
    assert found["file_size_limit_bytes"] == 2**32 - 1


def test_counters_are_read_without_asking_the_disk_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = SimpleNamespace(read_count=10, write_count=20, read_bytes=3000, write_bytes=4000)
    monkeypatch.setattr(psutil, "disk_io_counters", lambda perdisk: {"disk0": reading})
    run = hfs_machine()
    host = MacHost(run, FakeCalls())
    target = Target("/", TargetKind.FOLDER)
    found = by_name(host.counters(target))
    asked = len(run.asked)
    host.counters(target)
    assert len(run.asked) == asked
    assert (found["clock_monotonic_ns"], found["clock_boottime_ns"], found["clock_realtime_ns"]) == (5, 7, 11)
    assert (found["own_read_bytes"], found["own_written_bytes"]) == (4096, 8192)
    assert (found["device_read_bytes"], found["device_written_bytes"], found["device_ops_count"]) == (3000, 4000, 30)
    total, idle, own = (int(found[name] or 0) for name in ("cpu_total_ns", "cpu_idle_ns", "cpu_own_ns"))
    assert 0 < own < total
    assert idle < total
