"""What a link should carry, from what it negotiated or from what every wired port carries."""

from __future__ import annotations

from graycard.facts import number
from graycard.model.diagnosis import Evidence, Seen
from graycard.units import format_rate, significant
from graycard.why.figures import text

# 1448 bytes of payload in the 1538 bytes that a packet of 1500 takes on Ethernet (preamble and gap with it).
PAYLOAD_RATIO = 1448 / 1538
# USB adapters and old processors stay 10 to 15 % below the wire; a slower class is at most half of it.
AS_EXPECTED_RATIO = 0.8
# Wired ports of computers and servers have had 1 Gbit/s for fifteen years: one that negotiates less has a bad cable or
# port, and where no interface tells its speed this is the least to expect.
USUAL_BITS_PER_S = 1e9
_UNWIRED = ("wi-fi", "vpn")


def expected_network(seen: Seen) -> float | None:
    """Bytes/s that the link should carry, 1 Gbit/s at the least; None for Wi-Fi and VPN, whose rate nobody promises."""
    if medium(seen) in _UNWIRED:
        return None
    return max(_negotiated(seen.evidence) or 0.0, USUAL_BITS_PER_S) / 8 * PAYLOAD_RATIO


def negotiated_network(evidence: Evidence) -> float | None:
    """Bytes/s that the negotiated link carries at most."""
    bits = _negotiated(evidence)
    return None if bits is None else bits / 8 * PAYLOAD_RATIO


def expected_words(seen: Seen) -> str:
    """Where the expectation comes from."""
    negotiated = _negotiated(seen.evidence)
    expected = expected_network(seen)
    if expected is None:
        return ""
    carries = f"carries {format_rate(expected)}"
    if negotiated and negotiated < USUAL_BITS_PER_S:
        return f"The interfaces negotiated {significant(negotiated / 1e6)} Mbit/s; 1 Gbit/s is usual and {carries}."
    if negotiated:
        return f"The interfaces negotiated {significant(negotiated / 1e9)} Gbit/s, which {carries}."
    return f"No interface tells its speed; the usual 1 Gbit/s {carries}."


def medium(seen: Seen) -> str | None:
    """What the interfaces on the way are: wired, wi-fi, vpn, virtual."""
    return _medium(seen.evidence)


def _medium(evidence: Evidence) -> str | None:
    """A radio or a tunnel at either end; else what this end's is, for the other's pretends no speed here."""
    near = text(evidence.near, "link_medium") or text(evidence.path, "link_medium")
    far = text(evidence.far, "link_medium")
    return far if far in _UNWIRED and near not in _UNWIRED else near


def _negotiated(evidence: Evidence) -> float | None:
    """The slower of both ends. A virtual interface names a speed that nothing holds it to."""
    if _medium(evidence) == "virtual":
        return None
    ends = (number(facts, "link_bits_per_s") for facts in (evidence.near, evidence.far, evidence.path))
    return min((bits for bits in ends if bits is not None and bits > 0), default=None)
