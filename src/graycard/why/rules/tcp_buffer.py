"""TCP may not have enough on its way: the send buffer or the receiver's window is too small for the round trip."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_duration, format_rate, format_size, percent
from graycard.why import figures
from graycard.why.rules.rule import NETWORK, ROUND_TRIP, Hit, PlainRule

# Usual largest buffers hold 4 to 6 MB: 100 MB/s over 40 to 60 ms, but they begin small.
SHORTEST_NS = 3_000_000
STREAMS_GAIN = 1.4
LIMITED_RATIO = 0.2
REACHED_RATIO = 0.8


def look(seen: Seen) -> Hit | None:
    """Four streams carry more than one, or the kernel counts time held back by the buffer."""
    raw, most = figures.raw_network(seen), figures.most_network(seen)
    trip, rate = figures.figure(seen.evidence.ceilings.idle_round_trip), figures.copy_rate(seen)
    if raw is None or most is None or trip is None or trip < SHORTEST_NS:
        return None
    limited = figures.mean_of(seen, f"{figures.sender(seen.evidence)}.tcp_buffer_limited_ratio")
    held = limited is not None and limited >= LIMITED_RATIO and rate is not None and rate < REACHED_RATIO * most
    if most < STREAMS_GAIN * raw and not held:
        return None
    next_rate = figures.smallest(
        (most * figures.SHARE_OF_NETWORK_RATIO, figures.server_disk(seen), figures.source(seen))
    )
    because = tuple(_because(raw, most, trip, limited))
    return Hit("TCP's buffers are too small for this round trip.", because, figures.rate_of_way(seen, raw), next_rate)


def _because(raw: float, most: float, trip: float, limited: float | None) -> Iterator[str]:
    yield (
        f"One stream carries {format_rate(raw)} over a round trip of {format_duration(trip)}: "
        f"{format_size(raw * trip / 1e9)} are on their way."
    )
    if most >= STREAMS_GAIN * raw:
        yield f"Several streams carry {format_rate(most)}."
    if limited is not None and limited >= LIMITED_RATIO:
        yield f"{percent(limited)} of the time the copy's connection was held back by its send buffer."


RULE = PlainRule(
    name="TCP buffer",
    layer=Layer.NETWORK,
    source=(
        "https://l2dy.github.io/notes/CLI/ss; measured: at 50 ms one stream had 471 of 940 Mbit/s, and a copy was held "
        "back by its send buffer 46 % of the time"
    ),
    needs=(NETWORK, ROUND_TRIP),
    look=look,
    advice="Allow larger TCP buffers at both ends (Linux: net.ipv4.tcp_rmem, tcp_wmem), or copy in several streams.",
    experiments=(Experiment(Change.MORE_STREAMS, "several copies at once have more together", 1.3),),
    yields_to=("packet loss", "one core", "server disk", "batch flushing", "sync writes", "network stalls"),
)
