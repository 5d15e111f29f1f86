"""Real file systems: what they are called, where their bytes are counted, and whether they tell the truth."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bed.loops import LoopImage, device_of, loop_device, run, unmount
from host.stored_samples import by_name

from graycard.errors import TargetProblem
from graycard.facts import TERMS, change, number, value
from graycard.host.linux.machine import LinuxHost
from graycard.model import FactValue, TargetKind

pytestmark = pytest.mark.root
MountAt = Callable[..., str]
HOST = LinuxHost()
MIB = 1 << 20


def facts_of(path: str) -> dict[str, FactValue]:
    return by_name(HOST.facts(HOST.resolve(path)))


def written(folder: str, size: int = 4 * MIB, name: str = "data") -> str:
    """A new file of random bytes, flushed."""
    path = os.path.join(folder, name)
    handle = HOST.create_file(path, direct=False, nocow=False)
    try:
        os.write(handle, os.urandom(size))
        os.fsync(handle)
    finally:
        os.close(handle)
    return path


def device_bytes(path: str, folder: str) -> float | None:
    """What the device of `path` wrote, as its counters say, while 4 MiB were written and flushed in `folder`."""
    target = HOST.resolve(path)
    before = HOST.counters(target)
    os.unlink(written(folder, name="counted"))
    return change(before, HOST.counters(target), "device_written_bytes")


@pytest.mark.parametrize("direct", [True, False])
def test_ext4_on_a_loop_device(loop_image: LoopImage, *, direct: bool) -> None:
    point = loop_image(direct=direct, mkfs_options=("-L", "My Disk", "-b", "4096"))
    facts = facts_of(point)
    device = os.path.basename(device_of(point))
    assert facts["file_system"] == "ext4"
    assert facts["mount_point"] == point
    assert facts["mount_source"] == f"/dev/{device}"
    assert facts["volume_name"] == "My Disk"
    assert facts["file_system_id"] == run("blkid", "-p", "-o", "value", "-s", "UUID", f"/dev/{device}")
    assert facts["allocation_unit_bytes"] == 4096
    assert facts["partition_scheme"] == "none"
    assert (facts["compression"], facts["encryption"], facts["copy_on_write"]) == ("off", "off", False)
    assert (facts["bus"], facts["device_name"], facts["driver"]) == ("loop", device, "loop")
    assert facts["loop_direct_io"] is direct
    assert str(facts["loop_backing_file"]).endswith("/image")
    assert facts["file_size_limit_bytes"] == ((1 << 32) - 1) * 4096
    assert facts["quota_free_bytes"] is None
    assert facts["used_ratio"] == pytest.approx(used_by_df(point), abs=0.011)


def test_each_name_is_known_and_given_once_and_none_is_forgotten(loop_image: LoopImage) -> None:
    facts = facts_of(loop_image())
    factors = {"format", "connection", "fullness", "system", "business", "medium"}
    elsewhere = {"other_measurements_count", "server", "protocol_version"}  # the scratch folder's; shares alone
    # Only other programs tell of these, see readings/.
    elsewhere |= {"writable", "internal", "removable", "drive_link_bits_per_s", "share_encryption", "share_signing"}
    # Only a diagnosis asks for the last of these.
    elsewhere |= {"open_file_count", "power_on_ns", "life_written_bytes", "dirty_limit_bytes"}
    assert set(facts) == {name for name, term in TERMS.items() if term.factor in factors} - elsewhere


def test_the_counters_are_those_of_the_device_below(loop_image: LoopImage) -> None:
    point = loop_image()
    moved = device_bytes(point, point)
    assert moved is not None
    assert 4 * MIB <= moved < 5 * MIB  # data, and a journal


def test_own_bytes_are_counted(loop_image: LoopImage) -> None:
    point = loop_image()
    path = written(point)
    HOST.drop_cache(path)
    target = HOST.resolve(point)
    before = HOST.counters(target)
    Path(path).read_bytes()
    assert change(before, HOST.counters(target), "own_read_bytes") == pytest.approx(4 * MIB, rel=0.07)


@pytest.mark.parametrize("way", ["subfolder", "symlink", "bind", "file", "bound_file"])
def test_every_way_to_the_volume_leads_to_its_device(
    loop_image: LoopImage, mount_at: MountAt, bind_file: Callable[[str], str], tmp_path: Path, way: str
) -> None:
    point = loop_image()
    inside = os.path.join(point, "a b\n\udcff")
    os.mkdir(inside)
    path, kind = inside, TargetKind.FOLDER
    if way == "symlink":
        path = str(tmp_path / "link")
        os.symlink(inside, path)
    elif way == "bind":
        path = mount_at(inside, "bound", options="bind")
    elif way == "file":
        path, kind = written(inside), TargetKind.FILE
    elif way == "bound_file":
        path, kind = bind_file(written(inside)), TargetKind.FILE
    assert HOST.resolve(path).kind is kind
    facts = facts_of(path)
    assert facts["device_name"] == os.path.basename(device_of(point))
    assert facts["mount_point"] == (path if way in {"bind", "bound_file"} else point)
    moved = device_bytes(path, point)
    assert moved is not None
    assert moved >= 4 * MIB


def test_a_mount_hidden_by_another_does_not_count(loop_image: LoopImage, mount_at: MountAt, tmp_path: Path) -> None:
    """The mount table still lists the hidden one, and its mount point is the longer match."""
    mount_at("below", "hidden/deep", kind="tmpfs")
    device = device_of(loop_image())
    run("mount", device, str(tmp_path / "hidden"))
    try:
        os.mkdir(tmp_path / "hidden" / "deep")
        facts = facts_of(str(tmp_path / "hidden" / "deep"))
        assert (facts["file_system"], facts["mount_source"]) == ("ext4", device)
    finally:
        unmount(str(tmp_path / "hidden"))


def test_overlay_counts_on_the_upper_device(loop_image: LoopImage, mount_at: MountAt) -> None:
    point = loop_image()
    lower, upper, work = (os.path.join(point, name) for name in ("lower", "upper", "work"))
    for folder in (lower, upper, work):
        os.mkdir(folder)
    merged = mount_at("overlay", "merged", kind="overlay", options=f"lowerdir={lower},upperdir={upper},workdir={work}")
    facts = facts_of(merged)
    assert (facts["file_system"], facts["device_name"]) == ("overlay", os.path.basename(device_of(point)))
    moved = device_bytes(merged, merged)
    assert moved is not None
    assert moved >= 4 * MIB
    path = written(merged, name="cached")
    assert value(HOST.file_facts(path), "file_cached_bytes") == 4 * MIB
    HOST.drop_cache(path)
    assert value(HOST.file_facts(path), "file_cached_bytes") == 0


def test_tmpfs_is_memory_and_its_direct_io_is_a_lie(mount_at: MountAt) -> None:
    point = mount_at("tmpfs", "memory", kind="tmpfs", options="size=32m")
    facts = facts_of(point)
    assert (facts["file_system"], facts["bus"], facts["device_name"]) == ("tmpfs", "memory", None)
    path = written(point)
    file = by_name(HOST.file_facts(path))
    assert (file["direct_requested"], file["direct_misaligned_refused"]) == (True, False)
    assert file["direct_align_bytes"] is None
    assert file["file_extent_count"] is None
    assert file["file_cached_bytes"] == 4 * MIB
    os.close(HOST.open_file(path, write=True, direct=True))
    assert device_bytes(point, point) is None


def test_ramfs_refuses_direct_io_and_the_sentence_names_the_way_out(mount_at: MountAt) -> None:
    point = mount_at("ramfs", "memory", kind="ramfs")
    path = written(point)
    with pytest.raises(TargetProblem, match=r"refuses direct I/O.*--cache cold"):
        HOST.open_file(path, write=False, direct=True)
    with pytest.raises(TargetProblem, match="refuses direct I/O"):
        HOST.create_file(os.path.join(point, "other"), direct=True, nocow=False)
    assert os.listdir(point) == ["data"]
    file = by_name(HOST.file_facts(path))
    assert (file["direct_requested"], file["direct_misaligned_refused"]) == (False, None)
    assert facts_of(point)["size_bytes"] is None


@pytest.mark.parametrize(("mkfs", "name", "label"), [("mkfs.exfat", "exFAT", "-n"), ("mkfs.ntfs", "NTFS", "-L")])
def test_the_real_file_system_behind_fuseblk(loop_image: LoopImage, mkfs: str, name: str, label: str) -> None:
    point = loop_image(32 * MIB, mkfs, mkfs_options=(label, "CARD"))
    facts = facts_of(point)
    assert HOST.volume(HOST.resolve(point)).file_system == name
    assert (facts["file_system"], facts["volume_name"]) == (name, "CARD")
    assert facts["device_name"] == os.path.basename(device_of(point))
    assert facts["file_size_limit_bytes"] == (1 << 63) - 1
    moved = device_bytes(point, point)
    assert moved is not None
    assert moved >= 4 * MIB
    file = by_name(HOST.file_facts(written(point)))
    assert (file["direct_misaligned_refused"], file["direct_align_bytes"]) == (False, None)


def test_xfs(loop_image: LoopImage) -> None:
    point = loop_image(320 * MIB, "mkfs.xfs")
    facts = facts_of(point)
    assert (facts["file_system"], facts["copy_on_write"], facts["compression"]) == ("xfs", False, "off")
    file = by_name(HOST.file_facts(written(point)))
    assert (file["file_unwritten_bytes"], file["file_hole_bytes"], file["file_encoded_bytes"]) == (0, 0, 0)
    assert file["direct_misaligned_refused"] is True
    assert number(HOST.file_facts(os.path.join(point, "data")), "direct_align_bytes") in {512.0, 4096.0}


@pytest.mark.parametrize(
    ("mkfs", "size"), [("mkfs.ext4", 64 * MIB), ("mkfs.xfs", 320 * MIB), ("mkfs.btrfs", 256 * MIB)]
)
def test_sparse_and_unwritten_are_told_apart(loop_image: LoopImage, mkfs: str, size: int) -> None:
    point = loop_image(size, mkfs)
    sparse, unwritten = os.path.join(point, "sparse"), os.path.join(point, "unwritten")
    for path in (sparse, unwritten):
        with open(path, "wb") as file:
            file.truncate(16 * MIB)
    with open(unwritten, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 16 * MIB)
    holes, blanks = by_name(HOST.file_facts(sparse)), by_name(HOST.file_facts(unwritten))
    assert (holes["file_hole_bytes"], holes["file_unwritten_bytes"]) == (16 * MIB, 0)
    assert holes["file_allocated_bytes"] == 0
    assert (blanks["file_hole_bytes"], blanks["file_unwritten_bytes"]) == (0, 16 * MIB)
    assert blanks["file_allocated_bytes"] == 16 * MIB  # which is why st_blocks cannot tell


def test_btrfs_compresses_and_says_so(loop_image: LoopImage) -> None:
    point = loop_image(256 * MIB, "mkfs.btrfs", "compress-force=zstd")
    facts = facts_of(point)
    assert (facts["compression"], facts["copy_on_write"]) == ("zstd:3 forced", True)
    assert value(HOST.folder_facts(point), "volume_compresses") is True
    path = os.path.join(point, "zeros")
    Path(path).write_bytes(bytes(4 * MIB))
    assert value(HOST.file_facts(path), "file_encoded_bytes") == 4 * MIB
    assert os.listdir(point) == ["zeros"]


def test_btrfs_without_compression(loop_image: LoopImage) -> None:
    point = loop_image(256 * MIB, "mkfs.btrfs")
    assert facts_of(point)["compression"] == "off"
    assert value(HOST.folder_facts(point), "volume_compresses") is False
    assert value(HOST.file_facts(written(point)), "file_encoded_bytes") == 0


def test_btrfs_switches_off_copy_on_write_for_a_file(loop_image: LoopImage) -> None:
    point = loop_image(256 * MIB, "mkfs.btrfs")
    path = os.path.join(point, "plain")
    os.close(HOST.create_file(path, direct=True, nocow=True))
    assert value(HOST.file_facts(path), "nocow") is True
    assert "C" in run("lsattr", path).split()[0]
    assert value(HOST.file_facts(written(point)), "nocow") is False


def test_ext4_cannot_switch_it_off_and_leaves_no_file(loop_image: LoopImage) -> None:
    point = loop_image()
    with pytest.raises(TargetProblem, match="cannot switch off copy-on-write"):
        HOST.create_file(os.path.join(point, "x"), direct=False, nocow=True)
    assert os.listdir(point) == ["lost+found"]


def test_btrfs_subvolumes_have_their_pool_s_device(loop_image: LoopImage, mount_at: MountAt) -> None:
    point = loop_image(256 * MIB, "mkfs.btrfs")
    run("btrfs", "subvolume", "create", f"{point}/sub")
    device = device_of(point)
    bound = mount_at(device, "bound", options="subvol=sub")
    assert os.stat(f"{point}/sub").st_dev != os.stat(point).st_dev
    for path in (f"{point}/sub", bound):
        assert facts_of(path)["device_name"] == os.path.basename(device)
        moved = device_bytes(path, path)
        assert moved is not None
        assert moved >= 4 * MIB


def test_btrfs_over_two_devices_sums_them(loop_image: LoopImage, tmp_path: Path) -> None:
    point = loop_image(256 * MIB, "mkfs.btrfs")
    with loop_device(str(tmp_path / "second"), 256 * MIB) as second:
        run("btrfs", "device", "add", "-f", second, point)
        try:
            names = {os.path.basename(device) for device in (device_of(point), second)}
            assert set(str(facts_of(point)["device_name"]).split(" + ")) == names
            moved = device_bytes(point, point)
            assert moved is not None
            assert moved >= 4 * MIB  # the data may lie on either
        finally:
            run("btrfs", "device", "remove", second, point)


def test_readings_ask_nothing_of_the_measured_volume(loop_image: LoopImage) -> None:
    """So they work even when it is gone, and cannot hang on it."""
    point = loop_image()
    target = HOST.resolve(point)
    before = by_name(HOST.counters(target))
    run("umount", point)
    assert set(by_name(HOST.counters(target))) == set(before)
    # The frames that a player has in hand are no level of the host.
    levels = {name for name, term in TERMS.items() if term.factor == "level"} - {"frame_reserve_count"}
    assert set(by_name(HOST.levels(target))) == levels


@pytest.fixture
def bind_file(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """A function that binds one file to another name."""
    path = str(tmp_path / "bound-file")

    def bind(source: str) -> str:
        Path(path).touch()
        run("mount", "--bind", source, path)
        return path

    yield bind
    unmount(path)


def used_by_df(point: str) -> float:
    return int(run("df", "--output=pcent", point).split("\n")[1].strip(" %")) / 100
