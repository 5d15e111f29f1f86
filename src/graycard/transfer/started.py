"""A program that was started, the moment of its end, and how it is made to end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

import psutil

from graycard.agent.processes import has_tree, tree

LOOK_EVERY_S = 0.01
# POSIX tells with the end of a program what processor time it took, with all that it has waited for itself.
_wait4: Any = getattr(os, "wait4", None)


class Started:
    """A thread waits for the program: nobody has to look whether it still runs, and when it ended is known exactly.

    `ended_ns` is that moment of `time.monotonic_ns`, `code` its exit code (negative: a signal), both once it has
    ended. `cpu_ns` is its processor time; None where it is not known.
    """

    def __init__(
        self, command: Sequence[str], given: IO[bytes], said: IO[bytes], environment: Mapping[str, str]
    ) -> None:
        """It leads a group of processes of its own, and gets no terminal: a question would wait for ever."""
        self._program = subprocess.Popen(
            command, stdin=given, stdout=said, stderr=said, start_new_session=True, env=environment
        )
        self.pid = self._program.pid
        self.code = self.ended_ns = 0
        self.cpu_ns: int | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True, name="program").start()

    def has_ended(self, within_s: float | None = 0.0) -> bool:
        """Whether it ends within that time; None waits for it."""
        return self._ended.wait(within_s)

    def look_at_processor(self) -> None:
        """Take in what it has used until now, where its end does not tell that (Windows)."""
        if _wait4 is not None:
            return
        spent = 0.0
        for process in family(self.pid):
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                spent += times.user + times.system
        self.cpu_ns = max(self.cpu_ns or 0, int(spent * 1e9))

    def end(self, patience_s: float, killed_s: float | None = None) -> None:
        """Ask it and what it has started to end, and after `patience_s` make them; nothing to do where it has ended.

        One that is in the middle of a call on a file system ends only with that call, so it is waited for no longer
        than `killed_s` (None: until it has ended).
        """
        if self.has_ended():
            return
        everyone = family(self.pid)
        for process in everyone:
            with contextlib.suppress(psutil.Error):
                process.terminate()
        self.has_ended(patience_s)
        for process in everyone:
            with contextlib.suppress(psutil.Error):
                process.kill()
        self.has_ended(killed_s)
        until = time.monotonic() + (patience_s if killed_s is None else killed_s)
        while any(map(_runs, everyone[1:])) and time.monotonic() < until:
            time.sleep(LOOK_EVERY_S)

    def _wait(self) -> None:
        if _wait4 is None:
            self.code = self._program.wait()
        else:
            _pid, status, used = _wait4(self.pid, 0)
            self.cpu_ns = int((used.ru_utime + used.ru_stime) * 1e9)
            self.code = self._program.returncode = os.waitstatus_to_exitcode(status)
        self.ended_ns = time.monotonic_ns()
        self._ended.set()


def _runs(process: psutil.Process) -> bool:
    """Not so what nobody has asked for its end yet: whose parent is gone may stay like that for a second."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def family(pid: int) -> list[psutil.Process]:
    """The process and all that it has started; nobody where it is gone."""
    try:
        root = psutil.Process(pid)
        # psutil looks at all processes for that, which takes 10 ms.
        below = map(psutil.Process, tree(pid)[1:]) if has_tree() else root.children(recursive=True)
        return [root, *below]
    except psutil.Error:
        return []
