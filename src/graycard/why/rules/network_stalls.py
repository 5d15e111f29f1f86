"""The network stands still again and again: packets are on their way and nothing is acknowledged."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen, Waiting
from graycard.units import format_duration, percent
from graycard.why import figures
from graycard.why.expected import medium
from graycard.why.rules.rule import CONNECTION, Hit, PlainRule
from graycard.why.slices import episodes, share

# One stall may be anything; three in a copy come again.
STALL_COUNT = 3
STALLED_RATIO = 0.04


def look(seen: Seen) -> Hit | None:
    """Share of the time in which the connection was busy and nothing arrived."""
    stalled, count = share(seen, Waiting.NETWORK_STALLED), episodes(seen, Waiting.NETWORK_STALLED)
    if stalled is None or stalled < STALLED_RATIO or count < STALL_COUNT:
        return None
    rate = figures.copy_rate(seen)
    next_rate = None if rate is None else rate / max(0.1, 1 - stalled)
    return Hit(
        "The network stands still again and again.",
        tuple(_because(seen, stalled, count)),
        rate,
        next_rate,
        _advice(seen),
    )


def _because(seen: Seen, stalled: float, count: int) -> Iterator[str]:
    sender = figures.sender(seen.evidence)
    yield (
        f"It stood still {count} times, {percent(stalled)} of the time: packets were waiting, the connection was busy, "
        "and nothing was acknowledged."
    )
    unacked = figures.largest(figures.readings(seen, f"{sender}.tcp_unacked_count"))
    if unacked is not None:
        yield f"Up to {unacked:.0f} packets were on their way unacknowledged."
    if seen.swing and seen.swing.dips is Waiting.NETWORK_STALLED:
        if seen.swing.period_ns:
            yield f"It comes every {format_duration(seen.swing.period_ns)}."
        yield seen.swing.says


def _advice(seen: Seen) -> str | None:
    if medium(seen) == "wi-fi":
        return "Use a cable; or switch off what makes Wi-Fi leave its channel (AirDrop, AWDL, scanning, power saving)."
    return None


RULE = PlainRule(
    name="network stalls",
    layer=Layer.NETWORK,
    source=(
        "measured: in stalls of 600 ms the queue held 2.0 to 3.8 MB, 314 to 535 packets were unacknowledged, busy "
        "98 % or more; causes: https://github.com/raspberrypi/linux/issues/4289 (energy-efficient Ethernet), AWDL"
    ),
    needs=(CONNECTION,),
    look=look,
    advice="Switch off energy-efficient Ethernet and flow control on the way, look for a flapping link in the log.",
    experiments=(Experiment(Change.OTHER_PROTOCOL, "another protocol stalls as much", 0.7, 1.3),),
    yields_to=("packet loss",),
)
