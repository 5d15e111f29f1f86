"""Reads back what was written, file after file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graycard.errors import RunProblem, TargetProblem
from graycard.model import Operation
from graycard.protocols import Progress
from graycard.sustain.series import Joining
from graycard.sustain.session import Gauges, Session, carried
from graycard.sustain.writing import Piece
from graycard.units import format_size

READ_BACK = "read back"


@dataclass(slots=True)
class Reading:
    """The reading as it goes on; it takes at most the time that the writing might take."""

    session: Session
    gauges: Gauges
    joining: Joining = field(default_factory=Joining)
    trouble: RunProblem | TargetProblem | KeyboardInterrupt | None = None

    def read_back(self, pieces: Sequence[Piece]) -> None:
        """Read until something ends it; trouble is kept, not raised."""
        whole = sum(piece.size_bytes for piece in pieces)
        for piece in pieces:
            left_ns = self._left_ns()
            if left_ns == 0 or self.trouble is not None or self.session.stopped:
                return
            size = piece.size_bytes // self.session.order.block_bytes * self.session.order.block_bytes
            task = self.session.order.task(Operation.READ, READ_BACK, size, self.session.cache)
            done = carried(
                self.session, replace(task, time_ns=left_ns), piece.path, lambda progress: self._listen(progress, whole)
            )
            self.trouble = done.trouble
            if done.samples is not None:
                self.joining.add(done.samples)

    def _left_ns(self) -> int | None:
        limit = self.session.order.time_ns
        return None if limit is None else max(0, limit - self.joining.elapsed_ns)

    def _listen(self, progress: Progress, whole: int) -> None:
        elapsed_ns = self.joining.elapsed_ns + progress.elapsed_ns
        moved = self.joining.moved_bytes + progress.moved_bytes
        self.gauges.look(elapsed_ns)
        left_ns = int(elapsed_ns * (whole - moved) / moved) if moved else None
        says = f"reading back, {format_size(moved)} of {format_size(whole)}"
        told = Progress(elapsed_ns, progress.ops_count, moved, progress.since_progress_ns)
        self.session.tell("run", says, told, min(moved / whole, 0.999), left_ns)
