"""The server's memory takes (or gives) the copy: it looks faster than the disk is."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.facts import number
from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_rate, format_size
from graycard.why import figures
from graycard.why.rules.rule import COPY, DISK, NETWORK, Hit, PlainRule
from graycard.why.rules.server_disk import LOWEST_RATIO, NEAR_RATIO, above_disk
from graycard.why.vocabulary import FAR

# "data many times the server's RAM": below four times a good part of it may be in memory.
MEMORY_FACTOR = 4


def look(seen: Seen) -> Hit | None:
    """The copy while it ran against the disk with its flush, or past its memory."""
    disk, others = figures.server_disk(seen), above_disk(seen)
    rate = figures.running_rate(seen) or figures.copy_rate(seen)
    if disk is None or others is None or rate is None or disk > LOWEST_RATIO * others or rate < NEAR_RATIO[1] * disk:
        return None
    memory, size = figures.positive(number(seen.evidence.far, "memory_bytes")), seen.evidence.total_bytes
    if memory is not None and size is not None and size >= MEMORY_FACTOR * memory:
        return None
    verb = "takes" if figures.is_upload(seen.evidence) else "gives"
    claim = f"The server's memory {verb} the copy and hides its disk, which has {format_rate(disk)}."
    return Hit(claim, tuple(_because(seen, disk, rate, memory)), disk, rate)


def _because(seen: Seen, disk: float, rate: float, memory: float | None) -> Iterator[str]:
    yield f"The copy ran at {format_rate(rate)}; the disk alone has {format_rate(disk)}."
    size = seen.evidence.total_bytes
    if memory is not None and size is not None:
        yield f"{format_size(size)} were copied, the server has {format_size(memory)} of memory."
    waiting = figures.readings(seen, f"{FAR}.dirty_bytes")
    if waiting and max(waiting) > waiting[0]:
        yield f"What waits there to be written grew by {format_size(max(waiting) - waiting[0])}."


RULE = PlainRule(
    name="server memory",
    layer=Layer.SERVER_DISK,
    source=(
        "https://github.com/MicrosoftDocs/SupportArticles-docs "
        "support/windows-server/networking/slow-smb-file-transfer.md "
        "(“start fast and then slow down”); measured: 81 MB/s to a disk of 31"
    ),
    needs=(DISK, NETWORK, COPY),
    look=look,
    advice="Copy four times the server's memory before you believe a figure; a longer copy falls to the disk's rate.",
    experiments=(Experiment(Change.MEMORY_FOLDER, "in a folder in the server's memory it is as fast", 0.75, 1.4),),
    yields_to=("sync writes", "batch flushing"),
)
