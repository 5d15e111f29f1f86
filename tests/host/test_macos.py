"""The macOS host on stored output of its commands, and its way with files on a real file system."""

from __future__ import annotations

import json
import os
import plistlib
import socket
import stat
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from graycard.errors import RunProblem, TargetProblem
from graycard.host.link import Link
from graycard.host.macos import MacHost
from graycard.host.macos_calls import RusageInfoV2, native_calls
from graycard.host.macos_disks import bus_of, disk_facts, parse_info, volume_facts, whole_disk
from graycard.host.macos_files import compression_probe, create_new, drop_pages, file_facts, hole_bytes, open_existing
from graycard.host.macos_links import parse_rate, read_profile, read_registry, read_thunderbolt
from graycard.host.macos_mounts import Mount, nfs_version, parse_df, parse_mount, smb_version
from graycard.host.macos_probes import power_source
from graycard.host.portable import Clocks, hashed
from graycard.model import Target, TargetKind
from graycard.protocols import Host
from tests.host.stored_samples import Answers, by_name, right_values, sample

DISK0 = "diskutil/02-diskutil-info-disk0.plist"
NON_ROMAN = "diskutil/03-diskutil-info-nonroman.plist"
KEYS_MISSING = "diskutil/04-diskutil-info-keys-missing.plist"
DISK0S2 = "diskutil/05-diskutil-info-disk0s2.plist"
MOUNT = "mount/01-macos-10.14-afp-apfs.txt"
USB = "system_profiler/01-SPUSBDataType.json"

SYSCTL = b"""hw.memsize: 17179869184
hw.model: MacBookPro18,3
machdep.cpu.brand_string: Apple M1 Pro
kern.hv_vmm_present: 0
vm.loadavg: { 1.52 1.60 1.70 }
"""


class FakeCalls:
    """MacCalls on Linux: notes what was asked, in order."""

    def __init__(self, *, refuses_bypass: bool = False) -> None:
        self.asked: list[str] = []
        self._refuses_bypass = refuses_bypass

    def bypass_cache(self, descriptor: int) -> None:
        self.asked.append(f"bypass at size {os.fstat(descriptor).st_size}")
        if self._refuses_bypass:
            raise OSError(25, "Inappropriate ioctl for device")

    def flush(self, descriptor: int) -> None:
        self.asked.append("flush")

    def evict(self, descriptor: int, size_bytes: int) -> None:
        self.asked.append(f"evict {size_bytes}")

    def own_io(self) -> tuple[int, int]:
        return 4096, 8192

    def clocks(self) -> Clocks:
        return Clocks(awake_ns=5, with_sleep_ns=7, real_ns=11)

    def file_limit_bytes(self) -> int | None:
        return None

    def compressed(self, descriptor: int) -> bool:
        return False

    def writable(self, folder: str) -> bool:
        return folder != "/locked"


def df_line(source: str, size_kib: int, free_kib: int, point: str) -> bytes:
    head = "Filesystem  1024-blocks      Used Available Capacity  Mounted on\n"
    return f"{head}{source} {size_kib} {size_kib - free_kib} {free_kib}    56%    {point}\n".encode()


