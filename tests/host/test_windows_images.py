"""Images on Windows: the VHD that is written, the scripts for PowerShell, and what is made of its answers."""

from __future__ import annotations

import base64
import os
import struct
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graycard.errors import PlanProblem, RunProblem
from graycard.host.programs import Outcome
from graycard.host.vhd import FOOTER_BYTES, footer, geometry
from graycard.host.windows_images import FORMATS, WindowsVolumes, make_script, powershell, quoted
from graycard.model.image import Image
from tests.host.image_programs import OK, FakePrograms

GIB, MIB = 1 << 30, 1 << 20
POINT = "D:\\Größe\\.graycard-0\\ntfs.mount"


def maker(programs: FakePrograms, *, administrator: bool = True) -> WindowsVolumes:
    return WindowsVolumes(programs, lambda: administrator)


def script_of(command: Sequence[str]) -> str:
    assert command[:4] == ("powershell", "-NoProfile", "-NonInteractive", "-EncodedCommand")
    return base64.b64decode(command[4]).decode("utf-16-le")


def test_the_footer_is_that_of_the_specification() -> None:
    made = footer(64 * MIB, datetime(2000, 1, 2, tzinfo=UTC), uuid.UUID(int=1))
    assert len(made) == FOOTER_BYTES
    assert made[:8] == b"conectix"
    assert struct.unpack_from(">IIQI", made, 8) == (2, 0x10000, 2**64 - 1, 86400)
    assert struct.unpack_from(">QQ", made, 40) == (64 * MIB, 64 * MIB)
    assert struct.unpack_from(">I", made, 60)[0] == 2, "fixed"
    (checksum,) = struct.unpack_from(">I", made, 64)
    assert checksum == ~sum(made[:64] + made[68:]) & 0xFFFFFFFF
    assert made[68:84] == uuid.UUID(int=1).bytes


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        (3 * MIB, (90, 4, 17)),
        (64 * MIB, (963, 8, 17)),
        (127 * MIB, (1019, 15, 17)),
        (500 * MIB, (1015, 16, 63)),
        (GIB, (2080, 16, 63)),
        (40 * GIB, (20560, 16, 255)),
        (2040 * GIB, (65535, 16, 255)),
    ],
)
def test_geometry_is_that_of_the_specification(size: int, shape: tuple[int, int, int]) -> None:
    cylinders, heads, sectors = geometry(size)
    assert (cylinders, heads, sectors) == shape
    assert cylinders * heads * sectors * 512 <= size


def test_a_whole_vhd_is_written(tmp_path: Path) -> None:
    path, told, programs = str(tmp_path / "a.vhd"), list[int](), FakePrograms({"powershell": OK})
    maker(programs).make(Image("NTFS", 16 * MIB), path, told.append)
    content = Path(path).read_bytes()
    assert len(content) == 16 * MIB + FOOTER_BYTES
    assert content[:512] == bytes(512), "no random byte can be taken for a partition table"
    assert content[-FOOTER_BYTES:][:8] == b"conectix"
    assert told[-1] == 16 * MIB
    with pytest.raises(FileExistsError):
        maker(programs).make(Image("NTFS", 16 * MIB), path)
    assert Path(path).read_bytes() == content


def test_only_the_new_image_can_be_formatted() -> None:
    script = make_script(Image("exFAT", GIB, 131072), "C:\\a.vhd")
    guard, formats = script.index("throw"), script.index("Initialize-Disk")
    assert guard < formats
    for condition in ("$d.Count -ne 1", f"$d[0].Size -ne {GIB}", "$d[0].PartitionStyle -ne 'RAW'"):
        assert condition in script[:guard]
    assert script.startswith("Mount-DiskImage -ImagePath 'C:\\a.vhd' -NoDriveLetter")
    assert "Format-Volume -Partition $p -FileSystem exFAT -AllocationUnitSize 131072 -New" in script
    assert script.endswith("finally{Dismount-DiskImage -ImagePath 'C:\\a.vhd'|Out-Null}")
    assert "AllocationUnitSize" not in make_script(Image("NTFS", GIB), "C:\\a.vhd")


