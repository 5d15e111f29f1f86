"""A place that does not answer: a call on it is under way and does not come back, and no error ends it."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import Target, TargetKind
from graycard.report.printable import shorten
from graycard.units import format_duration

# A share that wakes a sleeping drive takes up to 30 s; a destination that is silent for longer holds up the others.
USUAL_PATIENCE_NS = 60_000_000_000
SAID_AFTER_NS = 2_000_000_000
# Who was told to stop and is still in a call after so long is not waited for.
_HANGING_NS = 500_000_000
# A path may take so much of a line.
_PLACE_WIDTH = 28
# A flush may rightly take long where much is in the system's memory: so slow may a share be, and no slower.
_SLOWEST_FLUSH_BYTES_PER_S = 10_000_000


@dataclass(frozen=True, slots=True)
class Silence:
    """The folder `root` has not answered for `for_ns`; `unflushed_bytes` may be on their way to the medium."""

    root: str
    for_ns: int
    unflushed_bytes: int = 0

    @property
    def is_hanging(self) -> bool:
        """Whether it may last for ever, after a stop."""
        return self.for_ns > _HANGING_NS

    @property
    def is_worth_saying(self) -> bool:
        """Whether it is longer than a call usually takes."""
        return self.for_ns > SAID_AFTER_NS

    def is_over(self, patience_ns: int) -> bool:
        """Whether it is longer than anybody waits for it."""
        flush_ns = self.unflushed_bytes * 1_000_000_000 // _SLOWEST_FLUSH_BYTES_PER_S
        return self.for_ns > patience_ns + flush_ns

    @property
    def says(self) -> str:
        """The beginning of a sentence: "/mnt/b has not answered for 12 s", in whole seconds."""
        return f"{Target(self.root, TargetKind.FOLDER).shown} {self._since}"

    @property
    def says_shortly(self) -> str:
        """The same for a live line, which is cut where it is too long."""
        return f"{shorten(Target(self.root, TargetKind.FOLDER).shown, _PLACE_WIDTH)} {self._since}"

    @property
    def _since(self) -> str:
        return f"has not answered for {self.for_ns // 1_000_000_000} s"


def given_up(silence: Silence, patience_ns: int) -> str:
    """The sentence of the fault."""
    return (
        f"{silence.says} and was given up (--patience {format_duration(patience_ns)}); "
        "see to the drive or the share, then go on with --resume"
    )
