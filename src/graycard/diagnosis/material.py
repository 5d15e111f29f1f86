"""What a study has found so far; at any moment it can be made into evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graycard.diagnosis.asked import Asked
from graycard.diagnosis.ceilings import Tried
from graycard.diagnosis.estimates import estimate
from graycard.diagnosis.watched import CUT_OFF_S, Copied, Cost, Going
from graycard.model import Fact
from graycard.model.diagnosis import Evidence, Outcome, Timeline, ToolCeiling
from graycard.units import format_duration


@dataclass(slots=True)
class Material:
    """Collected step by step. `says` are sentences about what could not be measured."""

    asked: Asked
    tried: Tried = field(default_factory=Tried)
    copies: dict[str, list[Copied]] = field(default_factory=dict)
    timelines: list[Timeline] = field(default_factory=list)
    near: tuple[Fact, ...] = ()
    far: tuple[Fact, ...] = ()
    path: tuple[Fact, ...] = ()
    outcomes: list[Outcome] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)
    file_count: int | None = None
    total_bytes: int | None = None
    going: Going | None = None

    def take_partly(self) -> None:
        """Take in how far the copy in question went that is cut off now; nothing where there is none.

        First what is known here: the far end may be gone, and whoever stopped it may not wait for that.
        """
        going, self.going = self.going, None
        if going is None or not going.has_begun:
            return
        copied = going.copied()
        self.copies.setdefault(going.tool, []).append(copied)
        self.total_bytes = copied.moved_bytes
        self.says.append(f"The copy was cut off after {format_duration(copied.elapsed_ns)}: it is judged up to there.")
        self.timelines.append(going.timeline(going.watch.near()))
        self.timelines[-1] = going.timeline(going.watch.ends(CUT_OFF_S))

    def evidence(self) -> Evidence:
        """What is known now."""
        tools = tuple(_ceiling(name, copies) for name, copies in self.copies.items())
        return Evidence(
            tool=self.asked.tool.name,
            action=self.asked.action,
            file_count=self.file_count,
            total_bytes=self.total_bytes,
            ceilings=replace(self.tried.ceilings(), tools=tuple(tool for tool in tools if tool is not None)),
            timelines=tuple(self.timelines),
            near=self.near,
            far=self.far,
            path=self.path,
            outcomes=tuple(self.outcomes),
        )


def _ceiling(name: str, copies: Sequence[Copied]) -> ToolCeiling | None:
    rate = estimate([copy.rate_bytes_per_s for copy in copies])
    return None if rate is None else ToolCeiling(name, rate, block_bytes=_BLOCKS.get(name))


_BLOCKS = {"graycard 64 KiB": 64 << 10, "graycard 1 MiB": 1 << 20, "graycard 8 MiB": 8 << 20}
