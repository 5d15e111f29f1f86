"""A queue on the way fills up: no byte is slower, but everything else on the line waits."""

from __future__ import annotations

from graycard.model.diagnosis import Layer, Seen, Severity
from graycard.units import format_duration
from graycard.why import figures
from graycard.why.rules.rule import AGENT, ROUND_TRIP, Hit, Need, PlainRule

# A full wire of 940 Mbit/s has 1.5 ms, one of 100 Mbit/s 4.9 ms; people notice some 50 ms.
ADDED_NS = 40_000_000
GROWN_RATIO = 5.0


def look(seen: Seen) -> Hit | None:
    """The round trip while raw TCP fills the way against the one with nothing on it."""
    ceilings = seen.evidence.ceilings
    idle, loaded = figures.figure(ceilings.idle_round_trip), figures.figure(ceilings.loaded_round_trip)
    if idle is None or loaded is None or loaded - idle < ADDED_NS or loaded < GROWN_RATIO * idle:
        return None
    trips = f"{format_duration(idle)} with nothing on the way and {format_duration(loaded)} while one stream fills it"
    return Hit(
        "A queue on the way grows long while something is copied.",
        (f"A round trip takes {trips}.",),
        cost="The copy itself loses nothing; browsing folders, calls and other people on the line wait.",
    )


RULE = PlainRule(
    name="bufferbloat",
    layer=Layer.NETWORK,
    source=(
        "https://www.bufferbloat.net/projects/; measured at 200 Mbit/s: queues of 300 and 10 ms gave the same rate "
        "and 112 and 10 ms of round trip"
    ),
    needs=(
        ROUND_TRIP,
        Need(
            f"the round trip under load{AGENT}",
            lambda seen: figures.figure(seen.evidence.ceilings.loaded_round_trip) is not None,
        ),
    ),
    look=look,
    advice="Let the router keep its queue short (fq_codel, CAKE), or limit the copy to 90 % of the link.",
    severity=Severity.NOTICE,
)
