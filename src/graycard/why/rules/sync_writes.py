"""Each write waits until it is on the server's disk."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Waiting
from graycard.units import format_rate, format_size, percent
from graycard.why import figures
from graycard.why.requests import is_synchronous, requests_words
from graycard.why.rules.rule import AGENT, COPY, DISK, Hit, PlainRule, track
from graycard.why.slices import share
from graycard.why.vocabulary import FAR, MOVED

# Measured to a disk of 31 MB/s: 24 to 27 where each write waits, 31 and more where the system gathers them.
BELOW_RATIO = 0.95
WRITTEN_RATIO = (0.6, 2.0)
# What the system gathers before it writes is tens of MB and up.
GATHERED_BYTES = 8 << 20
WAITING_RATIO = 0.3


def look(seen: Seen) -> Hit | None:
    """The disk writes what arrives at once, nothing is gathered, and the copy has less than the disk."""
    disk, rate = figures.server_disk(seen), figures.copy_rate(seen)
    if disk is None or rate is None or not figures.is_upload(seen.evidence) or rate > BELOW_RATIO * disk:
        return None
    gathered, ratio, waiting = _gathered_bytes(seen), _written_ratio(seen), share(seen, Waiting.SERVER)
    if (
        gathered is None
        or gathered > GATHERED_BYTES
        or ratio is None
        or (waiting is not None and waiting < WAITING_RATIO)
    ):
        return None
    if not WRITTEN_RATIO[0] <= ratio <= WRITTEN_RATIO[1]:
        return None
    return Hit(
        "Each write waits until it is on the server's disk.", tuple(_because(seen, gathered, ratio, disk)), rate, disk
    )


def _gathered_bytes(seen: Seen) -> float | None:
    """How much more than at its least waited to be written, in the middle of the time."""
    waiting = figures.readings(seen, f"{FAR}.dirty_bytes")
    middle = figures.median_of(seen, f"{FAR}.dirty_bytes")
    return None if middle is None else middle - min(waiting)


def _written_ratio(seen: Seen) -> float | None:
    written, moved = figures.mean_of(seen, f"{FAR}.disk_written_bytes"), figures.mean_of(seen, MOVED)
    return None if written is None or not moved else written / moved


def _because(seen: Seen, gathered: float, ratio: float, disk: float) -> Iterator[str]:
    yield f"The disk wrote {percent(ratio)} of the copy meanwhile; {format_size(gathered)} was waiting."
    yield f"The disk alone has {format_rate(disk)} when it may gather."
    if is_synchronous(seen):
        yield "The mount has the option sync."
    yield from requests_words(seen)


RULE = PlainRule(
    name="sync writes",
    layer=Layer.SERVER_DISK,
    source=(
        "https://tweaked.io/guide/nfs/; measured: to one disk of 31 MB/s SMB ran at 81, SSH at 86 and NFS with stable "
        "writes at 24 MB/s"
    ),
    needs=(
        DISK,
        COPY,
        track(f"{FAR}.dirty_bytes", f"what waits at the server to be written{AGENT}"),
        track(f"{FAR}.disk_written_bytes", f"what the server's disk wrote meanwhile{AGENT}"),
    ),
    look=look,
    advice="Export or mount without sync (NFS async, SMB “sync always = no”) if a crash may lose seconds.",
    experiments=(Experiment(Change.MEMORY_FOLDER, "in a folder in the server's memory it is faster", 1.25),),
    yields_to=("small files", "one core"),
)
