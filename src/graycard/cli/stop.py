"""Ctrl-C, SIGTERM and a closed terminal all stop a measurement in the same way: as KeyboardInterrupt."""

from __future__ import annotations

import signal
import time
from types import FrameType

# Cleaning up must not be cut short by a second, impatient Ctrl-C; after this time a signal counts again.
PATIENCE_S = 3.0
STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Stopper:
    """A signal handler that raises KeyboardInterrupt, once in `PATIENCE_S`."""

    def __init__(self) -> None:
        self._last_s: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raise, unless a signal came just before."""
        now_s = time.monotonic()
        if self._last_s is not None and now_s - self._last_s < PATIENCE_S:
            return
        self._last_s = now_s
        raise KeyboardInterrupt


def stop_on_signals() -> None:
    """Let every signal that asks a program to end take the same path. One that is ignored (nohup) stays ignored."""
    stopper = Stopper()
    for name in STOPPING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stopper)
