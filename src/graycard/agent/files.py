"""What a process copies from and to, as far as its open files and its command line tell (proc(5); Linux)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from graycard.agent.processes import text, tree

if TYPE_CHECKING:
    from collections.abc import Iterator


def may_look_at(pid: int) -> bool:
    """Whether this user may see what the process has open: its own processes, and root all."""
    try:
        os.listdir(f"/proc/{pid}/fd")
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def used_paths(pid: int) -> tuple[str, ...]:
    """Absolute paths of what it and its children have open, then those that their command lines name.

    The last one of each process first: cp opens and names its destination last. No path is touched: one on a share
    whose server is gone would hang.
    """
    pids = tree(pid)
    found = [path for each in pids for path in reversed(list(_open_files(each)))]
    found += [path for each in pids for path in reversed(list(named_paths(each)))]
    return tuple(dict.fromkeys(found))


def _open_files(pid: int) -> Iterator[str]:
    folder = f"/proc/{pid}/fd"
    try:
        names = sorted(os.listdir(folder), key=int)
    except (OSError, ValueError):
        return
    for name in names:
        path = _link(os.path.join(folder, name))
        is_file = path.startswith("/") and not path.startswith(("/dev/", "/proc/", "/memfd:"))
        if is_file and not path.endswith(" (deleted)"):
            yield path


def named_paths(pid: int) -> Iterator[str]:
    """The words of the command line as paths, “of=/mnt/x” as well; some name files that are not there."""
    folder = _link(f"/proc/{pid}/cwd") or "/"
    for word in text(f"/proc/{pid}/cmdline").split("\0")[1:]:
        _name, _equals, value = word.partition("=")
        if value or (word and not word.startswith("-")):
            yield os.path.normpath(os.path.join(folder, value or word))


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
