"""Single transfers at given moments by the C core: what streams of frames are made of.

Each call waits, moves and stamps without Python's lock, so that many streams do not hold each other up.
"""

from __future__ import annotations

from dataclasses import dataclass
from mmap import mmap

from graycard.errors import PlanProblem

try:
    from graycard.native import _core as core
except ImportError as error:
    MISSING: str | None = str(error)
else:
    MISSING = None

Memory = mmap | memoryview


@dataclass(frozen=True, slots=True)
class Move:
    """One transfer: bytes that were moved, or minus the errno; when the call began and when it returned."""

    moved_bytes: int
    begin_ns: int
    end_ns: int


class NativeFrames:
    """Reads, writes, makes data and tells the time, all by the core."""

    name = "native"

    def require(self) -> None:
        """PlanProblem where the core cannot be used here."""
        if MISSING is not None:
            raise PlanProblem(
                f"the compiled core is missing ({MISSING}): install a C compiler, then install graycard again"
            )
        if not hasattr(core, "read_at"):
            raise PlanProblem("the compiled core is of another version: install graycard again")

    def now_ns(self) -> int:
        """The clock of all stamps."""
        return core.clock_ns()

    def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
        """Wait until `moment_ns`, then fill `memory` from that offset with one call."""
        return Move(*core.read_at(fd, memory, offset, moment_ns))

    def write(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
        """Wait until `moment_ns`, then write `memory` at that offset with one call."""
        return Move(*core.write_at(fd, memory, offset, moment_ns))

    def fill(self, memory: Memory, seed: int, run: int, serial: int) -> None:
        """Data that neither compress nor repeat: other numbers give other data."""
        core.fill(memory, seed, run, serial)

    def flush(self, fd: int) -> None:
        """What was written goes to the medium; OSError where that fails."""
        core.flush(fd)
