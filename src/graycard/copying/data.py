"""What is copied: the user's own file or folder, or data made for the purpose, which no compression makes smaller."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graycard.errors import PlanProblem, TargetProblem, io_problem

MIB = 1 << 20
# Many small files as a home folder has them; a project folder as an editor's: few large clips, many small files.
SMALL_BYTES = 50_000
KINDS = ("large", "small", "project")
_PROJECT_SHARES = ((0.9, 64 * MIB), (0.08, 2 * MIB), (0.02, 20_000))
_PIECE_BYTES = 8 * MIB
_MOST_FILES = 200_000


@dataclass(frozen=True, slots=True)
class Data:
    """A file or folder on this computer: `file_count` files of `total_bytes` in all."""

    path: str
    is_folder: bool
    file_count: int
    total_bytes: int
    largest_bytes: int


def census(path: str) -> Data:
    """Look at what is to be copied; TargetProblem where it cannot be read or holds what no copy means the same by."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise TargetProblem(f"{path} cannot be copied: {error.strerror}; name a file or a folder") from error
    if stat.S_ISREG(found.st_mode):
        return Data(path, is_folder=False, file_count=1, total_bytes=found.st_size, largest_bytes=found.st_size)
    if not stat.S_ISDIR(found.st_mode):
        raise TargetProblem(f"{path} is neither a file nor a folder; nothing was copied")
    sizes = tuple(_sizes(path))
    if not sizes:
        raise TargetProblem(f"{path} holds no file; nothing was copied")
    return Data(path, is_folder=True, file_count=len(sizes), total_bytes=sum(sizes), largest_bytes=max(sizes))


def _sizes(folder: str) -> Iterator[int]:
    def refuse(error: OSError) -> None:
        raise TargetProblem(f"{error.filename} cannot be read: {error.strerror}") from error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        for name in (*folders, *names):
            path = os.path.join(parent, name)
            info = os.lstat(path)
            if stat.S_ISREG(info.st_mode):
                yield info.st_size
            elif not stat.S_ISDIR(info.st_mode):
                raise TargetProblem(
                    f"{path} is a link or special file, which each method copies in its own way; leave it out"
                )


def file_sizes(kind: str, total_bytes: int) -> tuple[int, ...]:
    """The sizes of made-up data of this kind, in the order in which they are made; PlanProblem for too many files."""
    if kind == "large":
        return (total_bytes,)
    shares = ((1.0, SMALL_BYTES),) if kind == "small" else _PROJECT_SHARES
    sizes = tuple(size for share, size in shares for _ in range(max(1, round(share * total_bytes / size))))
    if len(sizes) > _MOST_FILES:
        raise PlanProblem(f"--size makes {len(sizes)} files of it, more than {_MOST_FILES}; give a smaller one")
    return sizes


def make_data(kind: str, folder: str, total_bytes: int, seed: int, on_made: Callable[[int], None]) -> Data:
    """Make it in `folder`, which is empty and the run's own; `on_made` is told the bytes so far and may raise."""
    sizes, done = file_sizes(kind, total_bytes), 0
    chance = random.Random(f"{seed}/data")
    for number, size in enumerate(sizes):
        path = os.path.join(folder, f"{number // 500:03d}", f"{number:06d}.bin") if kind != "large" else None
        for piece in _written(path or os.path.join(folder, "large.bin"), size, chance):
            done += piece
            on_made(done)
    root = os.path.join(folder, "large.bin") if kind == "large" else folder
    return census(root)


def _written(path: str, size: int, chance: random.Random) -> Iterator[int]:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            left = size
            while left:
                piece = chance.randbytes(min(left, _PIECE_BYTES))
                file.write(piece)
                left -= len(piece)
                yield len(piece)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise io_problem(error.errno, operation="write", place=path, phase="layout") from error
