"""macOS: the system calls that have no portable twin. Numbers are those of Apple's headers, named beside each."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Protocol

from graycard.host.portable import Clocks

F_RDAHEAD = 45  # sys/fcntl.h
F_NOCACHE = 48  # sys/fcntl.h
F_FULLFSYNC = 51  # sys/fcntl.h
MS_INVALIDATE = 0x0002  # sys/mman.h
PROT_NONE = 0x00  # sys/mman.h
MAP_SHARED = 0x0001  # sys/mman.h
UF_COMPRESSED = 0x00000020  # sys/stat.h
RUSAGE_INFO_V2 = 2  # sys/resource.h


class RusageInfoV2(ctypes.Structure):
    """`struct rusage_info_v2` of sys/resource.h: what proc_pid_rusage fills."""

    _fields_ = [
        ("ri_uuid", ctypes.c_uint8 * 16),
        ("before_diskio", ctypes.c_uint64 * 16),
        ("ri_diskio_bytesread", ctypes.c_uint64),
        ("ri_diskio_byteswritten", ctypes.c_uint64),
    ]


class MacCalls(Protocol):
    """What MacHost asks of the system beside commands; raises OSError."""

    def bypass_cache(self, descriptor: int) -> None:
        """Set F_NOCACHE and switch read-ahead off; pages that are cached already stay, so do it before writing."""
        ...

    def flush(self, descriptor: int) -> None:
        """F_FULLFSYNC, or fsync where the file system has no such command (shares)."""
        ...

    def evict(self, descriptor: int, size_bytes: int) -> None:
        """Drop the file's pages from the page cache."""
        ...

    def own_io(self) -> tuple[int, int]:
        """Bytes that this process read from and wrote to disks."""
        ...

    def clocks(self) -> Clocks:
        """The three clocks, read as close together as Python can."""
        ...

    def file_limit_bytes(self) -> int | None:
        """The process's limit on the size of a file, None without one."""
        ...

    def compressed(self, descriptor: int) -> bool:
        """Whether the file system keeps the file compressed."""
        ...

    def writable(self, folder: str) -> bool:
        """Whether this user may write there."""
        ...


def native_calls() -> MacCalls:
    """The real calls. OSError on another system."""
    if sys.platform == "darwin":
        return _DarwinCalls()
    raise OSError("these are the calls of macOS")


if sys.platform == "win32":
    OPEN_FLAGS, SEEK_HOLE, SEEK_DATA = 0, 3, 4

    def allocated_bytes(descriptor: int) -> int:
        """No such call there."""
        raise OSError(f"Windows tells no blocks of descriptor {descriptor}")

else:
    # A symlink at the end is refused, a pipe does not block, and no child inherits the descriptor.
    OPEN_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    SEEK_HOLE, SEEK_DATA = os.SEEK_HOLE, os.SEEK_DATA

    def allocated_bytes(descriptor: int) -> int:
        """Bytes of the blocks that stand behind an open file; st_blocks counts in 512 bytes."""
        return os.fstat(descriptor).st_blocks * 512


if sys.platform == "darwin":
    import fcntl
    import resource
    import time

    _MAP_FAILED = ctypes.c_void_p(-1).value

    class _DarwinCalls:
        def __init__(self) -> None:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._libc.mmap.restype = ctypes.c_void_p
            self._libc.mmap.argtypes = [
                *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64)
            ]
            self._libc.msync.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
            self._libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
            self._libc.proc_pid_rusage.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]

        def bypass_cache(self, descriptor: int) -> None:
            fcntl.fcntl(descriptor, F_NOCACHE, 1)
            fcntl.fcntl(descriptor, F_RDAHEAD, 0)

        def flush(self, descriptor: int) -> None:
            try:
                fcntl.fcntl(descriptor, F_FULLFSYNC)
            except OSError:
                os.fsync(descriptor)

        def evict(self, descriptor: int, size_bytes: int) -> None:
            address = self._libc.mmap(None, size_bytes, PROT_NONE, MAP_SHARED, descriptor, 0)
            if address == _MAP_FAILED:
                raise self._last_error("mmap")
            try:
                if self._libc.msync(address, size_bytes, MS_INVALIDATE):
                    raise self._last_error("msync")
            finally:
                self._libc.munmap(address, size_bytes)

        def own_io(self) -> tuple[int, int]:
            usage = RusageInfoV2()
            if self._libc.proc_pid_rusage(os.getpid(), RUSAGE_INFO_V2, ctypes.byref(usage)):
                raise self._last_error("proc_pid_rusage")
            return usage.ri_diskio_bytesread, usage.ri_diskio_byteswritten

        def clocks(self) -> Clocks:
            read = time.clock_gettime_ns
            return Clocks(read(time.CLOCK_UPTIME_RAW), read(time.CLOCK_MONOTONIC), read(time.CLOCK_REALTIME))

        def file_limit_bytes(self) -> int | None:
            limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
            return None if limit == resource.RLIM_INFINITY else limit

        def compressed(self, descriptor: int) -> bool:
            return bool(os.fstat(descriptor).st_flags & UF_COMPRESSED)

        def writable(self, folder: str) -> bool:
            return os.access(folder, os.W_OK | os.X_OK)

        @staticmethod
        def _last_error(call: str) -> OSError:
            number = ctypes.get_errno()
            return OSError(number, f"{call}: {os.strerror(number)}")