def hfs_machine(**more: bytes) -> Answers:
    """The machine of the diskutil samples: HFS+ on the second partition of a SATA disk."""
    volume = plistlib.loads(sample(DISK0S2))
    table = {
        "df": df_line("/dev/disk0s2", volume["Size"] // 1024, volume["FreeSpace"] // 1024, "/"),
        "mount": b"/dev/disk0s2 on / (hfs, local, journaled)\ndevfs on /dev (devfs, local, nobrowse)\n",
        "diskutil info -plist /dev/disk0s2": sample(DISK0S2),
        "diskutil info -plist disk0": sample(DISK0),
        "system_profiler": sample(USB),
        "sw_vers -productVersion": b"10.14.6\n",
        "sysctl": SYSCTL,
        "pmset": b"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged; 0:00 remaining\n",
    }
    return Answers({**table, **more})


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


def test_the_non_roman_name_comes_through() -> None:
    facts = by_name(disk_facts(parse_info(sample(NON_ROMAN)), "diskutil"))
    assert facts["device_model"] == right_values(NON_ROMAN)["MediaName"]


def test_missing_keys_are_unknown_facts() -> None:
    facts = by_name(disk_facts(parse_info(sample(KEYS_MISSING)), "diskutil"))
    assert facts["device_size_bytes"] == right_values(KEYS_MISSING)["Size"]
    assert [facts[name] for name in ("bus", "device_model", "rotational", "logical_block_bytes")] == [None] * 4


@pytest.mark.parametrize("output", [b"", b"Could not find disk: disk9\n", b"<plist><array/></plist>", b"\xff\xfe"])
def test_what_is_no_property_list_of_a_disk_is_empty(output: bytes) -> None:
    assert parse_info(output) == {}
    assert whole_disk(parse_info(output)) is None


@pytest.mark.parametrize(
    ("protocol", "internal", "word"),
    [
        ("PCI-Express", True, "nvme"),
        ("PCI-Express", False, "thunderbolt"),
        ("Apple Fabric", True, "nvme"),
        ("Secure Digital", False, "mmc"),
        ("Disk Image", False, "disk image"),
        ("Something New", True, "something new"),
    ],
)
def test_buses(protocol: str, internal: bool, word: str) -> None:
    assert bus_of({"BusProtocol": protocol, "Internal": internal}) == word


def test_filevault_is_told() -> None:
    assert by_name(volume_facts({"FileVault": True, "Encryption": True}, "d"))["encryption"] == "FileVault"
    assert by_name(volume_facts({"Encryption": False}, "d"))["encryption"] == "off"


def test_the_stored_mounts() -> None:
    mounts = {mount.point: mount for mount in parse_mount(sample(MOUNT))}
    assert len(mounts) == 7
    assert mounts["/"] == Mount("/dev/disk1s1", "/", "apfs", ("local", "journaled"))
    assert not mounts["/"].network
    assert mounts["/Volumes/share"].file_system == "afpfs"
    assert mounts["/Volumes/share"].network
    assert mounts["/net"].source == "map -hosts"
    assert [point for point, mount in mounts.items() if mount.for_users] == ["/", "/Volumes/share"]


def test_mounts_with_odd_names() -> None:
    lines = (
        "/dev/disk4s1 on /Volumes/A on B (backup) (exfat, local, nodev)",
        "//u@nas/Kino%20%C3%BC on /Volumes/Kino ü (smbfs)",
    )
    backup, cinema = parse_mount("\n".join(lines).encode())
    assert backup.point == "/Volumes/A on B (backup)"
    assert cinema.server == "nas"
    assert cinema.network


@pytest.mark.parametrize(
    ("source", "server"),
    [("nas:/export/media", "nas"), ("[fe80::1]:/export", "[fe80::1]"), ("//nas.local/m", "nas.local"), ("odd", None)],
)
def test_servers(source: str, server: str | None) -> None:
    assert Mount(source, "/Volumes/x", "nfs", ()).server == server


def test_df_with_and_without_inode_columns() -> None:
    with_inodes = (
        b"/dev/disk3s1   482797652 346442924  93317752    79% 5279054 933177520    1%   /System/Volumes/Data\n"
    )
    (found,) = parse_df(with_inodes)
    assert (found.point, found.size_bytes, found.free_bytes) == (
        "/System/Volumes/Data",
        482797652 * 1024,
        93317752 * 1024,
    )
    (share,) = parse_df(df_line("//u@nas/My Share", 2000, 1000, "/Volumes/My Share"))
    assert (share.source, share.point, share.free_bytes) == ("//u@nas/My Share", "/Volumes/My Share", 1000 * 1024)


def test_versions_of_shares() -> None:
    assert smb_version(b"  SMB_VERSION                   SMB_3.1.1\n  SMB_SHARE_TYPE  DISK\n") == "3.1.1"
    assert nfs_version(b"/mnt from nas:/x\n  -- Current: \n     NFS parameters: vers=4.0,tcp,port=2049\n") == "4.0"
    assert smb_version(b"") is None
    assert nfs_version(b"") is None


def test_the_stored_link_speeds() -> None:
    """INDEX.tsv: super_speed=5 Gbit/s. The disk hangs below a hub; its own speed counts, not that of a neighbour."""
    assert read_profile(sample(USB), "disk2").link == Link(5_000_000_000, 500e6)
    assert read_profile(sample(USB), "disk7").link is None
    slower = sample(USB).replace(b'"super_speed"', b'"high_speed"')
    assert read_profile(slower, "disk2").link == Link(480_000_000, 13 * 512 * 8000)
    faster = sample(USB).replace(b'"super_speed"', b'"super_speed_plus"')
    found = read_profile(faster, "disk2").link
    assert found is not None
    assert found.bits_per_s == 10_000_000_000
    assert found.ceiling_bytes_per_s == pytest.approx(1212.1e6, rel=1e-4)  # interfaces.csv: USB 3.2 Gen 2


def test_nvme_and_sata_links() -> None:
    nvme = {
        "_name": "Generic SSD Controller",
        "_items": [
            {
                "bsd_name": "disk4",
                "spnvme_linkspeed": "8.0 GT/s",
                "spnvme_linkwidth": "x4",
                "device_revision": "FW-B",
                "device_serial": "SERIAL-B",
            }
        ],
    }
    sata = {"spsata_negotiatedlinkspeed": "6 Gigabit", "_items": [{"bsd_name": "disk0", "device_revision": "01.01A01"}]}
    profile = json.dumps({"SPNVMeDataType": [nvme], "SPSerialATADataType": [sata]}).encode()
    found = read_profile(profile, "disk4")
    assert found.link is not None
    assert found.link.bits_per_s == 32_000_000_000
    assert found.link.ceiling_bytes_per_s == pytest.approx(3938.5e6, rel=1e-4)  # interfaces.csv: PCIe 3.0 x4
    assert (found.firmware, found.serial) == ("FW-B", "SERIAL-B")
    assert read_profile(profile, "disk0").link == Link(6_000_000_000, 600e6)  # interfaces.csv: SATA III


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


def test_thunderbolt_only_where_one_speed_is_in_use() -> None:
    def bus(speed: str, *devices: str) -> dict[str, object]:
        port = {"current_speed_key": speed, "receptacle_status_key": "receptacle_connected"}
        return {"receptacle_1_tag": port, **({"_items": [{"_name": name} for name in devices]} if devices else {})}

    idle, used = bus("Up to 120 Gb/s"), bus("40 Gb/s", "RAID")
    one = json.dumps({"SPThunderboltDataType": [idle, used]}).encode()
    assert read_thunderbolt(one) == Link.thunderbolt(40_000_000_000)
    two = json.dumps({"SPThunderboltDataType": [bus("20 Gb/s", "Dock"), used]}).encode()
    assert read_thunderbolt(two) is None


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("5 Gb/s", 5_000_000_000),
        ("1,5 Gigabit", 1_500_000_000),
        ("8.0 GT/s", 8_000_000_000),
        ("up_to_480_Mb_per_sec", 480_000_000),
        ("", None),
        (None, None),
    ],
)
def test_rates(text: str | None, rate: int | None) -> None:
    assert parse_rate(text) == rate


