"""The server's process of the share has no more processor time: one core, or what a limit leaves it."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Waiting
from graycard.units import format_duration, format_rate, percent
from graycard.why import figures
from graycard.why.figures import text
from graycard.why.protection import protection_advice, protection_words
from graycard.why.rules.rule import AGENT, COPY, NETWORK, Hit, Need, PlainRule
from graycard.why.slices import STARVED_RATIO, THROTTLED_RATIO, WRITEBACK_BYTES, share
from graycard.why.vocabulary import FAR

# With processor time that is seen to be used up, a tenth below the ceiling is enough to say so.
SEEN_RATIO = 0.9
# Without it the loss must be plain, the connection full and its round trips far above those of raw TCP.
UNSEEN_RATIO = 0.7
FULL_RATIO = 0.8
GROWN_RATIO = 2.0
# Measured 3.4 MB; what a few small writes leave there is tens of kB.
FULL_QUEUE_BYTES = 1 << 20
SHORT_NS = 1_000_000
IDLE_DISK_RATIO = 0.3


def look(seen: Seen) -> Hit | None:
    """Processor time first; then a connection that is full at a rate that raw TCP is far above."""
    rate, could = figures.copy_rate(seen), figures.allowed(seen)
    if rate is None or could is None or rate > SEEN_RATIO * could:
        return None
    used = tuple(processor_words(seen, FAR))
    if not used and not (rate < UNSEEN_RATIO * could and _takes_late(seen)):
        return None
    name = figures.usual_name(seen.timeline, f"{FAR}.service") or "its process of the share"
    claim = (
        f"The server's processor is what is slow: {name} has no more of it."
        if used
        else ("The server takes the data late, its disk idle and the network not full: most likely its processor.")
    )
    allowed = f"Raw TCP, disks and network would allow {format_rate(could)}."
    because = (*used, allowed, *_late(seen), *protection_words(seen))
    return Hit(claim, because, rate, could, _advice(seen))


def processor_words(seen: Seen, end: str) -> Iterator[str]:
    """What shows that a copy's process at that end has no more processor time."""
    used = figures.mean_of(seen, f"{end}.service_ratio")
    limit = figures.positive(figures.median_of(seen, f"{end}.service_limit_ratio"))
    most = min(1.0, limit or 1.0)
    name = figures.usual_name(seen.timeline, f"{end}.service") or "the process"
    if used is not None and used >= STARVED_RATIO * most:
        of_limit = f", and a limit allows it {percent(limit)}" if limit and limit < 1 else ""
        yield f"{name} used {percent(used)} of a core{of_limit}."
    throttled = figures.mean_of(seen, f"{end}.throttled_ratio")
    if throttled is not None and throttled >= THROTTLED_RATIO:
        yield f"A limit kept it from running {percent(throttled)} of the time."


def _takes_late(seen: Seen) -> bool:
    """Queue by queue it looks like a full network; its round trips are longer than raw TCP makes them."""
    trip, loaded = _trips(seen)
    idle = figures.figure(seen.evidence.ceilings.idle_round_trip)
    busy = figures.mean_of(seen, f"{figures.sender(seen.evidence)}.tcp_busy_ratio")
    queue = figures.median_of(seen, f"{figures.sender(seen.evidence)}.tcp_queue_bytes")
    disk = figures.mean_of(seen, f"{FAR}.disk_busy_ratio")
    writing = figures.median_of(seen, f"{FAR}.writeback_bytes") or 0.0
    if None in (trip, loaded, idle, busy, queue, disk) or not figures.is_upload(seen.evidence):
        return False
    return (
        (trip or 0.0) >= GROWN_RATIO * (loaded or 0.0)
        and (idle or 0.0) < SHORT_NS
        and (busy or 0.0) >= FULL_RATIO
        and (queue or 0.0) >= FULL_QUEUE_BYTES
        and (disk or 0.0) < IDLE_DISK_RATIO
        and writing < WRITEBACK_BYTES
    )


def _trips(seen: Seen) -> tuple[float | None, float | None]:
    """Round trips of the copy's connection and of raw TCP under load."""
    copy = figures.median_of(seen, f"{figures.sender(seen.evidence)}.tcp_rtt_ns")
    return copy, figures.figure(seen.evidence.ceilings.loaded_round_trip)


def _late(seen: Seen) -> Iterator[str]:
    trip, loaded = _trips(seen)
    if trip and loaded and trip >= GROWN_RATIO * loaded:
        yield f"Round trips of the copy took {format_duration(trip)}, of raw TCP {format_duration(loaded)}."
    waiting = share(seen, Waiting.SERVER)
    if waiting:
        yield f"{percent(waiting)} of the time the copy waited for the server."


def _advice(seen: Seen) -> str | None:
    if text(seen.evidence.path, "share_protocol") == "ssh":
        return "Choose a cipher that the server's processor does in hardware (aes128-gcm), or copy over SMB or NFS."
    return protection_advice(seen)


RULE = PlainRule(
    name="one core",
    layer=Layer.PROTOCOL,
    source=(
        "https://github.com/RMerl/asuswrt-merlin.ng/issues/752 (signing), https://github.com/jamesyc/TimeCapsuleSMB/issues/"
        "259; measured: 15 % of a core gave SMB 67 to 89, signed 57, encrypted 71, SSH 30 MB/s at full raw TCP"
    ),
    needs=(
        NETWORK,
        COPY,
        Need(
            f"the processor time of the server's process{AGENT}",
            lambda seen: any(figures.readings(seen, f"{FAR}.{name}") for name in ("service_ratio", "throttled_ratio")),
        ),
    ),
    look=look,
    advice="A faster core or a larger limit at the server, or a protocol that needs less (NFS).",
    experiments=(
        Experiment(Change.MEMORY_FOLDER, "in a folder in the server's memory it has the same rate", 0.8, 1.2),
    ),
    yields_to=("small files",),
)
