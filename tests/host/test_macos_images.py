"""Images on macOS: the commands for hdiutil and its property lists, in the layout that hdiutil(1) documents."""

from __future__ import annotations

import os
import plistlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from graycard.errors import PlanProblem, RunProblem
from graycard.host.macos_images import (
    FORMATS,
    MacVolumes,
    attach_command,
    create_command,
    device_of,
    mount_points,
)
from graycard.host.programs import Outcome
from graycard.model.image import Image
from tests.host.image_programs import FakePrograms

GIB = 1 << 30
PATH, POINT = "/Volumes/T7/.graycard-0/exfat 1.graycard.dmg", "/Volumes/T7/.graycard-0/exfat 1.mount"
BUSY = Outcome(16, b"", 'hdiutil: couldn\'t unmount "disk4" - Resource busy\n')
# An APFS image: the disk of the image, its partition, the disk that the container shows, and the volume.
APFS_ENTITIES = [
    {"content-hint": "GUID_partition_scheme", "dev-entry": "/dev/disk10", "potentially-mountable": False},
    {"content-hint": "Apple_APFS", "dev-entry": "/dev/disk10s1", "potentially-mountable": True},
    {"content-hint": "EF57347C-0000-11AA-AA11-00306543ECAC", "dev-entry": "/dev/disk11"},
    {"content-hint": "41504653-0000-11AA-AA11-00306543ECAC", "dev-entry": "/dev/disk11s1", "mount-point": POINT},
]
OTHER = {"image-path": "/Users/me/Downloads/App.dmg", "system-entities": [{"dev-entry": "/dev/disk4"}]}


def info(*images: object) -> Outcome:
    return Outcome(0, plistlib.dumps({"framework": "671.100.2", "images": [OTHER, *images]}), "")


ATTACHED = {"image-path": PATH, "image-type": "read/write", "system-entities": APFS_ENTITIES}


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (Image("APFS", GIB), ("-fs", "APFS", "-volname", "graycard")),
        (Image("HFS+", GIB, 8192), ("-fs", "Journaled HFS+", "-volname", "graycard", "-fsargs", "-b 8192")),
        (Image("exFAT", GIB, 131072), ("-fs", "ExFAT", "-volname", "graycard", "-fsargs", "-b 131072")),
        (Image("FAT32", GIB, 4096), ("-fs", "MS-DOS FAT32", "-volname", "graycard", "-fsargs", "-b 4096")),
    ],
)
def test_the_command_that_makes_an_image(image: Image, words: tuple[str, ...]) -> None:
    head = ("hdiutil", "create", "-plist", "-type", "UDIF", "-sectors", "2097152")
    assert create_command(image, PATH) == (*head, *words, PATH)
    assert "-ov" not in create_command(image, PATH), "nothing is ever overwritten"


def test_the_command_that_mounts_names_image_and_place() -> None:
    command = attach_command(PATH, POINT)
    assert command[:3] == ("hdiutil", "attach", "-plist")
    assert command[-3:] == ("-mountpoint", POINT, PATH)
    assert "-nobrowse" in command


def test_answers_are_read() -> None:
    assert mount_points({"system-entities": APFS_ENTITIES}) == (POINT,)
    assert mount_points({}) == mount_points(None) == ()
    assert device_of({"images": [OTHER, ATTACHED]}, PATH) == "/dev/disk10"
    assert device_of({"images": [OTHER]}, PATH) is None
    assert device_of({"images": "none"}, PATH) is None


@pytest.mark.parametrize("name", FORMATS)
def test_sizes_units_and_options(name: str) -> None:
    maker = MacVolumes(FakePrograms({}))
    assert maker.refuses(Image(name, GIB)) is None
    assert "needs an image of at least" in str(maker.refuses(Image(name, 1 << 20)))
    assert "cannot be used on macOS" in str(maker.refuses(Image(name, GIB, None, ("-x",))))
    assert "cannot be used on macOS" in str(maker.refuses(Image(name, GIB, None, (), ("noatime",))))
    assert "hdiutil is not on the PATH" in str(MacVolumes(FakePrograms({}, ("hdiutil",))).refuses(Image(name, GIB)))


def test_file_systems_of_other_systems_are_refused() -> None:
    assert "choose one of APFS, HFS+, exFAT, FAT32" in str(MacVolumes(FakePrograms({})).refuses(Image("ext4", GIB)))