def test_power() -> None:
    assert power_source(b"Now drawing from 'Battery Power'\n") == "battery"
    assert power_source(b"") is None


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


# Files: the same calls as on macOS, on a real file system.


def test_resolve_finds_the_real_path_and_kind(tmp_path: Path) -> None:
    host = MacHost(hfs_machine(), FakeCalls())
    (tmp_path / "clip ü.mov").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "clip ü.mov")
    assert host.resolve(str(tmp_path / "link")) == Target(str(tmp_path / "clip ü.mov"), TargetKind.FILE)
    assert host.resolve(str(tmp_path)).kind is TargetKind.FOLDER
    share = MacHost(
        Answers({"mount": sample(MOUNT), "df": df_line("//u@n/share", 9, 9, "/Volumes/share")}), FakeCalls()
    )
    assert share.resolve(str(tmp_path)).kind is TargetKind.SHARE


def test_resolve_refuses_what_is_no_place(tmp_path: Path) -> None:
    host = MacHost(hfs_machine(), FakeCalls())
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path, says in (
        ("/dev/null", "is a raw device"),
        (str(tmp_path / "pipe"), "is a pipe or a socket"),
        (str(tmp_path / "missing"), "there is no"),
        (str(tmp_path / "loop"), "lead in a circle"),
        ("", "is no path"),
        ("a\0b", "is no path"),
    ):
        with pytest.raises(TargetProblem, match=says):
            host.resolve(path)


