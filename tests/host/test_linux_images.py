"""Real images on this kernel: made, mounted, measured facts, unmounted, mounted again, removed; nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.errors import PlanProblem, RunProblem
from graycard.host import volume_maker
from graycard.host.linux.loops import loops_over
from graycard.model.image import Image
from tests.host.image_places import IMAGES, MIB, facts_of, free, impatient, made

pytestmark = pytest.mark.root

# What graycard's facts call them, their allocation unit, and a part of the options of the mount.
FACTS = {
    "ext4": ("ext4", 1024, "noatime"),
    "XFS": ("xfs", 4096, "nosuid"),
    "btrfs": ("btrfs", 4096, "compress=zstd:1"),
    "exFAT": ("exFAT", 32 << 10, "nodev"),
    "NTFS": ("NTFS", 8192, "nodev"),
    "FAT32": ("FAT", 512, "nodev"),
}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """An image's path and its mount point, in a folder of an awkward name; freed at the end whatever happens."""
    folder = tmp_path / "Größe 日本 100 %\n\\040"
    folder.mkdir()
    path, point = str(folder / "a b.img"), str(folder / "ein Ort")
    os.mkdir(point)
    yield path, point
    free(path, point)


def no_driver_here(image: Image) -> bool:
    """FAT32 has no trustworthy driver but the kernel's, and not every kernel has it."""
    refused = volume_maker().refuses(image)
    if image.file_system == "FAT32" and refused is not None:
        assert "no driver for FAT32 (vfat)" in refused
        return True
    assert refused is None
    return False


@pytest.mark.parametrize("name", IMAGES)
def test_the_whole_life_of_an_image(place: tuple[str, str], name: str) -> None:
    path, point = place
    image = IMAGES[name]
    if no_driver_here(image):
        return
    maker, told = volume_maker(), list[int]()
    maker.make(image, path, told.append)
    assert told[-1] == os.path.getsize(path) == image.size_bytes
    assert os.stat(path).st_blocks * 512 >= image.size_bytes, "nothing is sparse"
    maker.mount(image, path, point)
    kind, unit, option = FACTS[name]
    found = facts_of(point)
    assert (found["file_system"], found["allocation_unit_bytes"]) == (kind, unit)
    assert option in str(found["mount_options"]).split(",")
    assert (found["loop_direct_io"], found["loop_backing_file"], found["bus"]) == (True, path, "loop")
    clip = Path(point, "clip Ü.mov")
    clip.write_bytes(os.urandom(3 * MIB))
    content = clip.read_bytes()
    clip.with_name("gone.mov").write_bytes(bytes(8 * MIB))
    clip.with_name("gone.mov").unlink()
    maker.unmount(path, point)
    assert os.listdir(point) == []
    assert loops_over(path) == ()
    assert os.stat(path).st_blocks * 512 >= image.size_bytes, "no discard has punched a hole"
    maker.mount(image, path, point)
    assert clip.read_bytes() == content
    maker.unmount(path, point)
    maker.unmount(path, point)
    maker.remove(path)
    maker.remove(path)
    assert not os.path.exists(path)


@pytest.mark.parametrize(("option", "punched"), [((), False), (("discard=sync",), True)])
def test_btrfs_discards_only_where_it_is_asked_for(
    place: tuple[str, str], option: tuple[str, ...], *, punched: bool
) -> None:
    path, _ = place
    with made(place, replace(IMAGES["btrfs"], mount_options=option)) as point:
        for _ in range(3):
            Path(point, "clip").write_bytes(os.urandom(8 * MIB))
            subprocess.run(["sync", "-f", point], check=True)
            os.unlink(os.path.join(point, "clip"))
            subprocess.run(["sync", "-f", point], check=True)
        assert (os.stat(path).st_blocks * 512 < IMAGES["btrfs"].size_bytes) is punched


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling"])
def test_making_never_overwrites(place: tuple[str, str], tmp_path: Path, kind: str) -> None:
    path, _ = place
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    match kind:
        case "file":
            os.link(victim, path)
        case "folder":
            os.mkdir(path)
        case "link":
            os.symlink(victim, path)
        case "dangling":
            os.symlink(tmp_path / "nowhere", path)
    with pytest.raises(FileExistsError):
        volume_maker().make(IMAGES["ext4"], path)
    assert victim.read_bytes() == b"precious"
    assert os.path.lexists(path)
    assert not (tmp_path / "nowhere").exists()