def test_making_fills_the_holes_that_hdiutil_leaves(tmp_path: Path) -> None:
    path = str(tmp_path / "a.dmg")

    def create(command: Sequence[str]) -> Outcome:
        with open(command[-1], "xb") as file:
            file.truncate(32 << 20)
        return Outcome(0, b"", "")

    told = list[int]()
    maker = MacVolumes(FakePrograms({"hdiutil create": create}))
    maker.make(Image("exFAT", 32 << 20), path, told.append)
    assert told[-1] == 32 << 20
    assert os.stat(path).st_blocks * 512 >= 32 << 20
    with pytest.raises(FileExistsError):
        maker.make(Image("exFAT", 32 << 20), path)
    assert os.path.getsize(path) == 32 << 20


def test_what_hdiutil_says_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.dmg"

    def fail(command: Sequence[str]) -> Outcome:
        path.write_bytes(b"half")
        return Outcome(1, b"", "hdiutil: create failed - No space left on device\n")

    maker = MacVolumes(FakePrograms({"hdiutil create": fail}))
    with pytest.raises(RunProblem, match=r"could not make APFS in .*create failed - No space left on device"):
        maker.make(Image("APFS", GIB), str(path))
    assert not path.exists()
    with pytest.raises(PlanProblem, match="allocation unit"):
        maker.make(Image("APFS", GIB, 8192), str(path))


def test_mounting_at_the_asked_place() -> None:
    attached = Outcome(0, plistlib.dumps({"system-entities": APFS_ENTITIES}), "")
    programs = FakePrograms({"hdiutil attach": attached})
    MacVolumes(programs).mount(Image("APFS", GIB), PATH, POINT)
    assert programs.asked == [attach_command(PATH, POINT)]


def test_mounting_somewhere_else_is_undone() -> None:
    elsewhere = [{"dev-entry": "/dev/disk10", "mount-point": "/Volumes/graycard"}]
    answers = iter([info(ATTACHED), info()])
    programs = FakePrograms(
        {
            "hdiutil attach": Outcome(0, plistlib.dumps({"system-entities": elsewhere}), ""),
            "hdiutil info": lambda _: next(answers),
            "hdiutil detach": Outcome(0, b"", ""),
        }
    )
    with pytest.raises(RunProblem, match="the volume appeared somewhere else"):
        MacVolumes(programs).mount(Image("APFS", GIB), PATH, POINT)
    assert ("hdiutil", "detach", "/dev/disk10") in programs.asked


def test_unmounting_tries_again_and_never_by_force() -> None:
    said = iter([BUSY, Outcome(0, b"", "")])
    answers = iter([info(ATTACHED), info(ATTACHED), info()])
    programs = FakePrograms({"hdiutil info": lambda _: next(answers), "hdiutil detach": lambda _: next(said)})
    MacVolumes(programs).unmount(PATH, POINT)
    assert programs.asked.count(("hdiutil", "detach", "/dev/disk10")) == 2
    assert not any("-force" in command for command in programs.asked)


def test_a_volume_in_use_is_told() -> None:
    maker = MacVolumes(FakePrograms({"hdiutil info": info(ATTACHED), "hdiutil detach": BUSY}), patience_s=0.0)
    with pytest.raises(RunProblem, match=r"could not be unmounted \(hdiutil: couldn't unmount .* - Resource busy\)"):
        maker.unmount(PATH, POINT)
    with pytest.raises(RunProblem, match=r"is still attached \(/dev/disk10\)"):
        maker.remove(PATH)


def test_without_an_answer_nothing_is_taken_for_unmounted() -> None:
    for answer in (Outcome(1, b"", "hdiutil: info failed"), Outcome(0, b"no plist", "")):
        with pytest.raises(RunProblem, match="does not tell which images are attached"):
            MacVolumes(FakePrograms({"hdiutil info": answer})).unmount(PATH, POINT)


def test_removing(tmp_path: Path) -> None:
    path = tmp_path / "a.dmg"
    path.write_bytes(b"image")
    maker = MacVolumes(FakePrograms({"hdiutil info": info()}))
    maker.remove(str(path))
    maker.remove(str(path))
    assert not path.exists()