def test_the_cache_is_bypassed_before_the_first_write(tmp_path: Path) -> None:
    calls = FakeCalls()
    path = str(tmp_path / "data")
    os.close(create_new(path, direct=True, calls=calls))
    assert calls.asked == ["bypass at size 0"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with pytest.raises(FileExistsError):
        create_new(path, direct=False, calls=calls)


def test_a_file_system_that_cannot_bypass_the_cache_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data"
    with pytest.raises(TargetProblem, match="refuses direct I/O; --cache cold"):
        create_new(str(path), direct=True, calls=FakeCalls(refuses_bypass=True))
    assert not path.exists()
    path.write_bytes(b"x" * 5000)
    with pytest.raises(TargetProblem, match="refuses direct I/O"):
        open_existing(str(path), write=False, direct=True, calls=FakeCalls(refuses_bypass=True))
    assert by_name(file_facts(str(path), FakeCalls(refuses_bypass=True)))["direct_requested"] is False
    assert by_name(file_facts(str(path), FakeCalls()))["direct_requested"] is True


def test_only_regular_files_are_opened_and_no_link_is_followed(tmp_path: Path) -> None:
    host = MacHost(hfs_machine(), FakeCalls())
    (tmp_path / "real").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name, says in (("link", "symbolic link"), ("pipe", "pipe or a socket"), ("missing", "is not there")):
            with pytest.raises(TargetProblem, match=says):
                host.open_file(str(tmp_path / name), write=False, direct=False)
        with pytest.raises(RunProblem) as caught:
            host.open_file(str(tmp_path / "socket"), write=False, direct=False)
        assert caught.value.phase == "prepare"
    with pytest.raises(TargetProblem, match="is a folder"):
        host.open_file(str(tmp_path), write=False, direct=False)
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.open_file("/dev/null", write=False, direct=False)
    with pytest.raises(TargetProblem, match="leave out --nocow"):
        host.create_file(str(tmp_path / "new"), direct=False, nocow=True)
    assert (tmp_path / "real").read_bytes() == b"kept"


def test_holes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"x" * 65536)
        file.truncate(1 << 20)
        file.seek(512 << 10)
        file.write(b"y" * 65536)
    with path.open("rb") as file:
        assert hole_bytes(file.fileno(), 1 << 20) == (1 << 20) - 2 * 65536
        assert hole_bytes(file.fileno(), 0) == 0
    found = by_name(file_facts(str(path), FakeCalls()))
    assert found["file_size_bytes"] == 1 << 20
    assert found["file_allocated_bytes"] == 2 * 65536
    assert found["file_encoded_bytes"] == 0


def test_the_cache_is_dropped_after_the_flush(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x" * 4096)
    (tmp_path / "empty").write_bytes(b"")
    drop_pages(str(tmp_path / "data"), calls)
    drop_pages(str(tmp_path / "empty"), calls)
    assert calls.asked == ["flush", "evict 4096", "flush"]


def test_the_probe_of_zeros_leaves_nothing(tmp_path: Path) -> None:
    calls = FakeCalls()
    found = by_name(compression_probe(str(tmp_path), calls))
    assert found["volume_compresses"] is False
    assert calls.asked == ["flush"]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TargetProblem, match="is not there"):
        compression_probe(str(tmp_path / "missing"), calls)


def test_the_real_calls_are_those_of_macos() -> None:
    with pytest.raises(OSError, match="calls of macOS"):
        native_calls()
    assert RusageInfoV2.ri_diskio_bytesread.offset == 16 + 16 * 8
