"""Too little is on its way at once: after each window the copy waits for a round trip."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_duration, format_rate, format_size
from graycard.why import figures
from graycard.why.expected import AS_EXPECTED_RATIO, expected_network
from graycard.why.requests import requests_advice, requests_words
from graycard.why.rules.rule import COPY, NETWORK, ROUND_TRIP, Hit, PlainRule

# Below this not even 64 KiB at once are slower than 1 Gbit/s by half.
SHORTEST_NS = 1_000_000
BELOW_RATIO = 0.75
# Where the network itself has too little, what it lacks (loss, buffers) slows a share more than raw TCP.
FAR_BELOW_RATIO = 0.5
# Protocols have 64 KiB to 1 MiB on its way, a few have 4.
MOST_WINDOW_BYTES = 8 << 20


def look(seen: Seen) -> Hit | None:
    """The copy far below what the layers allow, at a round trip that its window would explain."""
    rate, could, raw = figures.copy_rate(seen), figures.allowed(seen), figures.raw_network(seen)
    trip = figures.figure(seen.evidence.ceilings.idle_round_trip)
    if (
        rate is None
        or could is None
        or raw is None
        or trip is None
        or trip < SHORTEST_NS
        or rate >= BELOW_RATIO * could
    ):
        return None
    expected = expected_network(seen)
    if expected is not None and raw < AS_EXPECTED_RATIO * expected and rate >= FAR_BELOW_RATIO * could:
        return None
    window = window_bytes(rate, raw, trip)
    if window > MOST_WINDOW_BYTES:
        return None
    claim = f"Too little is on its way at once for a round trip of {format_duration(trip)}."
    return Hit(claim, tuple(_because(seen, rate, raw, trip, window)), rate, could, requests_advice(seen))


def window_bytes(rate: float, raw: float, trip_ns: float) -> float:
    """Bytes that are sent before an answer is waited for: rate = window / (round trip + window / raw rate)."""
    return trip_ns / 1e9 / max(1e-12, 1 / rate - 1 / raw)


def _because(seen: Seen, rate: float, raw: float, trip: float, window: float) -> Iterator[str]:
    yield f"The copy has {format_rate(rate)}; raw TCP carries {format_rate(raw)} over the same way."
    yield f"A window of {format_size(window)} and a wait of {format_duration(trip)} after each would give this rate."
    queued = figures.median_of(seen, f"{figures.sender(seen.evidence)}.tcp_queue_bytes")
    if queued:
        yield f"In the middle {format_size(queued)} were on their way."
    yield from requests_words(seen)


RULE = PlainRule(
    name="latency",
    layer=Layer.PROTOCOL,
    source=(
        "https://github.com/AgNO3/jcifs-ng/issues/106; measured at 0, 5, 20, 50 ms: a mount 61, 40, 23, 11 MB/s, NFS "
        "72, 47, 27, 12, raw TCP 112, 112, 109, 59"
    ),
    needs=(NETWORK, ROUND_TRIP, COPY),
    look=look,
    advice="Have more on the way: SMB 3, larger rsize and wsize for NFS, or several copies at once.",
    experiments=(Experiment(Change.MORE_STREAMS, "several copies at once have more together", 1.3),),
    yields_to=(
        "one core",
        "small files",
        "server disk",
        "server memory",
        "batch flushing",
        "sync writes",
        "block size",
        "delayed ACK",
        "client processor",
        "source disk",
    ),
)
