"""The tools that graycard runs beside itself, each its own default way; a new one is one entry of TOOLS.

Sizes are given to them, for their defaults (twice the memory, 2 GiB in 128 files) are no figures that anyone waits for.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from graycard.model import Operation, Pattern

MIB = 1 << 20
_BOTH = (Operation.READ, Operation.WRITE)
# Debian keeps bonnie++ where an ordinary user's PATH does not look.
_MORE_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")


@dataclass(frozen=True, slots=True)
class Job:
    """One command of a tool. Its output is a result where `is_shown`; `tells_command`: after its command."""

    arguments: tuple[str, ...]
    is_shown: bool = True
    tells_command: bool = False
    speaks_on_errors: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, its jobs for a size in bytes (in its folder, whose files it names), and graycard's nearest task."""

    name: str
    jobs: Callable[[int], tuple[Job, ...]]
    block_bytes: int
    pattern: Pattern = Pattern.SEQUENTIAL
    operations: tuple[Operation, ...] = _BOTH

    @property
    def program(self) -> str | None:
        """Its path, or None where it is not installed."""
        return shutil.which(self.name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *_MORE_FOLDERS)))


def _fio(size_bytes: int) -> tuple[Job, ...]:
    common = ("--filename=fio.dat", f"--size={size_bytes}", "--output-format=json")
    return tuple(Job((f"--name={way}", f"--rw={way}", *common)) for way in ("write", "read"))


def _dd(size_bytes: int) -> tuple[Job, ...]:
    writing = ("if=/dev/zero", "of=dd.dat", "bs=1M", f"count={size_bytes // MIB}")
    reading = ("if=dd.dat", "of=/dev/null", "bs=1M")
    return tuple(Job(words, tells_command=True, speaks_on_errors=True) for words in (writing, reading))


def _bonnie(size_bytes: int) -> tuple[Job, ...]:
    """-r is the memory that it believes in: it refuses files of less than twice as much."""
    size = size_bytes // MIB
    words = ("-d", ".", "-s", str(size), "-r", str(size // 2), "-n", "0", "-f", "-q", *_as_user())
    return (Job(words),)


def _as_user() -> tuple[str, ...]:
    """Bonnie++ refuses to run as root unless it is told so."""
    return ("-u", "root") if hasattr(os, "geteuid") and os.geteuid() == 0 else ()


def _sysbench(size_bytes: int) -> tuple[Job, ...]:
    def job(mode: str, step: str, *, is_shown: bool = False) -> Job:
        options = (f"--file-total-size={size_bytes}", "--file-num=1", f"--file-test-mode={mode}", "--time=2")
        return Job(("fileio", *options, step), is_shown=is_shown)

    # Reading first: the writing begins with an empty file, and may end by its time before that is whole.
    reads = (job("seqrd", "prepare"), job("seqrd", "run", is_shown=True))
    return (*reads, job("seqwr", "run", is_shown=True))


def _ioping(_: int) -> tuple[Job, ...]:
    """It makes its own file of 1 MiB without a name."""
    return (Job(("-c", "20", "-i", "0.05", ".")),)


def _iozone(size_bytes: int) -> tuple[Job, ...]:
    return (Job(("-i", "0", "-i", "1", "-s", str(size_bytes // 1024), "-f", "iozone.dat")),)


TOOLS: tuple[Tool, ...] = (
    Tool("fio", _fio, 4096),
    Tool("dd", _dd, MIB),
    Tool("bonnie++", _bonnie, 8192),
    Tool("sysbench", _sysbench, 16384),
    Tool("ioping", _ioping, 4096, Pattern.RANDOM, (Operation.READ,)),
    Tool("iozone", _iozone, 4096),
)
