"""Small writes wait for delayed acknowledgements: a fixed 40 ms (Linux) to 200 ms after each handful."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.facts import number
from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_duration, format_size
from graycard.why import figures
from graycard.why.rules.rule import CONNECTION, COPY, Hit, PlainRule

# They come after 40 ms at the least on Linux (TCP_DELACK_MIN), up to 200 ms elsewhere. Every other one is not delayed:
# measured with writes of 100 and 3996 bytes on loopback, the smoothed round trip is 20.6 to 22 ms, the shortest 3 µs.
TRIP_NS = (8_000_000, 300_000_000)
LOADED_RATIO = 2.0
SHORT_NS = 5_000_000
SMALL_QUEUE_BYTES = 128 << 10
FAR_BELOW_RATIO = 0.25


def look(seen: Seen) -> Hit | None:
    """Long smoothed round trips on a short way, with next to nothing in the queue and a rate far below the ceiling."""
    sender = figures.sender(seen.evidence)
    trip, queued = figures.median_of(seen, f"{sender}.tcp_rtt_ns"), figures.median_of(seen, f"{sender}.tcp_queue_bytes")
    way, rate, could = _way_ns(seen), figures.copy_rate(seen), _could(seen)
    if trip is None or queued is None or way is None or rate is None or could is None:
        return None
    if not TRIP_NS[0] <= trip <= TRIP_NS[1] or way > SHORT_NS or queued > SMALL_QUEUE_BYTES:
        return None
    loaded = figures.figure(seen.evidence.ceilings.loaded_round_trip)
    if rate >= FAR_BELOW_RATIO * could or (loaded is not None and trip < LOADED_RATIO * loaded):
        return None
    return Hit(
        "Each handful of small writes waits for a delayed acknowledgement.",
        tuple(_because(seen, trip, way, queued)),
        rate,
        could,
    )


def _way_ns(seen: Seen) -> float | None:
    """The round trip of the way itself."""
    shortest = figures.readings(seen, f"{figures.sender(seen.evidence)}.tcp_min_rtt_ns")
    idle = figures.figure(seen.evidence.ceilings.idle_round_trip)
    return figures.smallest((idle, figures.positive(min(shortest, default=None))))


def _could(seen: Seen) -> float | None:
    best = figures.best_tool(seen)
    return best[1] if best else figures.allowed(seen)


def _because(seen: Seen, trip: float, way: float, queued: float) -> Iterator[str]:
    yield f"Acknowledgements took {format_duration(trip)} on a way of {format_duration(way)}."
    yield f"Only {format_size(queued)} were on their way: nothing was full."
    block = number(seen.evidence.path, "tool_block_bytes")
    if block:
        yield f"The tool writes {format_size(block)} at a time."


RULE = PlainRule(
    name="delayed ACK",
    layer=Layer.TOOL,
    source=(
        "https://www.helios.de/web/EN/support/TI/110.html; measured: 4 KiB at a time over SSH went as 16 kB every "
        "82 to 92 ms, 1.3 MB/s instead of 110"
    ),
    needs=(CONNECTION, COPY),
    look=look,
    advice="Let the tool write larger blocks (64 KiB and more), or use one that does.",
    experiments=(Experiment(Change.LARGER_BLOCK, "with larger blocks it is several times faster", 2.0),),
)
