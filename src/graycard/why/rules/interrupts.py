"""One core has all the interrupts of the network, and no time left."""

from __future__ import annotations

from graycard.model.diagnosis import Layer, Seen
from graycard.units import format_rate, percent
from graycard.why import figures
from graycard.why.expected import AS_EXPECTED_RATIO, expected_network
from graycard.why.rules.rule import NETWORK, Hit, PlainRule

FULL_RATIO = 0.8
_ENDS = (("near", "this computer"), ("far", "the server"))


def look(seen: Seen) -> Hit | None:
    """Interrupts of the busiest core, and a network below what it should carry."""
    raw, expected = figures.most_network(seen), expected_network(seen)
    if raw is None or expected is None or raw >= AS_EXPECTED_RATIO * expected:
        return None
    full = [
        f"Interrupts take {percent(ratio)} of one core of {end}."
        for track, end in _ENDS
        if (ratio := figures.mean_of(seen, f"{track}.softirq_ratio")) is not None and ratio >= FULL_RATIO
    ]
    if not full:
        return None
    because = (*full, f"Raw TCP carries {format_rate(raw)} where {format_rate(expected)} should pass.")
    return Hit(
        "One core has all the network's interrupts and is full.", because, figures.rate_of_way(seen, raw), expected
    )


RULE = PlainRule(
    name="interrupts",
    layer=Layer.NETWORK,
    source="https://github.com/geerlingguy/raspberry-pi-pcie-devices/issues/40 (20 to 30 % less on that core)",
    needs=(NETWORK,),
    look=look,
    advice="Spread the interrupts over the cores (RPS, irqbalance), or use an adapter with several queues.",
)
