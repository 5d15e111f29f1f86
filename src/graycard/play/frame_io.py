"""The socket for the calls that move frames: `engines.native_frames`, or a test's own."""

from __future__ import annotations

from typing import Protocol


class Moved(Protocol):
    """What one transfer gave."""

    @property
    def moved_bytes(self) -> int:
        """Bytes, or minus the errno."""
        ...

    @property
    def begin_ns(self) -> int:
        """When the call began, after its waiting."""
        ...

    @property
    def end_ns(self) -> int:
        """When it returned."""
        ...


class FrameIo(Protocol):
    """Single transfers at given moments. Nothing of it opens a path."""

    def require(self) -> None:
        """PlanProblem where it cannot be used here."""
        ...

    def now_ns(self) -> int:
        """The clock of all stamps."""
        ...

    def read(self, fd: int, memory: memoryview, offset: int, moment_ns: int, /) -> Moved:
        """Wait until `moment_ns`, then fill `memory` from that offset."""
        ...

    def write(self, fd: int, memory: memoryview, offset: int, moment_ns: int, /) -> Moved:
        """Wait until `moment_ns`, then write `memory` at that offset."""
        ...

    def fill(self, memory: memoryview, seed: int, run: int, serial: int, /) -> None:
        """Data that neither compress nor repeat."""
        ...

    def flush(self, fd: int, /) -> None:
        """What was written goes to the medium; OSError."""
        ...
