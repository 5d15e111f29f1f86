"""Windows: the system calls. Numbers and structures are those of Microsoft's headers, named beside each."""

from __future__ import annotations

import ctypes
import sys
from typing import NamedTuple, Protocol

from graycard.host.portable import Clocks

GENERIC_READ = 0x80000000  # winnt.h
GENERIC_WRITE = 0x40000000  # winnt.h
FILE_SHARE_ALL = 0x1 | 0x2 | 0x4  # winnt.h: read, write, delete
CREATE_NEW = 1  # fileapi.h
OPEN_EXISTING = 3  # fileapi.h
FILE_FLAG_NO_BUFFERING = 0x20000000  # winbase.h
FILE_FLAG_OVERLAPPED = 0x40000000  # winbase.h
FILE_FLAG_OPEN_REPARSE_POINT = 0x00200000  # winbase.h
FILE_ATTRIBUTE_DIRECTORY = 0x10  # winnt.h, as the following
FILE_ATTRIBUTE_SPARSE_FILE = 0x200
FILE_ATTRIBUTE_REPARSE_POINT = 0x400
FILE_ATTRIBUTE_COMPRESSED = 0x800
FILE_ATTRIBUTE_ENCRYPTED = 0x4000
FILE_READ_ONLY_VOLUME = 0x00080000
FILE_VOLUME_IS_COMPRESSED = 0x00008000
DRIVE_REMOTE = 4  # winbase.h
DRIVE_CDROM = 5  # winbase.h
IOCTL_STORAGE_GET_DEVICE_NUMBER = 0x002D1080  # winioctl.h
FILE_STANDARD_INFO_CLASS = 1  # minwinbase.h: FileStandardInfo
FILE_ATTRIBUTE_TAG_INFO_CLASS = 9  # minwinbase.h: FileAttributeTagInfo
_TICK_NS = 100  # unit of the interrupt time


class FileStandardInfo(ctypes.Structure):
    """`FILE_STANDARD_INFO` of winbase.h."""

    _fields_ = (
        ("AllocationSize", ctypes.c_int64),
        ("EndOfFile", ctypes.c_int64),
        ("NumberOfLinks", ctypes.c_uint32),
        ("DeletePending", ctypes.c_uint8),
        ("Directory", ctypes.c_uint8),
    )


class FileAttributeTagInfo(ctypes.Structure):
    """`FILE_ATTRIBUTE_TAG_INFO` of winbase.h."""

    _fields_ = (("FileAttributes", ctypes.c_uint32), ("ReparseTag", ctypes.c_uint32))


class StorageDeviceNumber(ctypes.Structure):
    """`STORAGE_DEVICE_NUMBER` of winioctl.h."""

    _fields_ = (
        ("DeviceType", ctypes.c_uint32),
        ("DeviceNumber", ctypes.c_uint32),
        ("PartitionNumber", ctypes.c_uint32),
    )


class SystemPowerStatus(ctypes.Structure):
    """`SYSTEM_POWER_STATUS` of winbase.h."""

    _fields_ = (
        ("ACLineStatus", ctypes.c_uint8),
        ("BatteryFlag", ctypes.c_uint8),
        ("BatteryLifePercent", ctypes.c_uint8),
        ("SystemStatusFlag", ctypes.c_uint8),
        ("BatteryLifeTime", ctypes.c_uint32),
        ("BatteryFullLifeTime", ctypes.c_uint32),
    )


class FileState(NamedTuple):
    """What the system says of an open file."""

    size_bytes: int
    allocated_bytes: int
    attributes: int


class VolumeState(NamedTuple):
    """What the system says of a mounted volume; `free_bytes` is what this user may use."""

    label: str
    serial: int
    flags: int
    file_system: str
    size_bytes: int
    free_bytes: int
    cluster_bytes: int


