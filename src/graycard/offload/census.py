"""A first look at the whole card: how much it holds, and what of it will not be copied."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass

from graycard.errors import Problem, TargetProblem
from graycard.model import Target, TargetKind
from graycard.offload.items import FileFound, FolderEnds, walk

NAMED_COUNT = 5
_LOOK_EVERY_COUNT = 1000


@dataclass(slots=True)
class Census:
    """Counts of files, folders, links and bytes; the first few `link_paths`; the largest file."""

    files_count: int = 0
    folders_count: int = 0
    total_bytes: int = 0
    largest_bytes: int = 0
    largest_path: str = ""
    links_count: int = 0
    link_paths: tuple[str, ...] = ()

    def add(self, file: FileFound) -> None:
        """Count a file."""
        self.files_count += 1
        self.total_bytes += file.size_bytes
        if file.size_bytes >= self.largest_bytes:
            self.largest_bytes, self.largest_path = file.size_bytes, file.path

    def taken_bytes(self, unit_bytes: int) -> int:
        """Most space that the copy takes where space is given in units: one unit more for each file and folder."""
        return self.total_bytes + unit_bytes * (self.files_count + self.folders_count)


def census_of(root: str, on_look: Callable[[int], None]) -> Census:
    """Walk the card. TargetProblem for a pipe, socket or device in it, or where the root cannot be read.

    `on_look` is told the number of files now and then, and may raise to stop. What cannot be read is met when it is
    copied.
    """
    census = Census()
    strange: list[str] = []

    def left_out(path: str, error: OSError | None) -> None:
        if error is None and _is_link(os.path.join(root, path)):
            census.links_count += 1
            census.link_paths = (*census.link_paths, path)[:NAMED_COUNT]
        elif error is None:
            strange.append(path)

    try:
        for item in walk(root, left_out):
            if strange:
                raise _special(root, strange[0])
            if isinstance(item, FileFound):
                census.add(item)
                if census.files_count % _LOOK_EVERY_COUNT == 0:
                    on_look(census.files_count)
            elif isinstance(item, FolderEnds):
                census.folders_count += 1
    except OSError as error:
        raise _unreadable(root, error) from error
    return census


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def _special(root: str, path: str) -> Problem:
    place = Target(os.path.join(root, path), TargetKind.FILE).shown
    return TargetProblem(f"{place} is a pipe, a socket or a device, which no card has; take it away, or name a folder")


def _unreadable(root: str, error: OSError) -> Problem:
    place = Target(root, TargetKind.FOLDER).shown
    return TargetProblem(f"{place} cannot be read ({error.strerror}); check the card, its reader and your permission")
