"""Opening files to read and to write them, past the page cache where that is possible."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from io import FileIO

from graycard.errors import Problem
from graycard.protocols import Host, Volume

# Descriptors for direct I/O can be read by Python where the system has vectored reads; Windows' are for an engine.
CAN_BYPASS = hasattr(os, "preadv")
# Direct I/O moves whole blocks of at most this size.
BLOCK_BYTES = 4096
_SAFE = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NOINHERIT", "O_BINARY"))
# A named pipe that takes a file's place must not hold up who opens it.
_TO_READ = os.O_RDONLY | _SAFE | getattr(os, "O_NONBLOCK", 0)
_TO_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE
_CANNOT = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP}


@dataclass(slots=True)
class Access:
    """How the files of one volume are opened; `bypasses` becomes False where its file system refuses direct I/O."""

    host: Host
    bypasses: bool

    @classmethod
    def of(cls, host: Host, volume: Volume) -> Access:
        """Direct I/O on local drives; a share is faster through the page cache, which keeps many requests in flight."""
        return cls(host, CAN_BYPASS and not volume.network)

    def to_read(self, path: str, *, is_large: bool) -> FileIO:
        """An existing file; OSError."""
        if is_large and self.bypasses:
            try:
                return FileIO(self.host.open_file(path, write=False, direct=True), "rb")
            except Problem:
                file = FileIO(os.open(path, _TO_READ), "rb")
                self.bypasses = False
                return file
        return FileIO(os.open(path, _TO_READ), "rb")

    def to_write(self, path: str, *, is_large: bool) -> tuple[FileIO, bool]:
        """A new file of the usual mode, and whether it bypasses the page cache; FileExistsError, OSError."""
        flags = _TO_WRITE | (getattr(os, "O_DIRECT", 0) if is_large and self.bypasses else 0)
        if not flags & getattr(os, "O_DIRECT", 0):
            return FileIO(os.open(path, flags, 0o666), "wb"), False
        try:
            return FileIO(os.open(path, flags, 0o666), "wb"), True
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
        self.bypasses = False
        return self.to_write(path, is_large=False)


def flush_folder(path: str) -> None:
    """Bring the names in a folder to the medium, where the system can; OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    finally:
        os.close(descriptor)
