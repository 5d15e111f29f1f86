"""A folder held open, and the few things graycard does in one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

# Where the system can, names are looked up through the descriptor: a folder or link swapped in redirects nothing.
BY_DESCRIPTOR = {os.open, os.mkdir, os.stat, os.unlink, os.rmdir} <= os.supports_dir_fd and os.listdir in os.supports_fd
_FOLDER = getattr(os, "O_DIRECTORY", 0) | os.O_RDONLY
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a named pipe must not hold up the one who looks
_BINARY = getattr(os, "O_BINARY", 0)
_ATTEMPTS = 3
Made = TypeVar("Made")


def made_despite_cleaners(make: Callable[[], Made]) -> Made:
    """What `make` gives, which makes a folder and puts a marker into it; OSError.

    `graycard clean` removes empty folders. One that it takes away before the marker is in it is made again.
    """
    for _ in range(_ATTEMPTS - 1):
        try:
            return make()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ESTALE):
                raise
    return make()


class OpenFolder(AbstractContextManager["OpenFolder"]):
    """An existing folder. Its operations raise OSError; none follows a link at the last name."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: str) -> OpenFolder:
        """The folder at an absolute path."""
        if BY_DESCRIPTOR:
            return cls(path, os.open(path, _FOLDER))
        if not stat.S_ISDIR(os.stat(path).st_mode):
            raise NotADirectoryError(path)
        return cls(path, None)

    def child(self, name: str) -> OpenFolder:
        """A folder in this one; OSError if it is a link or no folder."""
        path = os.path.join(self.path, name)
        if self._descriptor is not None:
            return OpenFolder(path, os.open(name, _FOLDER | _NO_LINK, dir_fd=self._descriptor))
        if not stat.S_ISDIR(self.info(name).st_mode):
            raise NotADirectoryError(path)
        return OpenFolder(path, None)

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; more than once does no harm."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def names(self) -> list[str]:
        """All names in the folder, sorted."""
        return sorted(os.listdir(self.path if self._descriptor is None else self._descriptor))

    def is_folder(self, name: str) -> bool:
        """Whether a folder lies under that name, without asking a file system that may be mounted on it."""
        with os.scandir(self.path if self._descriptor is None else self._descriptor) as entries:
            return any(entry.name == name and entry.is_dir(follow_symlinks=False) for entry in entries)

    def info(self, name: str) -> os.stat_result:
        """What lies under that name, a link itself included."""
        return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)

    def make_folder(self, name: str) -> None:
        """A new folder for this user alone; FileExistsError if the name is taken."""
        os.mkdir(self._at(name), 0o700, dir_fd=self._descriptor)

    def create(self, name: str, content: bytes) -> None:
        """A new file with that content, flushed to the medium; FileExistsError if the name is taken."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NO_LINK | _BINARY
        with os.fdopen(os.open(self._at(name), flags, 0o600, dir_fd=self._descriptor), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """The first bytes of a regular file; None for anything else."""
        flags = os.O_RDONLY | _NO_LINK | _NO_WAIT | _BINARY
        with os.fdopen(os.open(self._at(name), flags, dir_fd=self._descriptor), "rb") as file:
            return file.read(most_bytes) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None

    def remove_file(self, name: str) -> None:
        """Remove a file; one that is already gone is no error."""
        try:
            os.unlink(self._at(name), dir_fd=self._descriptor)
        except FileNotFoundError:
            return

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder; one that is already gone is no error."""
        try:
            os.rmdir(self._at(name), dir_fd=self._descriptor)
        except FileNotFoundError:
            return

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name) if self._descriptor is None else name
