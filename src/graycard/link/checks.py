"""What proves or disproves a figure of the network: pure functions over what both ends counted."""

from __future__ import annotations

from graycard.link.flow import Flow
from graycard.model import Check, Verdict
from graycard.units import format_rate, percent

# Below three times the figure the own programs may have been what was slow; near it they surely were.
SAFE_RATIO = 3.0
LIMIT_RATIO = 1.15
# Acknowledgements, headers and what else a computer says on a wire stay below this.
FOREIGN_RATIO = 0.08
STOLEN_RATIO = 0.05
# TCP's payload can be no more than the wire carries; counting slots at the ends allows a little.
WIRE_TOLERANCE_RATIO = 0.02


def conserved(flow: Flow) -> Check:
    """What was sent is what arrived."""
    is_equal = flow.sent_bytes == flow.moved_bytes
    says = "Every byte that was sent arrived." if is_equal else "Sender and receiver counted different bytes."
    verdict = Verdict.PASS if is_equal else Verdict.FAIL
    return Check("bytes_conserved", float(flow.sent_bytes), float(flow.moved_bytes), "bytes", 0.0, verdict, says)


def instrument(rate_bytes_per_s: float, loopback_bytes_per_s: float | None) -> Check:
    """The same programs inside this computer must be much faster than the figure."""
    name = "instrument_not_limit"
    if not loopback_bytes_per_s or not rate_bytes_per_s:
        return Check(name, SAFE_RATIO, None, "ratio", None, Verdict.UNKNOWN, "The instrument's own speed is not known.")
    ratio = loopback_bytes_per_s / rate_bytes_per_s
    if ratio >= SAFE_RATIO:
        says = f"Inside this computer the same programs move {ratio:.1f} times as much."
        return Check(name, SAFE_RATIO, ratio, "ratio", None, Verdict.PASS, says)
    reached = format_rate(loopback_bytes_per_s)
    if ratio >= LIMIT_RATIO:
        says = f"Inside this computer the same programs reach {reached}: they may have held this figure back a little."
        return Check(name, SAFE_RATIO, ratio, "ratio", None, Verdict.CAVEAT, says)
    says = (
        f"Instrument-limited: inside this computer the same programs reach only {reached}, so the link may be faster."
    )
    return Check(name, SAFE_RATIO, ratio, "ratio", None, Verdict.FAIL, says)


def possible(rate_bytes_per_s: float, link_bits_per_s: float | None) -> Check:
    """No more than the interface negotiated."""
    name = "physically_possible"
    if not link_bits_per_s:
        return Check(name, None, None, "ratio", None, Verdict.UNKNOWN, "The interface does not tell its speed.")
    ratio = rate_bytes_per_s * 8 / link_bits_per_s
    fits = ratio <= 1 + WIRE_TOLERANCE_RATIO
    wire = format_rate(link_bits_per_s / 8)
    says = f"It is {percent(ratio)} of what the interface negotiated ({wire})."
    wrong = f"More than the interface negotiated ({wire}): the way goes past it, or the system names a wrong speed."
    verdict = Verdict.PASS if fits else Verdict.CAVEAT
    return Check(name, 1.0, ratio, "ratio", WIRE_TOLERANCE_RATIO, verdict, says if fits else wrong)


def alone(own_bytes: int, all_bytes: int | None, stolen_ratio: float | None) -> Check:
    """Nobody else used the interface or took the processors of this virtual machine."""
    name = "alone_on_link"
    if stolen_ratio is not None and stolen_ratio > STOLEN_RATIO:
        says = f"The host of this virtual machine kept {percent(stolen_ratio)} of its processor time for others."
        return Check(name, STOLEN_RATIO, stolen_ratio, "ratio", None, Verdict.CAVEAT, says)
    if all_bytes is None or not own_bytes:
        return Check(name, None, None, "ratio", None, Verdict.UNKNOWN, "The interface's traffic is not counted.")
    foreign = max(0.0, (all_bytes - own_bytes) / own_bytes)
    quiet = foreign <= FOREIGN_RATIO
    says = (
        "Nothing else used the interface."
        if quiet
        else (f"Other traffic, {percent(foreign)} of this test's, went through the same interface meanwhile.")
    )
    return Check(name, FOREIGN_RATIO, foreign, "ratio", None, Verdict.PASS if quiet else Verdict.CAVEAT, says)
