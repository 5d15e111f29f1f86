"""Whether the volume compresses: mount options and attributes tell what is asked for, a file of zeros what happens."""

from __future__ import annotations

import os
from contextlib import suppress

from graycard.facts import fact
from graycard.host.linux.descriptors import create_new
from graycard.host.linux.extents import read_extents
from graycard.host.refusals import failed
from graycard.model import Fact

_PROBE_BYTES = 1 << 20
_BLOCK_BYTES = 512  # of st_blocks


def compression_probe(folder: str) -> tuple[Fact, ...]:
    """Write 1 MiB of zeros into a new file in `folder`, look at what it takes, and remove it.

    TargetProblem or RunProblem where the file cannot be made or written. None: the file system does not tell.
    """
    path = os.path.join(folder, f"zeros-{os.urandom(8).hex()}.graycard")
    handle = create_new(path, direct=False, nocow=False)
    try:
        _write_zeros(handle)
        os.fsync(handle)
        compresses, source = _compressed(handle)
        os.unlink(path)
    except OSError as error:
        raise failed(error, path, "writing zeros to") from error
    finally:
        os.close(handle)
        with suppress(OSError):  # where it was not reached above
            os.unlink(path)
    return (fact("volume_compresses", compresses, source),)


def _write_zeros(handle: int) -> None:
    left = _PROBE_BYTES
    while left:
        left -= os.write(handle, bytes(left))


def _compressed(handle: int) -> tuple[bool | None, str]:
    """FIEMAP's flag where there is FIEMAP; else less than half the blocks, unless no block is told at all."""
    extents = read_extents(handle, _PROBE_BYTES)
    if extents is not None:
        return extents.encoded_bytes > 0, "FIEMAP of 1 MiB of zeros"
    allocated = os.fstat(handle).st_blocks * _BLOCK_BYTES
    return (allocated < _PROBE_BYTES / 2 if allocated else None), "st_blocks of 1 MiB of zeros"
