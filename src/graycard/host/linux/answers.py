"""Whether a place answers at all: a share whose server is gone, or a stalled FUSE process, blocks whoever asks."""

from __future__ import annotations

import subprocess
import time

PATIENCE_S = 2.0


def answers(path: str) -> bool:
    """Whether the file system of `path` answers in time; an error is an answer too.

    A program of its own asks, so that a call that never returns does not hold this process. It is killed and
    left behind: the kernel ends it when the file system lets go.
    """
    try:
        asked = subprocess.Popen(
            ["stat", "--file-system", "--", path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return True
    end = time.monotonic() + PATIENCE_S
    while asked.poll() is None:
        if time.monotonic() > end:
            asked.kill()
            return False
        time.sleep(0.002)
    return True
