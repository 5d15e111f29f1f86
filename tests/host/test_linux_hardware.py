"""Bus, driver and link of disks, from trees of sysfs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from host.trees import SATA, USB, Tree, nvme_disk, sata_disk, usb_disk

from graycard.facts import number, value
from graycard.host.linux.block import disks_below, layers
from graycard.host.linux.condition import ConditionProbe, temperature
from graycard.host.linux.connection import ConnectionProbe
from graycard.host.linux.format import FormatProbe
from graycard.host.linux.hardware import bus_of, driver_of, link_of
from graycard.host.linux.medium import MediumProbe
from graycard.model import Fact, Target, TargetKind


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "machine")


def mounted(tree: Tree, number_: str, kind: str = "ext4") -> Target:
    """A target on a file system on that device; the path exists only in the tree's mount table."""
    tree.mounts("22 1 0:21 / / rw - rootfs rootfs rw", f"50 22 {number_} / /nowhere/here rw - {kind} /dev/x rw")
    return Target("/nowhere/here/folder", TargetKind.FOLDER)


def test_usb_at_480_megabits_passes_53_megabytes_at_most(tree: Tree) -> None:
    usb_disk(tree, hub="480", drive="480")
    facts = ConnectionProbe(tree.roots).read(mounted(tree, "8:32"))
    assert value(facts, "bus") == "usb"
    assert value(facts, "driver") == "uas"
    assert number(facts, "link_bits_per_s") == 480e6
    assert number(facts, "link_ceiling_bytes_per_s") == 13 * 512 * 8000  # the 40 MB/s of practice lie below it
    source = next(fact.source for fact in facts if fact.name == "link_bits_per_s")
    assert source.endswith("/speed")


@pytest.mark.parametrize(
    ("hub", "drive", "bits_per_s"), [("480", "12", 12e6), ("12", "480", 12e6), ("1.5", "480", 1.5e6)]
)
def test_the_slowest_usb_hop_counts(tree: Tree, hub: str, drive: str, bits_per_s: float) -> None:
    link, _ = link_of(usb_disk(tree, hub=hub, drive=drive))
    assert link is not None
    assert link.bits_per_s == bits_per_s


@pytest.mark.parametrize(("word", "bytes_per_s"), [("1.5 Gbps", 150e6), ("3.0 Gbps", 300e6), ("6.0 Gbps", 600e6)])
def test_sata_after_8b10b(tree: Tree, word: str, bytes_per_s: float) -> None:
    disk = sata_disk(tree, word)
    link, source = link_of(disk)
    assert bus_of(disk) == "sata"
    assert driver_of(disk) == "ahci"
    assert link is not None
    assert link.ceiling_bytes_per_s == bytes_per_s
    assert source.endswith("ata_link/link3/sata_spd")


def test_a_port_without_link_tells_none(tree: Tree) -> None:
    assert link_of(sata_disk(tree, "<unknown>"))[0] is None


def test_nvme_counts_its_own_link_alone(tree: Tree) -> None:
    disk = nvme_disk(tree)
    link, _ = link_of(disk)
    assert bus_of(disk) == "nvme"
    assert driver_of(disk) == "nvme"
    assert link is not None
    assert link.bits_per_s == 32e9
    assert link.ceiling_bytes_per_s == pytest.approx(3938.5e6, rel=1e-4)


def test_nvme_with_multipath_hangs_below_a_virtual_subsystem(tree: Tree) -> None:
    nvme_disk(tree)
    subsystem = "devices/virtual/nvme-subsystem/nvme-subsys0"
    tree.link(f"{subsystem}/nvme0", "devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0")
    disk = tree.device(f"{subsystem}/nvme0n1", "259:7")
    link, _ = link_of(disk)
    assert bus_of(disk) == "nvme"
    assert link is not None
    assert link.bits_per_s == 32e9
    assert temperature([disk]).value == 38.85


