"""What is refused before anything is written: sizes, allocation units, and options that could lead elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graycard.host.image_file import BLANK_BYTES, CHUNK_BYTES, fill_holes, write_whole
from graycard.host.image_rules import refused_format_options, refused_mount_options
from graycard.host.linux.image_formats import FORMATS
from graycard.host.linux.images import LinuxVolumes
from graycard.host.linux.roots import Roots
from graycard.model.image import FILE_SYSTEMS, Image, file_system_named
from tests.host.image_programs import OK, FakePrograms

MIB = 1 << 20
UNITS = {"ext4": 4096, "XFS": 4096, "btrfs": 4096, "exFAT": 128 << 10, "FAT32": 4096, "NTFS": 4096}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Roots:
    """Root on a kernel with every driver, loop devices and FUSE."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("proc", "dev", "sys"):
        (tmp_path / name).mkdir()
    (tmp_path / "proc" / "filesystems").write_text("nodev\tproc\n\text4\n\txfs\n\tbtrfs\n\texfat\n\tvfat\n\tntfs3\n")
    for name in ("loop-control", "fuse"):
        (tmp_path / "dev" / name).touch()
    return Roots(*(str(tmp_path / name) for name in ("proc", "sys", "dev", "run")))


def refusal(machine: Roots, image: Image, programs: FakePrograms | None = None) -> str | None:
    return LinuxVolumes(programs or FakePrograms({}), machine).refuses(image)


def kernel_without(machine: Roots, name: str) -> None:
    path = Path(machine.proc, "filesystems")
    path.write_text(path.read_text().replace(f"\t{name}\n", ""))


@pytest.mark.parametrize("name", FORMATS)
def test_each_accepts_its_least_size_and_nothing_below(machine: Roots, name: str) -> None:
    least = FORMATS[name].limits.least_bytes
    assert refusal(machine, Image(name, least)) is None
    below = refusal(machine, Image(name, least - MIB))
    assert below is not None
    assert below.startswith(f"{name} needs an image of at least {least // MIB} MiB, not ")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("unit", [0, 1, 256, 3000, 4097, 6144, 64 << 20])
def test_impossible_allocation_units(machine: Roots, name: str, unit: int) -> None:
    assert f"{name} has no allocation unit of {unit} bytes" in str(refusal(machine, Image(name, 1 << 30, unit)))


@pytest.mark.parametrize("name", FORMATS)
def test_usual_allocation_units(machine: Roots, name: str) -> None:
    assert refusal(machine, Image(name, 1 << 30, UNITS[name])) is None


def test_fat32_needs_clusters_enough(machine: Roots) -> None:
    assert "at least 257 MiB" in str(refusal(machine, Image("FAT32", 256 * MIB, 4096)))
    assert refusal(machine, Image("FAT32", 257 * MIB, 4096)) is None


def test_other_names_and_broken_sizes(machine: Roots) -> None:
    assert "choose one of ext4, XFS, btrfs, exFAT, FAT32, NTFS" in str(refusal(machine, Image("APFS", 1 << 30)))
    assert "no whole number of MiB" in str(refusal(machine, Image("ext4", (64 << 20) + 512)))


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_program_is_named_with_its_package(machine: Roots, name: str) -> None:
    known = FORMATS[name]
    said = refusal(machine, Image(name, 1 << 30), FakePrograms({}, missing=(known.program,)))
    assert said == f"{known.program} is not installed, which {name} needs here; install the package {known.package}"


def test_drivers(machine: Roots) -> None:
    image = Image("exFAT", 64 * MIB)
    assert LinuxVolumes(FakePrograms({}), machine).driver(image) == "kernel"
    kernel_without(machine, "exfat")
    assert LinuxVolumes(FakePrograms({"modprobe --dry-run --quiet exfat": OK}), machine).driver(image) == "kernel"
    assert LinuxVolumes(FakePrograms({}), machine).driver(image) == "mount.exfat-fuse"
    said = refusal(machine, image, FakePrograms({}, missing=("mount.exfat-fuse",)))
    assert said is not None
    assert said.endswith("and mount.exfat-fuse is not there; install the package exfat-fuse")
    os.unlink(f"{machine.dev}/fuse")
    assert LinuxVolumes(FakePrograms({}), machine).driver(image) is None


@pytest.mark.parametrize(("name", "kernel"), [("FAT32", "vfat"), ("XFS", "xfs")])
def test_a_missing_driver(machine: Roots, name: str, kernel: str) -> None:
    kernel_without(machine, kernel)
    said = refusal(machine, Image(name, 1 << 30))
    assert said is not None
    assert f"this kernel has no driver for {name}" in said
    assert kernel in said


