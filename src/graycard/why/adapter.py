"""The network adapter of either end in words: on a bus that carries less than its link, or a radio with its rate."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.facts import number
from graycard.model import Fact
from graycard.model.diagnosis import Seen
from graycard.readable import quantity
from graycard.units import format_rate
from graycard.why import figures
from graycard.why.expected import USUAL_BITS_PER_S
from graycard.why.figures import text

# Of the signal that radios need for their upper rates; below it they fall back step by step.
WEAK_DBM = -67
# Adapters have 60 to 80 % of what USB 2.0 carries. More than all of it shows that the bus was told wrong.
LEFT_RATIO = (0.5, 1.05)


def adapter_words(seen: Seen) -> Iterator[str]:
    """A sentence for each end whose adapter is held back by its bus, and for each radio that tells its rate."""
    for whose, facts in _ends(seen):
        if is_held(seen, facts):
            yield _bus_words(whose, facts)
        yield from _radio_words(whose, facts)


def adapter_advice(seen: Seen) -> str | None:
    """What to change first; None where neither end has an adapter to blame."""
    for whose, facts in _ends(seen):
        if is_held(seen, facts):
            if text(facts, "adapter_bus") == "usb":
                return f"Plug the network adapter of {whose} into a USB 3 port, or use one that is built in or on PCIe."
            return f"Put the network card of {whose} into a slot that gives it all its lanes and speed."
    return None


def is_held(seen: Seen, facts: tuple[Fact, ...]) -> bool:
    """Whether the adapter's bus carries less than its link, of 1 Gbit/s at the least, and raw TCP what the bus leaves.

    False where that is not known.
    """
    ceiling = figures.positive(number(facts, "adapter_bus_ceiling_bytes_per_s"))
    link, raw = number(facts, "link_bits_per_s"), figures.most_network(seen)
    if ceiling is None or raw is None or ceiling * 8 >= max(link or 0.0, USUAL_BITS_PER_S):
        return False
    return LEFT_RATIO[0] * ceiling <= raw <= LEFT_RATIO[1] * ceiling


def _ends(seen: Seen) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    evidence = seen.evidence
    return (("this computer", (*evidence.near, *evidence.path)), ("the server", evidence.far))


def _bus_words(whose: str, facts: tuple[Fact, ...]) -> str:
    most = format_rate(number(facts, "adapter_bus_ceiling_bytes_per_s") or 0.0)
    bits = quantity(number(facts, "adapter_bus_rate_bits_per_s"), "bits/s")
    if text(facts, "adapter_bus") == "usb":
        return f"The network adapter of {whose} is on USB at {bits}, which carries {most} at most."
    lanes, possible = (number(facts, name) for name in ("adapter_lane_count", "adapter_possible_lane_count"))
    of = f" of x{possible:.0f}" if possible and lanes and possible > lanes else ""
    width = f" x{lanes:.0f}{of}" if lanes else ""
    return f"The network card of {whose} negotiated PCIe{width} at {bits}, which carries {most} at most."


def _radio_words(whose: str, facts: tuple[Fact, ...]) -> Iterator[str]:
    rates = [number(facts, f"wifi_{way}_bits_per_s") for way in ("sent", "received")]
    sent, received = (quantity(rate, "bits/s") if rate else None for rate in rates)
    if sent is None and received is None:
        return
    band = text(facts, "wifi_band")
    signal = number(facts, "wifi_signal_dbm")
    strength = "" if signal is None else f" with a signal of {signal:.0f} dBm{' (weak)' if signal < WEAK_DBM else ''}"
    where = f" at {band.replace('ghz', 'GHz')}" if band else ""
    both = f"sends at {sent or 'an unknown rate'} and receives at {received or 'an unknown rate'}"
    yield f"The radio of {whose} {both}{where}{strength}; what it carries of files is less."