def test_nvme_behind_an_external_port_is_thunderbolt_and_over_a_network_is_network(tree: Tree) -> None:
    disk = nvme_disk(tree)
    tree.files({"devices/pci0000:00/0000:00:1d.0/0000:03:00.0/removable": "removable\n"})
    assert bus_of(disk) == "thunderbolt"
    tree.files({"devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/transport": "tcp\n"})
    assert bus_of(disk) == "network"


@pytest.mark.parametrize(
    ("folder", "bus"),
    [
        ("devices/pci0000:00/0000:00:02.0/virtio1/block/vda", "virtio"),
        ("devices/virtual/block/loop7", "loop"),
        ("devices/virtual/block/zram0", "memory"),
        ("devices/virtual/block/nbd0", "network"),
        ("devices/platform/mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "mmc"),
        ("devices/platform/host3/session1/target3:0:0/3:0:0:1/block/sdb", "network"),
        ("devices/virtual/block/dm-0", None),
    ],
)
def test_buses(tree: Tree, folder: str, bus: str | None) -> None:
    assert bus_of(tree.device(folder, "99:1")) == bus


def test_through_encryption_volume_and_partition_to_the_disk(tree: Tree) -> None:
    disk = sata_disk(tree)
    tree.partition(SATA, "sda2", "8:2")
    crypt, volume = "devices/virtual/block/dm-0", "devices/virtual/block/dm-1"
    tree.device(crypt, "252:0")
    top = tree.device(volume, "252:1")
    tree.link(f"{volume}/slaves/dm-0", crypt)
    tree.link(f"{crypt}/slaves/sda2", f"{SATA}/sda2")
    tree.files({f"{crypt}/dm/uuid": "CRYPT-LUKS2-0123-home\n", f"{volume}/dm/uuid": "LVM-abc\n"})
    tree.files({"udev/data/b8:2": "S:disk/by-id/x\nE:ID_PART_ENTRY_SCHEME=gpt\nE:ID_FS_TYPE=crypto_LUKS\n"}, "run")
    tree.files({"udev/data/b252:1": "E:ID_FS_UUID=1f-2e\nE:ID_FS_LABEL=home\n"}, "run")
    assert [layer.name for layer in layers(top, tree.roots)] == ["dm-1", "dm-0", "sda2", "sda"]
    assert disks_below(top, tree.roots) == (disk,)
    facts = FormatProbe(tree.roots).read(mounted(tree, "252:1", "xfs"))
    assert value(facts, "encryption") == "dm-crypt LUKS2"
    assert value(facts, "partition_scheme") == "gpt"
    assert value(facts, "file_system_id") == "1f-2e"
    assert value(facts, "volume_name") == "home"


def test_two_disks_tell_what_they_share_and_no_link(tree: Tree) -> None:
    sata_disk(tree)
    usb_disk(tree)
    raid = "devices/virtual/block/md0"
    tree.device(raid, "9:0")
    tree.link(f"{raid}/slaves/sda", SATA)
    tree.link(f"{raid}/slaves/sdc", USB)
    target = mounted(tree, "9:0")
    connection, medium = ConnectionProbe(tree.roots).read(target), MediumProbe(tree.roots).read(target)
    assert value(connection, "bus") == "sata + usb"
    assert value(connection, "link_bits_per_s") is None
    assert value(medium, "device_name") == "md0"
    assert value(medium, "device_model") == "WDC WD140EDFZ-11 + Samsung Portable SSD T7"
    assert value(medium, "queue_limit_count") is None  # 32 and 29


def test_medium_of_a_hard_disk(tree: Tree) -> None:
    sata_disk(tree)
    tree.partition(SATA, "sda1", "8:1")
    facts = MediumProbe(tree.roots).read(mounted(tree, "8:1"))
    found = {fact.name: fact.value for fact in facts}
    assert found == {
        "device_name": "sda1",
        "device_model": "WDC WD140EDFZ-11",
        "device_firmware": "0A81",
        "device_id": hashlib.sha256(b"naa.5000cca264c12345").hexdigest()[:12],
        "device_size_bytes": 2000409264 * 512,
        "rotational": True,
        "logical_block_bytes": 512,
        "physical_block_bytes": 4096,
        "write_cache": "write back",
        "queue_limit_count": 32,
    }


def test_medium_of_an_nvme_drive(tree: Tree) -> None:
    nvme_disk(tree)
    facts = MediumProbe(tree.roots).read(mounted(tree, "259:0"))
    assert value(facts, "device_model") == "Samsung SSD 970 EVO 500GB"
    assert value(facts, "device_firmware") == "2B2QEXE7"
    assert value(facts, "device_id") == hashlib.sha256(b"S466NX0K701234A").hexdigest()[:12]
    assert value(facts, "rotational") is False
    assert value(facts, "queue_limit_count") == 1023


def test_a_hot_drive_tells_its_temperature_and_limit(tree: Tree) -> None:
    nvme_disk(tree, milli_celsius="81850")
    facts = ConditionProbe(tree.roots).read(mounted(tree, "259:0"))
    assert number(facts, "temperature_celsius") == 81.85
    assert number(facts, "temperature_limit_celsius") == 84.85
    assert source_of(facts, "temperature_celsius").endswith("/hwmon1/temp1_input")


def test_the_sensor_of_a_sata_disk(tree: Tree) -> None:
    disk = sata_disk(tree)
    tree.files({f"{SATA}/device/hwmon/hwmon3/temp1_input": "41000\n"})
    assert temperature([disk]).value == 41.0


def test_a_disk_without_sensor_tells_none(tree: Tree) -> None:
    found = temperature([usb_disk(tree)])
    assert found.value is None
    assert temperature([]).value is None


def test_a_loop_device_over_a_file_on_a_usb_disk(tree: Tree) -> None:
    usb_disk(tree)
    loop = "devices/virtual/block/loop0"
    tree.files({f"{loop}/loop/backing_file": "/media/usb/a b.img\n", f"{loop}/loop/dio": "0\n"})
    tree.device(loop, "7:0")
    tree.mounts(
        "22 1 0:21 / / rw - rootfs rootfs rw",
        "40 22 8:32 / /media/usb rw - ext4 /dev/sdc rw",
        "50 22 7:0 / /nowhere/here rw - ext4 /dev/loop0 rw",
    )
    facts = ConnectionProbe(tree.roots).read(Target("/nowhere/here", TargetKind.FOLDER))
    assert value(facts, "bus") == "loop"
    assert value(facts, "loop_direct_io") is False
    assert value(facts, "loop_backing_file") == "/media/usb/a b.img"
    assert number(facts, "link_bits_per_s") == 480e6  # a loop device cannot outrun the disk below


@pytest.mark.parametrize(("requests", "limit"), [("16", 16), ("128", 32)])
def test_sectors_and_queue_suit_the_disk_and_the_loop_above_it(tree: Tree, requests: str, limit: int) -> None:
    sata_disk(tree)
    loop = "devices/virtual/block/loop0"
    tree.files({f"{loop}/loop/backing_file": "/big/image\n", f"{loop}/queue/logical_block_size": "4096\n"})
    tree.files({f"{loop}/queue/nr_requests": f"{requests}\n"})
    tree.device(loop, "7:0")
    tree.mounts("40 1 8:0 / /big rw - ext4 /dev/sda rw", "50 40 7:0 / /nowhere/here rw - ext4 /dev/loop0 rw")
    facts = MediumProbe(tree.roots).read(Target("/nowhere/here", TargetKind.FOLDER))
    assert value(facts, "device_model") == "WDC WD140EDFZ-11"
    assert (value(facts, "logical_block_bytes"), value(facts, "queue_limit_count")) == (4096, limit)


def test_a_device_that_sysfs_does_not_know(tree: Tree) -> None:
    facts = ConnectionProbe(tree.roots).read(mounted(tree, "8:99"))
    assert [value(facts, name) for name in ("bus", "link_bits_per_s", "driver")] == [None, None, None]


def source_of(facts: tuple[Fact, ...], name: str) -> str:
    return next(fact.source for fact in facts if fact.name == name)
