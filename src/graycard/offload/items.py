"""What a card holds, listed as it is walked: each folder before and after what is in it, its folders before its files.

    FolderBegins → (the same for each folder in it) → FileFound … → FolderEnds

Only the names of the folders that are open at the moment are in memory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from graycard.mhl import HashFormat


@dataclass(frozen=True, slots=True)
class FolderBegins:
    """A folder; `path` is below the card's root, empty for the root itself, with the system's separators."""

    path: str


@dataclass(frozen=True, slots=True)
class FileFound:
    """A regular file. `digest` is the hash it must have, of the format `kind`, where one is known."""

    path: str
    size_bytes: int
    modified_ns: int
    digest: bytes | None = None
    kind: HashFormat | None = None


@dataclass(frozen=True, slots=True)
class FolderEnds:
    """All of the folder was listed."""

    path: str
    modified_ns: int


Item = FolderBegins | FileFound | FolderEnds
# Told of what is left out: the path, and why (an error of the system, or None for a link or a special file).
OnLeftOut = Callable[[str, OSError | None], None]


@dataclass(slots=True)
class _Open:
    path: str
    modified_ns: int
    folders: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def walk(root: str, on_left_out: OnLeftOut) -> Iterator[Item]:
    """List the folder `root`, by names in order. OSError if the root itself cannot be read; links are not followed."""
    stack = [_opened(root, "", on_left_out)]
    yield FolderBegins("")
    while stack:
        top = stack[-1]
        if top.folders:
            path = os.path.join(top.path, top.folders.pop())
            inner = _tried(root, path, on_left_out)
            if inner is not None:
                stack.append(inner)
                yield FolderBegins(path)
            continue
        yield from _files(root, top, on_left_out)
        yield FolderEnds(top.path, top.modified_ns)
        stack.pop()


def _tried(root: str, path: str, on_left_out: OnLeftOut) -> _Open | None:
    try:
        return _opened(root, path, on_left_out)
    except OSError as error:
        on_left_out(path, error)
        return None


def _opened(root: str, path: str, on_left_out: OnLeftOut) -> _Open:
    whole = os.path.join(root, path)
    found = _Open(path, os.stat(whole).st_mtime_ns)
    with os.scandir(whole) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                found.folders.append(entry.name)
            elif entry.is_file(follow_symlinks=False):
                found.files.append(entry.name)
            else:
                on_left_out(os.path.join(path, entry.name), None)
    found.folders.sort(reverse=True)
    found.files.sort()
    return found


def _files(root: str, folder: _Open, on_left_out: OnLeftOut) -> Iterator[FileFound]:
    for name in folder.files:
        path = os.path.join(folder.path, name)
        try:
            info = os.stat(os.path.join(root, path), follow_symlinks=False)
        except OSError as error:
            on_left_out(path, error)
            continue
        if stat.S_ISREG(info.st_mode):
            yield FileFound(path, info.st_size, info.st_mtime_ns)
        else:
            on_left_out(path, None)
