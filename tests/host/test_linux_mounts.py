"""The mount table as the kernel writes it, and the names behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from host.trees import Tree

from graycard.facts import value
from graycard.host.linux.format import FormatProbe
from graycard.host.linux.format_name import file_system_driver, file_system_name
from graycard.host.linux.fullness import FullnessProbe
from graycard.host.linux.identity import label_of, parse_blkid, parse_udev
from graycard.host.linux.mounts import Mount, mount_id_of, mount_of, mount_with_path, parse_mountinfo, read_mounts
from graycard.host.linux.network import server_of
from graycard.host.linux.place import Place
from graycard.host.linux.volumes import user_visible
from graycard.model import Target, TargetKind

TABLE = """\
22 28 0:21 / /proc rw,nosuid - proc proc rw
28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
30 28 8:17 /photos /media/Ca\\040rd\\134\\011x\\012y rw,nosuid - fuseblk /dev/sdb1 rw,user_id=0,group_id=0
31 28 0:44 / /mnt/nas rw,relatime master:2 propagate_from:3 - cifs //nas.local/vol rw,vers=3.1.1,addr=10.0.0.5
32 28 0:45 /@data /srv ro,relatime - btrfs /dev/sdc rw,compress-force=zstd:3,subvolid=257,subvol=/@data
33 28 0:46 / /mnt/line\u2028sep\x85 rw - fuse.sshfs me@box:/films rw,user_id=1000
34 28 0:47 / /srv rw - tmpfs tmpfs rw,size=8192k
"""


def test_escapes_optional_fields_and_odd_line_separators() -> None:
    mounts = parse_mountinfo(TABLE)
    assert [mount.point for mount in mounts] == [
        "/proc",
        "/",
        "/media/Ca rd\\\tx\ny",
        "/mnt/nas",
        "/srv",
        "/mnt/line\u2028sep\x85",
        "/srv",
    ]
    card, nas, data = mounts[2], mounts[3], mounts[4]
    assert (card.root, card.number, card.file_system, card.source) == ("/photos", "8:17", "fuseblk", "/dev/sdb1")
    assert (nas.option("vers"), nas.option("addr"), nas.option("seal")) == ("3.1.1", "10.0.0.5", None)
    assert (nas.network, nas.share, nas.may_hang, nas.fuse) == (True, True, True, False)
    assert data.read_only
    assert data.option("compress-force") == "zstd:3"
    assert not nas.read_only


@pytest.mark.parametrize(
    ("path", "mount_id"),
    [
        ("/", 28),
        ("/etc/hosts", 28),
        ("/mnt/nas", 31),
        ("/mnt/nas/a/b", 31),
        ("/mnt/nasty", 28),
        ("/srv/x", 34),
        ("/media/Ca rd\\\tx\ny/DCIM", 30),
    ],
)
def test_the_longest_mount_point_and_of_two_the_last(path: str, mount_id: int) -> None:
    mount = mount_with_path(parse_mountinfo(TABLE), path)
    assert mount is not None
    assert mount.mount_id == mount_id


def test_no_table_no_mount(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    assert mount_of("/", tree.roots) is None
    assert mount_id_of("/not/there") is None


def test_a_name_that_is_no_utf8_goes_in_and_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (tmp_path / "proc/self/mountinfo").write_bytes(b"28 1 8:1 / /m/\xff\xfe\xc3\xbc rw - ext4 /dev/sda1 rw\n")
    assert read_mounts(tree.roots)[0].point.encode("utf-8", "surrogateescape") == b"/m/\xff\xfe\xc3\xbc"


def test_this_process_knows_its_own_mounts() -> None:
    assert mount_id_of("/proc") in {mount.mount_id for mount in read_mounts() if mount.point == "/proc"}


@pytest.mark.parametrize(
    ("file_system", "source", "server"),
    [
        ("cifs", "//nas.local/My Share", "nas.local"),
        ("nfs4", "10.0.0.5:/export/films", "10.0.0.5"),
        ("nfs", "[fe80::1%eth0]:/export", "fe80::1%eth0"),
        ("fuse.sshfs", "me@box:/films", "box"),
        ("fuse.sshfs", "box:", "box"),
        ("fuse.rclone", "cloud:bucket", None),
        ("fuse.gvfsd-fuse", "gvfsd-fuse", None),
    ],
)
def test_the_server_of_a_share(file_system: str, source: str, server: str | None) -> None:
    assert server_of(mount(file_system, source)) == server


@pytest.mark.parametrize(
    ("kind", "point", "visible"),
    [
        ("ext4", "/", True),
        ("tmpfs", "/dev/shm", True),
        ("tmpfs", "/run/lock", False),
        ("vfat", "/run/media/me/CARD", True),
        ("fuse.gvfsd-fuse", "/run/user/1000/gvfs", True),
        ("proc", "/chroot/proc", False),
        ("squashfs", "/snap/core/1", False),
        ("cifs", "/mnt/nas", True),
        ("overlay", "/", True),
        ("tmpfs", "/runner", True),
    ],
)
def test_which_volumes_a_user_cares_for(kind: str, point: str, *, visible: bool) -> None:
    assert user_visible(mount(kind, "x", point)) is visible


@pytest.mark.parametrize(
    ("kind", "name"),
    [("ext4", "ext4"), ("vfat", "FAT"), ("exfat", "exFAT"), ("ntfs3", "NTFS"), ("fuse.sshfs", "fuse.sshfs")],
)
def test_names_of_file_systems(kind: str, name: str) -> None:
    assert file_system_name(mount(kind, "x")) == name


@pytest.mark.parametrize(("boot", "name"), [(b"\xeb\x76\x90EXFAT   ", "exFAT"), (b"\xeb\x52\x90NTFS    ", "NTFS")])
def test_the_boot_sector_names_what_is_behind_fuseblk(tmp_path: Path, boot: bytes, name: str) -> None:
    (tmp_path / "card").write_bytes(boot.ljust(512, b"\0"))
    assert file_system_name(mount("fuseblk", str(tmp_path / "card"))) == name


def test_without_right_to_read_the_device_udev_names_it(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.device("devices/virtual/block/loop0", "7:0")
    tree.files({"udev/data/b7:0": "E:ID_FS_TYPE=exfat\n"}, "run")
    assert file_system_name(mount("fuseblk", "/dev/none"), tree.roots) == "exFAT"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("/sbin/mount.exfat-fuse\0/dev/sdz1\0/media/x\0-o\0rw\0", "exFAT"),
        ("/usr/bin/ntfs-3g\0/dev/sdz1\0/media/x\0", "NTFS"),
        ("/usr/bin/ntfs-3g\0/dev/sdy1\0/media/x\0", "fuseblk"),
        ("/usr/bin/vim\0/dev/sdz1\0", "fuseblk"),
    ],
)
def test_else_the_serving_process_names_it(tmp_path: Path, line: str, name: str) -> None:
    tree = Tree(tmp_path)
    tree.files({"4711/cmdline": line}, "proc")
    assert file_system_name(mount("fuseblk", "/dev/sdz1"), tree.roots) == name


def test_udev_and_blkid_tell_the_same() -> None:
    udev = parse_udev(
        "S:disk/by-uuid/A\nI:42\nE:ID_FS_UUID=AB-12\nE:ID_FS_LABEL=MY_CARD\nE:ID_FS_LABEL_ENC=MY\\x20CÄRD\n"
    )
    blkid = parse_blkid(
        "DEVNAME=/dev/sdb1\nLABEL=MY\\ CÄRD\nUUID=AB-12\nTYPE=exfat\nUSAGE=filesystem\nPART_ENTRY_SCHEME=gpt\n"
    )
    assert (udev["ID_FS_UUID"], label_of(udev)) == ("AB-12", "MY CÄRD")
    assert (blkid["ID_FS_UUID"], label_of(blkid)) == ("AB-12", "MY CÄRD")
    assert (blkid["ID_PART_ENTRY_SCHEME"], blkid["ID_FS_TYPE"]) == ("gpt", "exfat")
    assert label_of({}) is None


@pytest.mark.parametrize(("number", "connection"), [("0:46", "46"), ("7:3", "7340035"), ("0:300", "300")])
def test_the_number_of_a_fuse_connection(number: str, connection: str) -> None:
    assert Place(mount("fuse", "x", number=number), (), ()).fuse_connection == connection
    assert Place(mount("ext4", "x", number=number), (), ()).fuse_connection is None


def mount(file_system: str, source: str, point: str = "/nowhere", number: str = "7:0") -> Mount:
    return Mount(1, number, "/", point, ("rw",), file_system, source, ("rw",))


@pytest.mark.parametrize(
    ("kind", "limit"), [("vfat", 4 * 1024**3 - 1), ("ext3", 2 * 1024**4), ("xfs", 2**63 - 1), ("fuse.sshfs", None)]
)
def test_the_largest_file_that_the_file_system_allows(tmp_path: Path, kind: str, limit: int | None) -> None:
    tree = Tree(tmp_path)
    tree.mounts(f"50 22 8:1 / {tmp_path} rw - {kind} /dev/sdz1 rw")
    facts = FullnessProbe(tree.roots).read(Target(str(tmp_path), TargetKind.FOLDER))
    assert value(facts, "file_size_limit_bytes") == limit


@pytest.mark.parametrize(
    ("kind", "options", "expected"),
    [
        ("btrfs", "rw,compress=zstd:3", "zstd:3"),
        ("btrfs", "rw,compress-force=lzo", "lzo forced"),
        ("btrfs", "rw,compress", "on"),
        ("btrfs", "rw", "off"),
        ("f2fs", "rw,compress_algorithm=lz4", "lz4"),
        ("ext4", "rw", "off"),
        ("ntfs3", "rw", None),
        ("cifs", "rw", None),
    ],
)
def test_compression_of_the_mount(tmp_path: Path, kind: str, options: str, expected: str | None) -> None:
    tree = Tree(tmp_path)
    tree.mounts(f"50 22 8:1 / {tmp_path} rw - {kind} /dev/sdz1 {options}")
    facts = FormatProbe(tree.roots).read(Target(str(tmp_path), TargetKind.FOLDER))
    assert value(facts, "compression") == expected


@pytest.mark.parametrize(
    ("kind", "options", "expected"),
    [
        ("btrfs", "rw", True),
        ("btrfs", "rw,nodatacow", False),
        ("zfs", "rw", True),
        ("xfs", "rw", False),
        ("nfs", "rw", None),
    ],
)
def test_copy_on_write(tmp_path: Path, kind: str, options: str, *, expected: bool | None) -> None:
    tree = Tree(tmp_path)
    tree.mounts(f"50 22 8:1 / {tmp_path} rw - {kind} /dev/sdz1 {options}")
    facts = FormatProbe(tree.roots).read(Target(str(tmp_path), TargetKind.FOLDER))
    assert value(facts, "copy_on_write") is expected


@pytest.mark.parametrize(
    ("kind", "driver"),
    [
        ("ext4", "kernel"),
        ("exfat", "kernel"),
        ("ntfs3", "kernel ntfs3"),
        ("ntfs", "kernel ntfs"),
        ("nfs4", "kernel"),
        ("fuse.sshfs", "FUSE sshfs"),
        ("fuseblk", "FUSE ntfs-3g"),
        ("fuse", "FUSE ntfs-3g"),
    ],
)
def test_what_serves_a_file_system(tmp_path: Path, kind: str, driver: str) -> None:
    tree = Tree(tmp_path)
    tree.files({"4711/cmdline": "/usr/bin/ntfs-3g\0/dev/sdz1\0/media/x\0"}, "proc")
    assert file_system_driver(mount(kind, "/dev/sdz1"), tree.roots) == driver


def test_a_fuse_server_that_nothing_names_is_fuse_alone(tmp_path: Path) -> None:
    assert file_system_driver(mount("fuseblk", "/dev/sdz1"), Tree(tmp_path).roots) == "FUSE"
