"""The link is slower than it should be: raw TCP is the lowest ceiling and the copy has what it carries."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.facts import number
from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Waiting
from graycard.units import format_rate
from graycard.why import figures
from graycard.why.adapter import adapter_advice, adapter_words
from graycard.why.expected import AS_EXPECTED_RATIO, expected_network, expected_words, medium
from graycard.why.figures import text
from graycard.why.rules.rule import NETWORK, Hit, PlainRule
from graycard.why.slices import share

# It is the lowest ceiling only where the others leave more than noise.
LOWEST_RATIO = 0.9
# Within this of its own ceiling the test was what was slow.
INSTRUMENT_RATIO = 1.15
BACK_RATIO = 2.0


def look(seen: Seen) -> Hit | None:
    """Raw TCP against the negotiated or usual speed, with the time of stalls taken out."""
    raw, rate = figures.most_network(seen), figures.copy_rate(seen)
    if raw is None or _is_instrument(seen, raw):
        return None
    others = figures.smallest((figures.server_disk(seen), figures.source(seen)))
    if (others is not None and raw > LOWEST_RATIO * others) or (
        rate is not None and rate < figures.REACHED_RATIO * raw
    ):
        return None
    expected = expected_network(seen)
    flowing = _flowing(seen, raw)
    if expected is None and others is None:
        return None
    if expected is not None and flowing >= AS_EXPECTED_RATIO * expected:
        return None
    next_rate = figures.smallest((expected, others))
    because, own = tuple(_because(seen, raw, rate)), raw if rate is None else rate
    return Hit(_claim(seen, raw), because, own, next_rate, _advice(seen))


def _flowing(seen: Seen, raw: float) -> float:
    """What raw TCP carries while it does not stand still; its short runs have more of a stall in them, or none."""
    stalled = share(seen, Waiting.NETWORK_STALLED)
    if not stalled:
        return raw
    network = seen.evidence.ceilings.network
    fastest = (network.high if network else None) or raw
    return max(fastest, raw / (1 - min(0.9, stalled)))


def _is_instrument(seen: Seen, raw: float) -> bool:
    own = figures.positive(number(seen.evidence.path, "loopback_bytes_per_s"))
    return own is not None and raw * INSTRUMENT_RATIO >= own


def _claim(seen: Seen, raw: float) -> str:
    way = {"wi-fi": "Wi-Fi", "vpn": "VPN"}.get(medium(seen) or "", "link")
    return f"The {way} is what is slow: it carries {format_rate(raw)}, whatever is copied."


def _because(seen: Seen, raw: float, rate: float | None) -> Iterator[str]:
    yield f"Raw TCP carries {format_rate(raw)} in this direction, with no disk and no share on the way."
    if rate is not None:
        yield f"The copy has {format_rate(rate)}."
    if words := expected_words(seen):
        yield words
    yield from adapter_words(seen)
    if text(seen.evidence.near, "duplex") == "half" or text(seen.evidence.path, "duplex") == "half":
        yield "The interface negotiated half duplex."
    back = figures.largest(
        (
            figures.figure(seen.evidence.ceilings.network_back),
            figures.figure(seen.evidence.ceilings.network_back_streams),
        )
    )
    if back is not None and back >= BACK_RATIO * raw:
        yield f"The other direction carries {format_rate(back)}: the two ends may disagree on duplex."


def _advice(seen: Seen) -> str | None:
    """Of a bus that holds the adapter back, or of the radio; None for the usual advice."""
    if (held := adapter_advice(seen)) is not None:
        return held
    if medium(seen) == "wi-fi":
        return "Use a cable; else come nearer to the access point, or take its 5 or 6 GHz band."
    return None


RULE = PlainRule(
    name="link speed",
    layer=Layer.NETWORK,
    source="measured: at 100 Mbit/s all protocols gave 10.5 to 11.5 of the 11.7 MB/s of raw TCP",
    needs=(NETWORK,),
    look=look,
    advice="Look at cable, port and adapter on the way: another cable, another port of the switch, another adapter.",
    experiments=(
        Experiment(Change.OTHER_PROTOCOL, "another protocol has the same rate", 0.75, 1.2),
        Experiment(Change.MORE_STREAMS, "several copies at once have the same rate together", 0.8, 1.2),
    ),
    yields_to=("packet loss", "TCP buffer", "interrupts"),
)
