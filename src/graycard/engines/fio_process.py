"""fio as a child process: started, watched ten times a second, stopped."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass

import psutil

from graycard.errors import RunProblem
from graycard.protocols import OnTick, Progress

POLL_S = 0.1
# How long fio may take to end by itself after it was told to; graycard promises to stop within a second.
GRACE_S = 0.5
KILL_S = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How fio ended. `code` is negative for a signal; `output` is its JSON, `complaints` what it wrote beside it."""

    code: int
    output: bytes
    complaints: str


class Watch:
    """Progress by the bytes that the system charges to the process; where it charges none, the time alone."""

    def __init__(self, pid: int, block_bytes: int) -> None:
        self._block_bytes = block_bytes
        self._started_ns = self._moved_at_ns = time.monotonic_ns()
        self._moved_bytes = 0
        self._process: psutil.Process | None = None
        with contextlib.suppress(psutil.Error):
            self._process = psutil.Process(pid)

    def progress(self) -> Progress:
        """Operations are bytes over the block size. A process that was charged nothing so far is not called stuck."""
        now_ns, moved = time.monotonic_ns(), self._charged_bytes()
        if moved != self._moved_bytes or not moved:
            self._moved_bytes, self._moved_at_ns = moved, now_ns
        return Progress(now_ns - self._started_ns, moved // self._block_bytes, moved, now_ns - self._moved_at_ns)

    def _charged_bytes(self) -> int:
        # macOS has no such counters.
        if self._process is None or not hasattr(self._process, "io_counters"):
            return 0
        try:
            counters = self._process.io_counters()
        except psutil.Error:
            return self._moved_bytes
        return int(counters.read_bytes + counters.write_bytes)


def carry_out(
    program: str, options: list[str], folder: str, watched_block_bytes: int | None, on_tick: OnTick
) -> Outcome:
    """Run fio in `folder` until it ends; what `on_tick` raises stops it and passes through.

    `watched_block_bytes` None: bytes charged to the process say nothing (page cache), so only the time is told.
    """
    output, complaints = os.path.join(folder, "output.json"), os.path.join(folder, "complaints.txt")
    command = [program, *options, "--output-format=json+", f"--output={output}", "--eta=never"]
    with open(complaints, "wb") as errors:
        process = _start(command, folder, errors.fileno())
    try:
        _watch_to_the_end(process, watched_block_bytes, on_tick)
    finally:
        _stop(process)
    return Outcome(process.returncode, _read(output), _read(complaints).decode("utf-8", "replace"))


def _start(command: list[str], folder: str, errors: int) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C reaches graycard alone, which then stops fio.
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as error:
        raise RunProblem(
            f"fio ({command[0]}) could not be started ({error.strerror}): install it or use --engine native",
            errno=error.errno,
            offset_bytes=None,
            phase="prepare",
        ) from error


def _watch_to_the_end(process: subprocess.Popen[bytes], block_bytes: int | None, on_tick: OnTick) -> None:
    watch = Watch(process.pid, block_bytes or 1)
    while True:
        try:
            process.wait(POLL_S)
        except subprocess.TimeoutExpired:
            progress = watch.progress()
            on_tick(progress if block_bytes else Progress(progress.elapsed_ns, 0, 0, 0))
        else:
            return


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it if it still runs. One that hangs in the kernel is left to it: not even SIGKILL reaches it there."""
    for send, patience_s in ((process.terminate, GRACE_S), (process.kill, KILL_S)):
        if process.poll() is None:
            send()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience_s)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
