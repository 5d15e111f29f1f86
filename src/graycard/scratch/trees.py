"""Trees in a run's folder: a camera card and its copies have folders and names of their own.

All below a folder `<word>.tree` is the run's; nothing else is ever put there. It is removed name by name through open
folders: a link is removed itself, never what it points to, and what is mounted there stays.
"""

from __future__ import annotations

import errno
import os
import stat

from graycard.scratch.place import OpenFolder


def tree_bytes(parent: OpenFolder, name: str) -> int:
    """Bytes of all files in the tree; OSError."""
    total = 0
    with parent.child(name) as inner:
        for each in inner.names():
            info = inner.info(each)
            total += tree_bytes(inner, each) if stat.S_ISDIR(info.st_mode) else info.st_size
    return total


def remove_tree(parent: OpenFolder, name: str) -> None:
    """Remove the tree and all in it; one that is already gone is no error. OSError."""
    try:
        device = parent.info(name).st_dev
        with parent.child(name) as inner:
            _empty(inner, device)
    except FileNotFoundError:
        return
    parent.remove_folder(name)


def _empty(folder: OpenFolder, device: int) -> None:
    for name in folder.names():
        info = folder.info(name)
        if not stat.S_ISDIR(info.st_mode):
            folder.remove_file(name)
        elif info.st_dev == device:
            with folder.child(name) as inner:
                _empty(inner, device)
            folder.remove_folder(name)
        else:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), name)
