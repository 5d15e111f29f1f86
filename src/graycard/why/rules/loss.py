"""Packets get lost, and the round trip is long enough for that to matter. Retransmits alone prove nothing."""

from __future__ import annotations

import math

from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Waiting
from graycard.units import format_duration, format_rate, percent
from graycard.why import figures
from graycard.why.expected import AS_EXPECTED_RATIO, expected_network
from graycard.why.figures import text
from graycard.why.rules.rule import NETWORK, ROUND_TRIP, Hit, PlainRule
from graycard.why.slices import share

# Mathis, Semke, Mahdavi, Ott 1997: rate = MSS / RTT × 1.22 / sqrt(p); good to a factor of 3 for lost bursts.
MATHIS = 1.22
SEGMENT_BYTES = 1448
WITHIN_RATIO = 3.0
LEAST_RATIO = 5e-5
# Measured: at a round trip of 0.2 ms even 2 % of loss leave 820 of 940 Mbit/s.
SHORTEST_NS = 1_000_000
STREAMS_GAIN = 1.4


def look(seen: Seen) -> Hit | None:
    """What TCP can have at this loss and round trip, against what it has."""
    raw, trip, lost = (
        figures.raw_network(seen),
        figures.figure(seen.evidence.ceilings.idle_round_trip),
        lost_ratio(seen),
    )
    control = text(seen.evidence.path, "congestion_control") or ""
    if raw is None or trip is None or lost is None or trip < SHORTEST_NS or control.startswith("bbr"):
        return None
    possible = SEGMENT_BYTES * MATHIS / (trip / 1e9 * math.sqrt(lost))
    should = _should(seen, raw)
    if should is None or possible > WITHIN_RATIO * raw:
        return None
    others = figures.smallest((should, figures.server_disk(seen), figures.source(seen)))
    because = (
        f"{percent(lost)} of the packets were sent again, at a round trip of {format_duration(trip)}.",
        f"By the formula of Mathis one stream can have some {format_rate(possible)} then.",
        f"Raw TCP has {format_rate(raw)}.",
        f"Without loss it should be {format_rate(should)}.",
    )
    return Hit("Packets get lost on the way, and TCP slows down.", because, figures.rate_of_way(seen, raw), others)


def lost_ratio(seen: Seen) -> float | None:
    """Segments sent again over all that were sent, in the raw test or the copy, whichever is more."""
    sender = figures.sender(seen.evidence)
    again = figures.total_of(seen, f"{sender}.tcp_retransmit_count")
    sent = figures.total_of(seen, f"{sender}.tcp_segment_count")
    in_copy = again / sent if again is not None and sent else None
    found = figures.positive(figures.largest((seen.evidence.ceilings.raw_retransmit_ratio, in_copy)))
    return None if found is None or found < LEAST_RATIO else min(found, 1.0)


def _should(seen: Seen, raw: float) -> float | None:
    """What the link would carry: four streams lose less each, or the expected speed; None where raw TCP is there."""
    streams = figures.figure(seen.evidence.ceilings.network_streams)
    expected = expected_network(seen)
    flowing = raw / (1 - min(0.9, share(seen, Waiting.NETWORK_STALLED) or 0.0))
    if expected is not None and flowing < AS_EXPECTED_RATIO * expected:
        return expected
    return streams if streams is not None and streams >= STREAMS_GAIN * raw else None


RULE = PlainRule(
    name="packet loss",
    layer=Layer.NETWORK,
    source=(
        "https://doi.org/10.1145/263932.264023; measured of 940 Mbit/s: 0.05 % at 10 ms leave 90, 2 % at 0.2 ms 820"
    ),
    needs=(NETWORK, ROUND_TRIP),
    look=look,
    advice="Look for a bad cable, a half-duplex port or a weak radio link; error counters of the ports tell which.",
    experiments=(Experiment(Change.MORE_STREAMS, "several copies at once have more together", 1.3),),
)
