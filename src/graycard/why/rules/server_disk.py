"""The server's disk is slower than the network, and the copy has what the disk has."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Waiting
from graycard.units import format_duration, format_rate, format_size, percent
from graycard.why import figures
from graycard.why.rules.rule import COPY, DISK, NETWORK, Hit, PlainRule
from graycard.why.slices import share
from graycard.why.vocabulary import FAR

# Measured at a disk of 31 MB/s: copies had 29 to 33; up to 45 where memory took a part of a short one. Above that the
# server's memory may hide the disk (another rule, which says it better); it may be the disk itself, though, that is
# faster than its short test, as long as the copy has not what the others allow.
LOWEST_RATIO = 0.85
NEAR_RATIO = (0.5, 1.3)
# The connection would not be busy all the time with a disk that is waited for.
NETWORK_RATIO = 0.8


def look(seen: Seen) -> Hit | None:
    """The disk against the other ceilings and the copy."""
    disk, rate, others = figures.server_disk(seen), figures.copy_rate(seen), above_disk(seen)
    if disk is None or rate is None or others is None or disk > LOWEST_RATIO * others:
        return None
    low, high = NEAR_RATIO
    if not low * disk <= rate <= max(high * disk, LOWEST_RATIO * others):
        return None
    if (share(seen, Waiting.NETWORK) or 0.0) >= NETWORK_RATIO:
        return None
    doing = "writes" if figures.is_upload(seen.evidence) else "reads"
    claim = f"The server's disk is what is slow: it {doing} {format_rate(disk)}."
    return Hit(claim, tuple(_because(seen, disk, rate, others)), rate, others)


def above_disk(seen: Seen) -> float | None:
    """What the network and this computer's disk allow; None where the network is not known."""
    net = figures.network(seen)
    return None if net is None else figures.smallest((net, figures.source(seen)))


def _because(seen: Seen, disk: float, rate: float, others: float) -> Iterator[str]:
    how = "with the flush" if figures.is_upload(seen.evidence) else "past its memory"
    yield f"The disk alone, {how}, at the server: {format_rate(disk)}; the copy: {format_rate(rate)}."
    yield f"Network and this computer would allow {format_rate(others)}."
    yield from disk_words(seen)


def disk_words(seen: Seen) -> Iterator[str]:
    """What the server's counters tell of its disk."""
    waiting = share(seen, Waiting.SERVER)
    if waiting:
        yield f"{percent(waiting)} of the time the connection waited for the server."
    busy, took = figures.mean_of(seen, f"{FAR}.disk_busy_ratio"), figures.median_of(seen, f"{FAR}.disk_await_ns")
    if busy:
        yield f"Its disk was busy {percent(busy)} of the time" + (
            f", {format_duration(took)} a request." if took else "."
        )
    writing = figures.median_of(seen, f"{FAR}.writeback_bytes")
    if writing:
        yield f"{format_size(writing)} were being written in the middle of the time."


RULE = PlainRule(
    name="server disk",
    layer=Layer.SERVER_DISK,
    source="measured: with a disk of 31 MB/s behind 940 Mbit/s all protocols gave 29 to 33 MB/s, connection busy 30 %",
    needs=(DISK, NETWORK, COPY),
    look=look,
    advice="A faster disk or pool at the server (or one that is less full or busy); nothing on the network will help.",
    experiments=(Experiment(Change.MEMORY_FOLDER, "in a folder in the server's memory it is faster", 1.25),),
    yields_to=("batch flushing", "server memory", "sync writes", "one core"),
)