def test_no_loop_devices_and_no_root(machine: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert refusal(machine, Image("ext4", 64 * MIB)) == "only root may mount an image with ext4; run graycard with sudo"
    os.unlink(f"{machine.dev}/loop-control")
    assert "no loop devices" in str(refusal(machine, Image("ext4", 64 * MIB)))
    assert refusal(machine, Image("ext4", 64 * MIB), FakePrograms({"modprobe --dry-run --quiet loop": OK})) is not None


HARMFUL = [
    ("ext4", ("/dev/sda",)),
    ("ext4", ("sda1",)),
    ("ext4", ("-J", "device=/dev/sda1")),
    ("ext4", ("-J", "device=UUID=1")),
    ("ext4", ("-J", "size=4,device=LABEL=x")),
    ("ext4", ("-d", "/etc")),
    ("ext4", ("-E", "offset=4096")),
    ("ext4", ("-m", "/dev/sda")),
    ("ext4", ("-m",)),
    ("ext4", ("-m", "-n")),
    ("XFS", ("-l", "logdev=/dev/sda")),
    ("XFS", ("-l", "logdev=sda")),
    ("XFS", ("-d", "file,name=x,size=1g")),
    ("XFS", ("-r", "rtdev=/dev/sda")),
    ("XFS", ("-p", "prototype")),
    ("btrfs", ("/dev/sda", "/dev/sdb")),
    ("btrfs", ("--rootdir", "/etc")),
    ("btrfs", ("--label=/dev/sda",)),
    ("btrfs", ("--mixed=yes",)),
    ("exFAT", ("--full-format",)),
    ("FAT32", ("-C", "x")),
    ("NTFS", ("--",)),
    ("NTFS", ("",)),
]


@pytest.mark.parametrize(("name", "words"), HARMFUL)
def test_no_option_can_lead_to_another_device(machine: Roots, name: str, words: tuple[str, ...]) -> None:
    assert refusal(machine, Image(name, 1 << 30, format_options=words)) is not None


HARMLESS = [
    ("ext4", ("-O", "^has_journal", "-m", "0")),
    ("ext4", ("-J", "size=4")),
    ("XFS", ("-m", "crc=1,reflink=0", "-d", "agcount=2")),
    ("btrfs", ("--csum=xxhash", "-M", "-m", "single")),
    ("exFAT", ("--pack-bitmap", "-b", "1M")),
    ("NTFS", ("-C",)),
]


@pytest.mark.parametrize(("name", "words"), HARMLESS)
def test_usual_options(machine: Roots, name: str, words: tuple[str, ...]) -> None:
    known = FORMATS[name]
    image = Image(name, 1 << 30, format_options=words)
    assert refused_format_options(image, known.program, known.valued, known.bare) is None
    assert known.words(image, "PLACE")[-1 - len(words) :] == (*words, "PLACE")


@pytest.mark.parametrize("option", ["bind", "remount", "loop", "X-mount.mkdir", "device=/dev/sda", "noatime,move", ""])
def test_no_mount_option_can_lead_elsewhere(option: str) -> None:
    assert "leave it out" in str(refused_mount_options(Image("btrfs", 1 << 30, mount_options=(option,))))


def test_usual_mount_options() -> None:
    options = ("noatime", "compress=zstd:3", "data=ordered", "discard=async")
    assert refused_mount_options(Image("btrfs", 1 << 30, mount_options=options)) is None


def test_names_as_users_write_them() -> None:
    assert [file_system_named(name.upper()) for name in FILE_SYSTEMS] == list(FILE_SYSTEMS)
    assert file_system_named(" hfs+ ") == "HFS+"
    assert file_system_named("zfs") is None


def test_the_file_is_written_whole_and_cannot_be_compressed_or_shared(tmp_path: Path) -> None:
    size, told = 2 * CHUNK_BYTES + 3 * MIB, list[int]()
    handle = os.open(tmp_path / "image", os.O_RDWR | os.O_CREAT | os.O_EXCL)
    try:
        write_whole(handle, size, told.append)
    finally:
        os.close(handle)
    content = (tmp_path / "image").read_bytes()
    assert len(content) == size == told[-1]
    assert told == sorted(set(told))
    assert content[:BLANK_BYTES] == content[-BLANK_BYTES:] == bytes(BLANK_BYTES)
    blocks = [content[at : at + 4096] for at in range(BLANK_BYTES, size - BLANK_BYTES, 4096)]
    assert len(set(blocks)) == len(blocks), "no block comes twice at a place of its size"
    assert os.stat(tmp_path / "image").st_blocks * 512 >= size


def test_what_stops_the_writing_passes_through(tmp_path: Path) -> None:
    def stop(written: int) -> None:
        raise KeyboardInterrupt

    handle = os.open(tmp_path / "image", os.O_RDWR | os.O_CREAT)
    try:
        with pytest.raises(KeyboardInterrupt):
            write_whole(handle, 4 * CHUNK_BYTES, stop)
        assert os.fstat(handle).st_size == CHUNK_BYTES
    finally:
        os.close(handle)


@pytest.mark.parametrize("written", [(), (0,), (5,), (11,), (0, 5, 11)])
def test_holes_are_filled_and_nothing_else_changes(tmp_path: Path, written: tuple[int, ...]) -> None:
    handle = os.open(tmp_path / "image", os.O_RDWR | os.O_CREAT)
    try:
        os.ftruncate(handle, 12 * MIB)
        for place in written:
            os.pwrite(handle, b"data" * 1024, place * MIB)
        before = (tmp_path / "image").read_bytes()
        fill_holes(handle, None, os.SEEK_HOLE, os.SEEK_DATA)
        assert os.lseek(handle, 0, os.SEEK_HOLE) == 12 * MIB, "no hole is left"
    finally:
        os.close(handle)
    assert (tmp_path / "image").read_bytes() == before


@pytest.mark.parametrize("name", FORMATS)
def test_the_documentation_names_program_package_driver_and_least_size(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "volumes.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| {name} |"))
    known = FORMATS[name]
    assert f"| `{known.program}` (`{known.package}`) | the kernel" in row
    assert f"| {known.limits.least_bytes // MIB} MiB" in row
    assert (known.fuse is None) is ("else" not in row)
    if known.fuse is not None:
        assert f"`{known.fuse[0]}` (`{known.fuse[1]}`)" in row