def test_texts_cannot_break_out_of_a_script() -> None:
    assert quoted("D:\\it's; del") == "'D:\\it''s; del'"
    assert quoted("\u2018a\u2019") == "'\u2018\u2018a\u2019\u2019'"
    assert "'D:\\Größe 日本\\$x`n'" in script_of(powershell(quoted("D:\\Größe 日本\\$x`n")))


def test_scripts_tell_their_error_as_one_line() -> None:
    script = script_of(powershell("Get-Disk"))
    assert "try{Get-Disk}catch{[Console]::Error.WriteLine($_.Exception.Message);exit 1}" in script


def test_mounting_and_unmounting(tmp_path: Path) -> None:
    path = tmp_path / "a.vhd"
    path.write_bytes(b"image")
    programs = FakePrograms({"powershell": Outcome(0, "\ufeffFalse\r\n".encode(), "")})
    maker(programs).mount(Image("NTFS", GIB), str(path), POINT)
    maker(programs).unmount(str(path), POINT + "\\")
    mounting, unmounting = (script_of(command) for command in programs.asked)
    assert f"Add-PartitionAccessPath -AccessPath '{POINT}'" in mounting
    assert f"-contains '{POINT}\\'" in unmounting
    assert f"Remove-PartitionAccessPath -AccessPath '{POINT}'" in unmounting
    assert unmounting.index("Remove-PartitionAccessPath") < unmounting.index("Dismount-DiskImage")


def test_an_image_that_stays_attached_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.vhd"
    path.write_bytes(b"image")
    with pytest.raises(RunProblem, match="it is still attached") as caught:
        maker(FakePrograms({"powershell": Outcome(0, b"True", "")})).unmount(str(path), POINT)
    assert caught.value.phase == "cleanup"


def test_an_image_that_is_gone_is_not_mounted(tmp_path: Path) -> None:
    programs = FakePrograms({})
    maker(programs).unmount(str(tmp_path / "a.vhd"), POINT)
    maker(programs).remove(str(tmp_path / "a.vhd"))
    assert programs.asked == []


def test_what_windows_says_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    said = Outcome(1, b"", "The size of the extent is less than the minimum of 8MB.\r\n")
    path = str(tmp_path / "a.vhd")
    with pytest.raises(RunProblem, match=r"could not make NTFS in .*\(The size of the extent is less"):
        maker(FakePrograms({"powershell": said})).make(Image("NTFS", 16 * MIB), path)
    assert not os.path.exists(path)


def test_a_mount_that_fails_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "a.vhd"
    path.write_bytes(b"image")
    answers = iter([Outcome(1, b"", "The access path is not valid."), Outcome(0, b"False", "")])
    programs = FakePrograms({"powershell": lambda _: next(answers)})
    with pytest.raises(RunProblem, match=r"could not be mounted at .*\(The access path is not valid\)"):
        maker(programs).mount(Image("NTFS", GIB), str(path), POINT)
    assert "Dismount-DiskImage" in script_of(programs.asked[-1])


@pytest.mark.parametrize("name", FORMATS)
def test_refusals(name: str) -> None:
    programs = FakePrograms({})
    assert maker(programs).refuses(Image(name, GIB)) is None
    assert "opened as administrator" in str(maker(programs, administrator=False).refuses(Image(name, GIB)))
    assert "cannot be used on Windows" in str(maker(programs).refuses(Image(name, GIB, None, ("/L",))))
    assert "makes no" in str(maker(programs).refuses(Image(name, 4096 * GIB)))
    with pytest.raises(PlanProblem, match="needs an image of at least"):
        maker(programs).make(Image(name, MIB), "C:\\a.vhd")


def test_other_file_systems() -> None:
    assert "choose one of NTFS, exFAT, FAT32" in str(maker(FakePrograms({})).refuses(Image("XFS", GIB)))
    assert "makes no FAT32 image above 34.4 GB" in str(maker(FakePrograms({})).refuses(Image("FAT32", 64 * GIB)))