class WindowsCalls(Protocol):
    """What WindowsHost asks of the system beside commands; raises OSError."""

    def real_path(self, path: str) -> str:
        r"""Absolute, links resolved; a mapped drive becomes \\server\share."""
        ...

    def mode(self, path: str) -> int:
        """st_mode."""
        ...

    def attributes(self, path: str) -> int:
        """FILE_ATTRIBUTE_… of a path; of a link itself."""
        ...

    def open(self, path: str, access: int, disposition: int, flags: int) -> int:
        """CreateFileW, as a descriptor."""
        ...

    def inspect(self, descriptor: int) -> FileState:
        """GetFileInformationByHandleEx."""
        ...

    def roots(self) -> tuple[str, ...]:
        r"""The drives, as "C:\"."""
        ...

    def root_of(self, path: str) -> str:
        r"""Mount point of the volume that holds a path, with a closing backslash."""
        ...

    def drive_type(self, root: str) -> int:
        """DRIVE_…"""
        ...

    def volume(self, root: str) -> VolumeState:
        """GetVolumeInformationW, GetDiskFreeSpaceExW, GetDiskFreeSpaceW."""
        ...

    def disk_number(self, root: str) -> int:
        """Number of the disk that holds a volume; OSError for shares and volumes over several disks."""
        ...

    def clocks(self) -> Clocks:
        """The three clocks, read as close together as Python can."""
        ...

    def on_mains(self) -> bool | None:
        """Whether mains power is connected, None if unknown."""
        ...


def native_calls() -> WindowsCalls:
    """The real calls. OSError on another system."""
    if sys.platform == "win32":
        return _Win32Calls()
    raise OSError("these are the calls of Windows")


