"""Our numbers and structures against the headers of macOS and Windows themselves, which the compiler brings along."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from graycard.host import macos_calls, windows_calls

MACOS = ("F_RDAHEAD", "F_NOCACHE", "F_FULLFSYNC", "MS_INVALIDATE", "PROT_NONE", "MAP_SHARED", "UF_COMPRESSED")
MACOS_HEADERS = ("fcntl.h", "sys/mman.h", "sys/stat.h", "sys/resource.h", "libproc.h")
WINDOWS = (
    *("GENERIC_READ", "GENERIC_WRITE", "CREATE_NEW", "OPEN_EXISTING", "FILE_FLAG_NO_BUFFERING", "FILE_FLAG_OVERLAPPED"),
    *("FILE_FLAG_OPEN_REPARSE_POINT", "FILE_ATTRIBUTE_DIRECTORY", "FILE_ATTRIBUTE_SPARSE_FILE"),
    *("FILE_ATTRIBUTE_REPARSE_POINT", "FILE_ATTRIBUTE_COMPRESSED", "FILE_ATTRIBUTE_ENCRYPTED", "FILE_READ_ONLY_VOLUME"),
    *("FILE_VOLUME_IS_COMPRESSED", "DRIVE_REMOTE", "DRIVE_CDROM", "IOCTL_STORAGE_GET_DEVICE_NUMBER"),
)
WINDOWS_STRUCTURES = {
    "FILE_STANDARD_INFO": windows_calls.FileStandardInfo,
    "FILE_ATTRIBUTE_TAG_INFO": windows_calls.FileAttributeTagInfo,
    "STORAGE_DEVICE_NUMBER": windows_calls.StorageDeviceNumber,
    "SYSTEM_POWER_STATUS": windows_calls.SystemPowerStatus,
}


def structure_asserts(name: str, ours: type[ctypes.Structure]) -> list[str]:
    """Size of the structure and place of each field that has a name of the header's."""
    lines = [f"sizeof({name}) == {ctypes.sizeof(ours)}"]
    fields = [field[0] for field in ours._fields_ if not field[0].startswith("before_")]
    return lines + [f"offsetof({name}, {field}) == {getattr(ours, field).offset}" for field in fields]


def compile_asserts(system: str, headers: tuple[str, ...], asserts: list[str], folder: Path) -> None:
    source = folder / "asserts.c"
    includes = "".join(f"#include <{header}>\n" for header in ("stddef.h", *headers))
    source.write_text(includes + "".join(f'_Static_assert({each}, "{each}");\n' for each in asserts))
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        system,
        "-c",
        str(source),
        "-o",
        str(folder / "asserts.o"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_numbers_of_macos(tmp_path: Path) -> None:
    asserts = [f"{name} == {getattr(macos_calls, name)}" for name in (*MACOS, "RUSAGE_INFO_V2")]
    asserts += structure_asserts("struct rusage_info_v2", macos_calls.RusageInfoV2)
    compile_asserts("aarch64-macos", MACOS_HEADERS, asserts, tmp_path)


def test_the_numbers_of_windows(tmp_path: Path) -> None:
    asserts = [f"{name} == {getattr(windows_calls, name)}u" for name in WINDOWS]
    asserts += [
        f"(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE) == {windows_calls.FILE_SHARE_ALL}",
        f"FileStandardInfo == {windows_calls.FILE_STANDARD_INFO_CLASS}",
        f"FileAttributeTagInfo == {windows_calls.FILE_ATTRIBUTE_TAG_INFO_CLASS}",
    ]
    for name, ours in WINDOWS_STRUCTURES.items():
        asserts += structure_asserts(name, ours)
    compile_asserts("x86_64-windows-gnu", ("windows.h", "winioctl.h"), asserts, tmp_path)


def test_a_wrong_number_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="F_NOCACHE == 47"):
        compile_asserts("aarch64-macos", MACOS_HEADERS, ["F_NOCACHE == 47"], tmp_path)
