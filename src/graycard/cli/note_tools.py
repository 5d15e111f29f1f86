"""The tools whose figures are typed in, and what is known of what they show.

No source was found that says whether a MB of any of them has 1,000,000 or 1,048,576 bytes. AJA System Test shows the
average of a pass, Blackmagic Disk Speed Test that of its last loop, ATTO Disk Benchmark one pass of each block size.
AJA encodes its frames with the codec that it is set to; reviewers found ATTO's usual data highly compressible.
"""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import Aggregate

ONE_TIME, CONTINUOUS = "one time", "continuous"


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `unit` is what a bare number means.

    `has_frames` says that it shows frames of a codec, `binary_blocks` that its KB and MB of a block are powers of two.
    """

    name: str
    unit: str | None = None
    mode: str | None = None
    aggregate: Aggregate | None = None
    has_frames: bool = False
    binary_blocks: bool = False
    is_sequential: bool = False


AJA = Tool("AJA System Test", unit="MB/s", has_frames=True, is_sequential=True)
BLACKMAGIC = Tool(
    "Blackmagic Disk Speed Test", unit="MB/s", mode=CONTINUOUS, aggregate=Aggregate.LAST, is_sequential=True
)
ATTO = Tool("ATTO Disk Benchmark", unit="MB/s", mode=ONE_TIME, binary_blocks=True, is_sequential=True)
OTHER = Tool("Other tool")
_NAMES = {
    "aja": AJA,
    "aja system test": AJA,
    "aja system test lite": AJA,
    "atto": ATTO,
    "atto disk benchmark": ATTO,
    "bdst": BLACKMAGIC,
    "blackmagic": BLACKMAGIC,
    "blackmagic disk speed test": BLACKMAGIC,
    "other": OTHER,
}


def tool_named(text: str) -> Tool:
    """The tool of a short or whole name; any other text is the name of a tool of which nothing is known."""
    words = " ".join(text.split())
    return _NAMES.get(words.lower(), Tool(words) if words else OTHER)
