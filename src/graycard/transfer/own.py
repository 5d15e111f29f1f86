"""graycard's own copies: blocks of several sizes, and the kernel's own calls where there are any."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from graycard.errors import io_problem
from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.flushing import flush
from graycard.transfer.meter import TICK_NS, Meter

KIB, MIB = 1 << 10, 1 << 20
# One call of the kernel's own copying moves so much; between two calls a stop is looked for.
CALL_BYTES = 8 * MIB

# (source descriptor, destination descriptor, bytes so far) -> bytes moved, 0 at the end
Step = Callable[[int, int, int], int]
MakeStep = Callable[[], Step]


class OwnCopy:
    """A loop over one step; the same loop for every way to move a piece."""

    def __init__(self, name: str, make_step: MakeStep, *, stays_within: bool = False) -> None:
        self.name = name
        self._make_step = make_step
        self._stays_within = stays_within

    def refuses(self, task: CopyTask) -> str | None:
        """It needs a file system at both ends."""
        if task.source.scheme is not Scheme.PATH or task.destination.scheme is not Scheme.PATH:
            return "it copies between mounted places only"
        if self._stays_within and _device(task.source.path) != _device(task.destination.path):
            return "it copies within one file system only"
        return None

    def run(self, task: CopyTask, on_tick: OnTick) -> Samples:
        """Copy, flush, count. RunProblem with the file and the place in it."""
        meter, copied = Meter(on_tick), 0
        cpu_ns = time.process_time_ns()
        step = self._make_step()
        next_ns = TICK_NS
        for source, destination in _pairs(task):
            for moved in _steps(step, source, destination):
                copied += moved
                if meter.elapsed_ns >= next_ns:
                    next_ns = (meter.elapsed_ns // TICK_NS + 1) * TICK_NS
                    meter.tell(copied)
        meter.tell(copied)
        copied_ns = meter.elapsed_ns
        flush_ns = flush(task.destination)
        cpu_ns = time.process_time_ns() - cpu_ns
        return meter.samples(self.name, copied, task.file_count, copied_ns, flush_ns=flush_ns, cpu_ns=cpu_ns)


def _device(path: str) -> int | None:
    """The number of the file system that holds the path, or would hold it; None where nothing is there."""
    while path:
        try:
            return os.stat(path).st_dev
        except FileNotFoundError:
            parent = os.path.dirname(path)
            path = "" if parent == path else parent
        except OSError:
            return None
    return None


def _pairs(task: CopyTask) -> Iterator[tuple[str, str]]:
    """(source, destination) of each file; folders are made as they come."""
    source, destination = task.source.path, task.destination.path
    if not task.is_folder:
        yield source, destination
        return
    for parent, folders, names in os.walk(source):
        there = os.path.normpath(os.path.join(destination, os.path.relpath(parent, source)))
        os.makedirs(there, exist_ok=True)
        folders.sort()
        for name in sorted(names):
            yield os.path.join(parent, name), os.path.join(there, name)


def _steps(step: Step, source: str, destination: str) -> Iterator[int]:
    binary = getattr(os, "O_BINARY", 0)
    with _Open(source, os.O_RDONLY | binary) as there, _Open(destination, _NEW | binary) as here:
        done = 0
        while True:
            try:
                moved = step(there, here, done)
            except OSError as error:
                place = destination if error.errno in _OF_WRITING else source
                raise io_problem(
                    error.errno, operation="copying", place=place, offset_bytes=done, phase="measure"
                ) from error
            if not moved:
                return
            done += moved
            yield moved


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def _writing_errors() -> frozenset[int]:
    import errno

    names = ("ENOSPC", "EDQUOT", "EFBIG", "EROFS")
    return frozenset(getattr(errno, name) for name in names if hasattr(errno, name))


_OF_WRITING = _writing_errors()


class _Open:
    """A descriptor; RunProblem where the file cannot be opened."""

    def __init__(self, path: str, flags: int) -> None:
        self._path = path
        self._flags = flags
        self._descriptor = -1

    def __enter__(self) -> int:
        try:
            self._descriptor = os.open(self._path, self._flags, 0o666)
        except OSError as error:
            raise io_problem(error.errno, operation="open", place=self._path, phase="measure") from error
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _by_blocks(block_bytes: int) -> MakeStep:
    """Read a block, write it: what most programs do."""

    def make() -> Step:
        buffer = memoryview(bytearray(block_bytes))

        def step(source: int, destination: int, _done: int) -> int:
            count = os.readv(source, [buffer]) if hasattr(os, "readv") else _read(source, buffer)
            written = 0
            while written < count:
                written += os.write(destination, buffer[written:count])
            return count

        return step

    return make


def _read(source: int, buffer: memoryview) -> int:
    data = os.read(source, len(buffer))
    buffer[: len(data)] = data
    return len(data)


def _call(name: str) -> Callable[..., int]:
    """A call that not every system has; `kernel_copies` asks before."""
    found: Callable[..., int] = getattr(os, name)
    return found


def _in_the_kernel() -> Step:
    call = _call("copy_file_range")

    def step(source: int, destination: int, _done: int) -> int:
        return int(call(source, destination, CALL_BYTES))

    return step


def _by_sendfile() -> Step:
    call = _call("sendfile")

    def step(source: int, destination: int, done: int) -> int:
        return int(call(destination, source, done, CALL_BYTES))

    return step


OWN: tuple[OwnCopy, ...] = (
    OwnCopy("graycard 64 KiB", _by_blocks(64 * KIB)),
    OwnCopy("graycard 1 MiB", _by_blocks(MIB)),
    OwnCopy("graycard 8 MiB", _by_blocks(8 * MIB)),
)


def kernel_copies() -> tuple[OwnCopy, ...]:
    """Those that this system's kernel has: Linux copies from file to file by itself."""
    if not hasattr(os, "copy_file_range"):
        return ()
    return (OwnCopy("copy_file_range", _in_the_kernel, stays_within=True), OwnCopy("sendfile", _by_sendfile))