def test_a_stop_in_the_middle_leaves_nothing(place: tuple[str, str]) -> None:
    def stop(written: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        volume_maker().make(IMAGES["ext4"], place[0], stop)
    assert not os.path.exists(place[0])


# Words that the program's own sentence holds; the rest differs from release to release.
REFUSED_BY_MKFS = [
    (Image("ext4", 16 * MIB, None, ("-I", "7")), r"mkfs\.ext4 could not make ext4 \(.*invalid inode size.*\);"),
    (Image("XFS", 300 * MIB, None, ("-m", "crc=7")), r"mkfs\.xfs could not make XFS \(.*value 7 for -m crc.*\);"),
    (Image("btrfs", 109 * MIB, None, ("--csum=no",)), r"mkfs\.btrfs could not make btrfs \(.*csum type.*\);"),
    (Image("exFAT", 8 * MIB, None, ("-b", "3")), r"mkfs\.exfat could not make exFAT \(.*align.*\);"),
    (Image("NTFS", 8 * MIB, None, ("-L", "x" * 200)), r"mkfs\.ntfs could not make NTFS \(.*too long.*\);"),
]


@pytest.mark.parametrize(("image", "says"), REFUSED_BY_MKFS)
def test_what_the_formatting_program_says_is_told(place: tuple[str, str], image: Image, says: str) -> None:
    with pytest.raises(RunProblem, match=f"^{says} check size, allocation unit and options$"):
        volume_maker().make(image, place[0])
    assert not os.path.exists(place[0])


def test_a_mount_that_fails_leaves_no_loop_device(place: tuple[str, str]) -> None:
    path, point = place
    image = replace(IMAGES["ext4"], mount_options=("data=wrong",))
    volume_maker().make(image, path)
    with pytest.raises(RunProblem) as caught:
        volume_maker().mount(image, path, point)
    assert "; check the mount options, and look into the kernel's log" in str(caught.value)
    assert "\n" not in str(caught.value), "one line, whatever stands in the path"
    assert loops_over(path) == ()
    volume_maker().remove(path)


@pytest.mark.skipif(os.sysconf("SC_PAGE_SIZE") >= 64 << 10, reason="every unit fits into the page of this kernel")
def test_a_unit_that_mkfs_takes_and_this_kernel_does_not(place: tuple[str, str]) -> None:
    path, point = place
    image = Image("btrfs", 112 * MIB, 64 << 10)
    volume_maker().make(image, path)
    with pytest.raises(RunProblem, match="this kernel may take no allocation unit above its page of"):
        volume_maker().mount(image, path, point)
    assert loops_over(path) == ()


def test_a_volume_in_use_is_told_with_the_process_and_stays_mounted(place: tuple[str, str]) -> None:
    path, point = place
    command = [sys.executable, "-c", "import time; print('here', flush=True); time.sleep(60)"]
    with made(place, IMAGES["ext4"]), subprocess.Popen(command, cwd=point, stdout=subprocess.PIPE) as user:
        try:
            assert user.stdout
            user.stdout.readline()
            with pytest.raises(RunProblem) as caught:
                impatient().unmount(path, point)
            assert caught.value.phase == "cleanup"
            assert f"({user.pid})" in str(caught.value)
            assert os.path.ismount(point)
            with pytest.raises(RunProblem, match="could not be detached"):
                impatient().remove(path)
            assert os.path.exists(path)
        finally:
            user.kill()


def test_a_moment_of_use_is_waited_for(place: tuple[str, str]) -> None:
    with made(place, IMAGES["ext4"]) as point:
        subprocess.Popen(["sleep", "0.5"], cwd=point)
        volume_maker().unmount(*place)
        assert not os.path.ismount(point)


def test_an_image_that_is_mounted_twice_is_told(place: tuple[str, str], tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    with made(place, IMAGES["ext4"]) as point:
        subprocess.run(["mount", "--bind", point, second], check=True)
        try:
            with pytest.raises(RunProblem, match=f"could not be detached .it is also mounted at {second}"):
                impatient().unmount(*place)
        finally:
            subprocess.run(["umount", second], check=True)


def test_what_somebody_else_has_mounted_there_is_left(place: tuple[str, str]) -> None:
    path, point = place
    volume_maker().make(IMAGES["ext4"], path)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", point], check=True)
    with pytest.raises(RunProblem, match="something else is mounted at"):
        impatient().unmount(path, point)
    assert os.path.ismount(point)


@pytest.mark.parametrize("name", ["exFAT", "NTFS"])
def test_a_fuse_program_that_was_killed_is_unmounted(place: tuple[str, str], name: str) -> None:
    path, point = place
    maker = volume_maker()
    if maker.driver(IMAGES[name]) == "kernel":
        return
    maker.make(IMAGES[name], path)
    maker.mount(IMAGES[name], path, point)
    (server,) = servers_of(point)
    os.kill(server, 9)
    maker.unmount(path, point)
    assert os.listdir(point) == []
    assert loops_over(path) == ()


def servers_of(point: str) -> list[int]:
    """The processes that were told to mount at a place."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path("/proc", process, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(point) in words:
            found.append(int(process))
    return found


def test_no_root_is_a_clear_sentence(place: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(PlanProblem, match="only root may mount an image with exFAT; run graycard with sudo"):
        volume_maker().make(IMAGES["exFAT"], place[0])
    assert not os.path.exists(place[0])
