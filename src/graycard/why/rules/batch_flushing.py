"""The server gathers data in memory and writes them in batches; meanwhile nobody is served."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Swing, Waiting
from graycard.units import format_duration, format_rate
from graycard.why import figures
from graycard.why.rules.rule import AGENT, CONNECTION, Hit, PlainRule, track
from graycard.why.slices import WRITEBACK_BYTES
from graycard.why.vocabulary import FAR

# Pauses of a writer at its limit last up to 200 ms (balance_dirty_pages); a batch takes seconds.
SHORTEST_NS = 1_000_000_000
DEEP_RATIO = 0.6
DIP_RATIO = 0.6
DISK_RATIO = 0.3


def look(seen: Seen) -> Hit | None:
    """A swing whose dips wait for the server while its disk writes."""
    swing = seen.swing
    if swing is None or not figures.is_upload(seen.evidence) or not _is_batch(swing) or not _disk_writes(seen, swing):
        return None
    rate = figures.copy_rate(seen)
    return Hit("The server writes in batches, and the copy stands still meanwhile.", tuple(_because(swing)), rate,
               swing.high_bytes_per_s)  # fmt: skip


def _is_batch(swing: Swing) -> bool:
    return (
        swing.dips is Waiting.SERVER
        and swing.dip_ratio >= DIP_RATIO
        and swing.period_ns is not None
        and swing.period_ns >= SHORTEST_NS
        and swing.low_bytes_per_s <= DEEP_RATIO * swing.high_bytes_per_s
    )


def _disk_writes(seen: Seen, swing: Swing) -> bool:
    """In the dips the disk has something to do."""
    least = {"writeback_bytes": WRITEBACK_BYTES, "disk_busy_ratio": DISK_RATIO, "pressure_io_some_ratio": DISK_RATIO}
    levels = ((_in_dips(seen, swing, f"{FAR}.{name}"), low) for name, low in least.items())
    return any(level is not None and level >= low for level, low in levels)


def _in_dips(seen: Seen, swing: Swing, name: str) -> float | None:
    """Median of a track in the steps that were spent like the dips."""
    if seen.timeline is None or seen.slices is None:
        return None
    values = zip(seen.timeline.values(name), seen.slices.kinds, strict=False)
    known = [value for value, kind in values if value is not None and kind is swing.dips]
    return median(known) if known else None


def _because(swing: Swing) -> Iterator[str]:
    yield f"The rate swings between {format_rate(swing.low_bytes_per_s)} and {format_rate(swing.high_bytes_per_s)}."
    if swing.period_ns is not None:
        yield f"One swing takes {format_duration(swing.period_ns)}."
    yield swing.says


RULE = PlainRule(
    name="batch flushing",
    layer=Layer.SERVER_DISK,
    source=(
        "https://forums.truenas.com/t/some-insights-and-generalizations-on-the-openzfs-write-throttle/1084 "
        "(txg: 5 s, or 20 % of the dirty limit); measured: dips with queue 0, busy 0 to 3 %, 40 to 45 MB in writeback"
    ),
    needs=(
        CONNECTION,
        track(f"{FAR}.writeback_bytes", f"what the server's disk does meanwhile{AGENT}"),
    ),
    look=look,
    advice="A smaller limit of dirty data at the server makes it even; only a faster disk makes it faster.",
    experiments=(Experiment(Change.MEMORY_FOLDER, "in a folder in the server's memory it is faster", 1.2),),
)
