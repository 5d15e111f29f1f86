"""graycard's own copies: blocks of several sizes, and the kernel's own calls where there are any."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

from graycard.errors import io_problem
from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.flushing import flush
from graycard.transfer.meter import TICK_NS, Meter

KIB, MIB = 1 << 10, 1 << 20
# One call of the kernel's own copying moves so much; between two calls a stop is looked for.
CALL_BYTES = 8 * MIB
# Looked up once: asking a module for what it has not takes 9 µs, which small files would pay each.
_BINARY = int(getattr(os, "O_BINARY", 0))
_READ = os.O_RDONLY | _BINARY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
_advise: Callable[[int, int, int, int], None] | None = getattr(os, "posix_fadvise", None)
_SEQUENTIAL, _WILLNEED = (int(getattr(os, f"POSIX_FADV_{name}", 0)) for name in ("SEQUENTIAL", "WILLNEED"))
# So many files are on their way into memory while one is copied, each with so many bytes: what Linux can be told.
AHEAD_COUNT = 4 if _advise else 0
AHEAD_BYTES = MIB

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
        with contextlib.closing(_opened(_pairs(task))) as opened:
            for moved in (moved for each in opened for moved in _steps(step, each)):
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


class _Opened(NamedTuple):
    """A file to copy: its descriptor, its name, and the name of the copy."""

    descriptor: int
    source: str
    destination: str


def _opened(pairs: Iterable[tuple[str, str]]) -> Generator[_Opened, None, None]:
    """Each pair with its source open until the next one is asked for; those that come next are being read meanwhile.

    A disk takes some 0.1 ms until the first bytes of a small file are there, as long as all the rest of its copy.
    """
    waiting: deque[_Opened] = deque()
    try:
        for source, destination in pairs:
            waiting.append(_Opened(_open(source, _READ), source, destination))
            _read_ahead(waiting[-1].descriptor)
            if len(waiting) > AHEAD_COUNT:
                yield from _first(waiting)
        while waiting:
            yield from _first(waiting)
    finally:
        for each in waiting:
            os.close(each.descriptor)


def _first(waiting: deque[_Opened]) -> Iterator[_Opened]:
    yield waiting[0]
    os.close(waiting.popleft().descriptor)


def _open(path: str, flags: int) -> int:
    """RunProblem where the file cannot be opened."""
    try:
        return os.open(path, flags, 0o666)
    except OSError as error:
        raise io_problem(error.errno, operation="open", place=path, phase="measure") from error


def _read_ahead(source: int) -> None:
    """Begin to read it, and read from end to end in large steps, as for cp. Where that is not known it is no loss."""
    if _advise is not None:
        with contextlib.suppress(OSError):
            _advise(source, 0, 0, _SEQUENTIAL)
            _advise(source, 0, AHEAD_BYTES, _WILLNEED)


def _steps(step: Step, file: _Opened) -> Iterator[int]:
    here, done = _open(file.destination, _NEW), 0
    try:
        while moved := step(file.descriptor, here, done):
            done += moved
            yield moved
    except OSError as error:
        place = file.destination if error.errno in _OF_WRITING else file.source
        raise io_problem(error.errno, operation="copying", place=place, offset_bytes=done, phase="measure") from error
    finally:
        _close(here, file.destination)


def _close(descriptor: int, path: str) -> None:
    """RunProblem where a share says only now that it could not take what was written."""
    try:
        os.close(descriptor)
    except OSError as error:
        raise io_problem(error.errno, operation="close", place=path, phase="measure") from error


def _writing_errors() -> frozenset[int]:
    import errno

    names = ("ENOSPC", "EDQUOT", "EFBIG", "EROFS")
    return frozenset(getattr(errno, name) for name in names if hasattr(errno, name))


_OF_WRITING = _writing_errors()


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