if sys.platform == "win32":
    import msvcrt
    import os
    import time

    _INVALID_HANDLE = ctypes.c_void_p(-1).value
    _PATH_CHARS = 32768
    _NAME_CHARS = 261
    _INVALID_ATTRIBUTES = 0xFFFFFFFF

    class _Win32Calls:
        def __init__(self) -> None:
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            # The precise clocks are exported by KernelBase alone.
            self._base = ctypes.WinDLL("kernelbase")
            self._kernel.CreateFileW.restype = ctypes.c_void_p
            self._kernel.GetFileAttributesW.restype = ctypes.c_uint32

        def real_path(self, path: str) -> str:
            return os.path.realpath(path, strict=True)

        def mode(self, path: str) -> int:
            return os.stat(path).st_mode

        def attributes(self, path: str) -> int:
            found: int = self._kernel.GetFileAttributesW(ctypes.c_wchar_p(path))
            self._check(found != _INVALID_ATTRIBUTES)
            return found

        def open(self, path: str, access: int, disposition: int, flags: int) -> int:
            handle = self._create(path, access, disposition, flags)
            writes = bool(access & GENERIC_WRITE)
            try:
                return msvcrt.open_osfhandle(handle, os.O_BINARY | (os.O_RDWR if writes else os.O_RDONLY))
            except OSError:
                self._close(handle)
                raise

        def inspect(self, descriptor: int) -> FileState:
            handle = msvcrt.get_osfhandle(descriptor)
            standard, tag = FileStandardInfo(), FileAttributeTagInfo()
            self._information(handle, FILE_STANDARD_INFO_CLASS, standard)
            self._information(handle, FILE_ATTRIBUTE_TAG_INFO_CLASS, tag)
            return FileState(standard.EndOfFile, standard.AllocationSize, tag.FileAttributes)

        def roots(self) -> tuple[str, ...]:
            present: int = self._kernel.GetLogicalDrives()
            return tuple(f"{chr(ord('A') + at)}:\\" for at in range(26) if present >> at & 1)

        def root_of(self, path: str) -> str:
            found = ctypes.create_unicode_buffer(_PATH_CHARS)
            self._check(self._kernel.GetVolumePathNameW(ctypes.c_wchar_p(path), found, _PATH_CHARS))
            return found.value

        def drive_type(self, root: str) -> int:
            found: int = self._kernel.GetDriveTypeW(ctypes.c_wchar_p(root))
            return found

        def volume(self, root: str) -> VolumeState:
            label, system = (ctypes.create_unicode_buffer(_NAME_CHARS) for _ in range(2))
            serial, longest, flags = ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_uint32()
            numbers = (ctypes.byref(serial), ctypes.byref(longest), ctypes.byref(flags))
            self._check(
                self._kernel.GetVolumeInformationW(
                    ctypes.c_wchar_p(root), label, _NAME_CHARS, *numbers, system, _NAME_CHARS
                )
            )
            space, cluster = self._space(root), self._cluster(root)
            return VolumeState(label.value, serial.value, flags.value, system.value, *space, cluster)

        def disk_number(self, root: str) -> int:
            name = ctypes.create_unicode_buffer(_NAME_CHARS)
            self._check(self._kernel.GetVolumeNameForVolumeMountPointW(ctypes.c_wchar_p(root), name, _NAME_CHARS))
            # Access 0 asks for no right to read, so this works for every user.
            handle = self._create(name.value.rstrip("\\"), 0, OPEN_EXISTING, 0)
            found, returned = StorageDeviceNumber(), ctypes.c_uint32()
            out = (ctypes.byref(found), ctypes.sizeof(found), ctypes.byref(returned), None)
            try:
                self._check(
                    self._kernel.DeviceIoControl(
                        ctypes.c_void_p(handle), ctypes.c_uint32(IOCTL_STORAGE_GET_DEVICE_NUMBER), None, 0, *out
                    )
                )
            finally:
                self._close(handle)
            return int(found.DeviceNumber)

        def clocks(self) -> Clocks:
            awake, with_sleep = ctypes.c_uint64(), ctypes.c_uint64()
            self._base.QueryUnbiasedInterruptTimePrecise(ctypes.byref(awake))
            self._base.QueryInterruptTimePrecise(ctypes.byref(with_sleep))
            return Clocks(awake.value * _TICK_NS, with_sleep.value * _TICK_NS, time.time_ns())

        def on_mains(self) -> bool | None:
            status = SystemPowerStatus()
            self._check(self._kernel.GetSystemPowerStatus(ctypes.byref(status)))
            return {0: False, 1: True}.get(status.ACLineStatus)

        def _create(self, path: str, access: int, disposition: int, flags: int) -> int:
            handle: int | None = self._kernel.CreateFileW(
                ctypes.c_wchar_p(path),
                ctypes.c_uint32(access),
                ctypes.c_uint32(FILE_SHARE_ALL),
                None,
                ctypes.c_uint32(disposition),
                ctypes.c_uint32(flags),
                None,
            )
            if handle is None or handle == _INVALID_HANDLE:
                raise ctypes.WinError(ctypes.get_last_error())
            return handle

        def _information(self, handle: int, kind: int, into: ctypes.Structure) -> None:
            size = ctypes.sizeof(into)
            self._check(
                self._kernel.GetFileInformationByHandleEx(ctypes.c_void_p(handle), kind, ctypes.byref(into), size)
            )

        def _space(self, root: str) -> tuple[int, int]:
            free, total = ctypes.c_uint64(), ctypes.c_uint64()
            self._check(
                self._kernel.GetDiskFreeSpaceExW(ctypes.c_wchar_p(root), ctypes.byref(free), ctypes.byref(total), None)
            )
            return total.value, free.value

        def _cluster(self, root: str) -> int:
            sectors, sector, free, total = (ctypes.c_uint32() for _ in range(4))
            out = [ctypes.byref(each) for each in (sectors, sector, free, total)]
            self._check(self._kernel.GetDiskFreeSpaceW(ctypes.c_wchar_p(root), *out))
            return sectors.value * sector.value

        def _close(self, handle: int) -> None:
            self._kernel.CloseHandle(ctypes.c_void_p(handle))

        @staticmethod
        def _check(done: int) -> None:
            if not done:
                raise ctypes.WinError(ctypes.get_last_error())
