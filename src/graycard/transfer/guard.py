"""A program that copies, or measures beside graycard, ends with it also where graycard is killed and can end nothing.

A shell waits beside it, in a session of its own, for what graycard writes when the program has ended. Where graycard is
gone its end of the pipe closes without that, and the shell ends the program and all that it has started.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

_SCRIPT = 'read -r _ || kill -s TERM -- "-$1"'


@contextlib.contextmanager
def guarded(pid: int) -> Iterator[None]:
    """Guard the program `pid`, which leads a group of processes of its own, within the block.

    Nothing is guarded where there are no such groups (Windows).
    """
    shell = shutil.which("sh") if hasattr(os, "killpg") else None
    if shell is None:
        yield
        return
    nowhere = subprocess.DEVNULL
    guard = subprocess.Popen(
        (shell, "-c", _SCRIPT, "sh", str(pid)), stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            guard.communicate(b"\n")
