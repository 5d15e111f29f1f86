"""Whether a direct write goes through the page cache all the same: one is watched while it goes on.

btrfs takes O_DIRECT on files with checksums, copies the data into the page cache, writes them back and drops the pages
before the call returns (since Linux 6.15, fs/btrfs/direct-io.c): afterwards nothing shows. While a call is under way
its pages can be counted (cachestat). Seen in 14 of 16 writes on btrfs with both processors busy, in none on ext4, xfs
and files without checksums.
"""

from __future__ import annotations

import errno
import mmap
import os
from contextlib import suppress
from threading import Thread

from graycard.errors import TargetProblem
from graycard.facts import fact
from graycard.host.linux.descriptors import create_new
from graycard.host.linux.page_cache import cached_bytes
from graycard.host.refusals import failed
from graycard.model import Fact

_WRITE_BYTES = 64 << 10
_WRITES_COUNT = 16


def trial_write(folder: str) -> tuple[Fact, ...]:
    """Write up to 1 MiB directly into a new file in `folder`, look into the page cache meanwhile, and remove it.

    TargetProblem or RunProblem where the file cannot be made or written. None: the file system refuses direct I/O, or
    the system does not tell what is cached.
    """
    path = os.path.join(folder, f"trial-{os.urandom(8).hex()}.graycard")
    source = "cachestat while pwrite with O_DIRECT goes on"
    try:
        handle = create_new(path, direct=True, nocow=False)
    except TargetProblem:
        return (fact("direct_write_buffered", None, "the file system refuses O_DIRECT at open"),)
    try:
        buffered = _any_is_buffered(handle)
        os.unlink(path)
    except OSError as error:
        raise failed(error, path, "writing to") from error
    finally:
        os.close(handle)
        with suppress(OSError):  # where it was not reached above
            os.unlink(path)
    return (fact("direct_write_buffered", buffered, source),)


def _any_is_buffered(handle: int) -> bool | None:
    """True at the first write of which a page is seen; None where pages cannot be seen or the write is refused."""
    data = mmap.mmap(-1, _WRITE_BYTES)  # aligned to a page
    data[:] = os.urandom(_WRITE_BYTES)
    for index in range(_WRITES_COUNT):
        seen = _seen_while_writing(handle, data, index * _WRITE_BYTES)
        if seen is not False:
            return seen
    return False


def _seen_while_writing(handle: int, data: mmap.mmap, offset: int) -> bool | None:
    errors: list[OSError] = []

    def write() -> None:
        try:
            os.pwrite(handle, data, offset)
        except OSError as error:
            errors.append(error)

    writer = Thread(target=write, daemon=True)
    writer.start()
    seen: int | None = 0
    while seen == 0 and writer.is_alive():
        seen, _ = cached_bytes(handle, offset + _WRITE_BYTES)
    writer.join()
    if errors and errors[0].errno not in {errno.EINVAL, errno.EOPNOTSUPP}:
        raise errors[0]
    return None if errors or seen is None else seen > 0
