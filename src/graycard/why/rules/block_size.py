"""The copy tool moves little at a time, and each time costs."""

from __future__ import annotations

from graycard.facts import number
from graycard.model import short_size
from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_rate
from graycard.why import figures
from graycard.why.rules.rule import COPY, MOUNT, Hit, Need, PlainRule

SMALL_BYTES = 512 << 10
BELOW_RATIO = 0.75


def look(seen: Seen) -> Hit | None:
    """The same share in blocks of 1 MiB is faster."""
    rate, large, block = figures.copy_rate(seen), figures.mount(seen), block_bytes(seen)
    if rate is None or large is None or block is None or block > SMALL_BYTES or rate >= BELOW_RATIO * large:
        return None
    size = short_size(round(block))
    because = (
        f"The tool moves {size} at a time and has {format_rate(rate)}.",
        f"Through the same mount in blocks of 1 MiB it is {format_rate(large)}.",
    )
    return Hit(f"The copy tool's blocks of {size} are too small.", because, rate, large)


def block_bytes(seen: Seen) -> float | None:
    """What one call of the tool moves, as it is known or was set."""
    tool = seen.evidence.ceilings.tool(seen.evidence.tool)
    known = tool.block_bytes if tool else None
    return figures.positive(known or number(seen.evidence.path, "tool_block_bytes"))


RULE = PlainRule(
    name="block size",
    layer=Layer.TOOL,
    source=(
        "https://forums.developer.apple.com/forums/thread/743561; measured: through one mount 4 KiB 32, 1 MiB 59 MB/s; "
        "through another 1.3 and 110"
    ),
    needs=(COPY, MOUNT, Need("the block of the copy tool", lambda seen: block_bytes(seen) is not None)),
    look=look,
    advice="Set a larger block (1 MiB), or take a tool that has one.",
    experiments=(Experiment(Change.LARGER_BLOCK, "with larger blocks it is faster", 1.3),),
    yields_to=("delayed ACK", "small files"),
)
