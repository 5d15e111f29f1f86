"""A program that copies, watched from outside: how far it is, and what processor time it takes."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import psutil

from graycard.errors import RunProblem
from graycard.model import Samples
from graycard.model.copying import CopyTask, Scheme
from graycard.protocols import OnTick
from graycard.transfer.flushing import flush
from graycard.transfer.guard import guarded
from graycard.transfer.meter import Meter
from graycard.transfer.started import Started

# A program that was asked to end removes what it has begun; after this it is made to.
ENDING_S = 3.0
# Whoever stops a copy waits no longer: all that it has written is removed anyway.
STOPPING_S, KILLED_S = 0.2, 0.3
_SAID_BYTES = 4096
# A program reads some 100 kB of its own libraries and configuration first.
COUNTED_BYTES = 1 << 20


def is_there(program: str) -> bool:
    """Whether the program is on the user's path."""
    return shutil.which(program) is not None


def copy_by(
    name: str,
    command: Sequence[str],
    task: CopyTask,
    on_tick: OnTick,
    *,
    given: bytes = b"",
    fine_codes: frozenset[int] = frozenset({0}),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Samples:
    """Run it, watch it, flush what it wrote. RunProblem with its own words where its exit code is not a fine one.

    `given` is what it reads on standard input, `variables` are added to its environment. It gets no terminal: a
    question would wait for ever.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as asked:
        asked.write(given)
        asked.seek(0)
        meter = Meter(on_tick)
        program = Started(command, asked, said, {**os.environ, "LC_ALL": "C", **variables})
        with guarded(program.pid):
            copied_ns = _watched(program, task, meter)
        if program.code not in fine_codes:
            said.seek(0)
            raise _failed(name, program.code, said.read(_SAID_BYTES).decode("utf-8", "replace"))
    flush_ns = flush(task.destination)
    cpu_ns = program.cpu_ns
    return meter.samples(name, task.total_bytes, task.file_count, copied_ns, flush_ns=flush_ns, cpu_ns=cpu_ns)


def _watched(program: Started, task: CopyTask, meter: Meter) -> int:
    """Look until it has ended; its time in ns. What the meter raises ends it."""
    watch = _Watch(program, task)
    try:
        meter.tell(watch.moved_bytes())
        while not program.has_ended(meter.until_next_s):
            meter.tell(watch.moved_bytes())
    except KeyboardInterrupt:
        program.end(STOPPING_S, KILLED_S)
        raise
    except BaseException:
        program.end(ENDING_S)
        raise
    return meter.elapsed_ns_at(program.ended_ns)


class _Watch:
    """How far a program is: by what it has read or written where the system counts that, else by what has arrived."""

    def __init__(self, program: Started, task: CopyTask) -> None:
        self._program = program
        self._task = task

    def moved_bytes(self) -> int:
        self._program.look_at_processor()
        counted = self._counted() if self._task.is_upload else None
        # Some programs copy inside the kernel, where what they read is not counted as theirs. Else nothing is asked of
        # the destination: a share whose server is gone would hold the look, and with it whoever stops the copy.
        return counted if counted is not None and counted >= COUNTED_BYTES else max(counted or 0, self._arrived())

    def _counted(self) -> int | None:
        """What the program itself has read of the source; None where the system does not count it (macOS)."""
        try:
            ask = getattr(psutil.Process(self._program.pid), "io_counters", None)
            counters = ask() if ask else None
        except psutil.Error:
            return None
        if counters is None:
            return None
        return int(getattr(counters, "read_chars", counters.read_bytes))

    def _arrived(self) -> int:
        place = self._task.destination
        return size_of(place.path) if place.scheme is Scheme.PATH else 0


def size_of(path: str) -> int:
    """The bytes of a file, or of all files in a folder with what is being written there; 0 for what is not there."""
    try:
        if not os.path.isdir(path):
            return os.stat(path).st_size if os.path.exists(path) else _unfinished(path)
        return sum(_sizes(path))
    except OSError:
        return 0


def _sizes(folder: str) -> list[int]:
    found = []
    for parent, _folders, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                found.append(os.lstat(os.path.join(parent, name)).st_size)
    return found


def _unfinished(path: str) -> int:
    """A file under the name that it has until it is whole, as rsync's “.name.Ab12Cd”."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError):
        return max((entry.stat().st_size for entry in os.scandir(folder) if name in entry.name), default=0)
    return 0


def _failed(name: str, code: int, said: str) -> RunProblem:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    why = lines[-1] if lines else "it said nothing"
    says = f"{name} failed (exit code {code}): {why}; try the same copy by hand, or leave it out with --method"
    return RunProblem(says, errno=None, offset_bytes=None, phase="measure")
