"""The pure functions that read what macOS prints, on stored output."""

from __future__ import annotations

import json

import pytest

from graycard.host.link import Link
from graycard.host.macos_disks import bus_of, disk_facts, parse_info, volume_facts, whole_disk
from graycard.host.macos_links import parse_rate, read_profile, read_thunderbolt
from graycard.host.macos_mounts import Mount, nfs_version, parse_df, parse_mount, smb_version
from graycard.host.macos_probes import power_source
from tests.host.mac_machine import KEYS_MISSING, MOUNT, NON_ROMAN, USB, df_line
from tests.host.stored_samples import by_name, right_values, sample


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
