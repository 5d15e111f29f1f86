"""The page cache of the device below a FUSE file system, which holds the data a second time.

The program that serves such a file system (exfat-fuse, ntfs-3g) reads and writes its block device through the page
cache. A file that was dropped from the cache is then still read from memory: from the pages of the device.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from graycard.host.linux.mounts import mount_of
from graycard.host.linux.roots import HERE, Roots


def evict_below(path: str, roots: Roots = HERE) -> None:
    """Write back and drop the pages of the device below, where a program serves the file system of the real `path`.

    Only who may open the device can do that, usually root. Elsewhere they stay, and the check from_device tells.
    """
    mount = mount_of(path, roots)
    if mount is None or not mount.fuse:
        return
    with suppress(OSError):
        _evict(mount.source)


def _evict(device: str) -> None:
    if not stat.S_ISBLK(os.stat(device).st_mode):
        return
    handle = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
