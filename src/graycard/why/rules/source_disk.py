"""The disk at this end is slower than the way to the server."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Layer, Seen
from graycard.units import format_rate, percent
from graycard.why import figures
from graycard.why.rules.rule import COPY, NETWORK, SOURCE, Hit, PlainRule
from graycard.why.rules.server_disk import LOWEST_RATIO, NEAR_RATIO
from graycard.why.vocabulary import NEAR


def look(seen: Seen) -> Hit | None:
    """The disk against the other ceilings and the copy."""
    disk, rate, net = figures.source(seen), figures.copy_rate(seen), figures.network(seen)
    others = None if net is None else figures.smallest((net, figures.server_disk(seen)))
    if disk is None or rate is None or others is None or disk > LOWEST_RATIO * others:
        return None
    if not NEAR_RATIO[0] * disk <= rate <= NEAR_RATIO[1] * disk:
        return None
    doing = "reads" if figures.is_upload(seen.evidence) else "writes"
    claim = f"The disk of this computer is what is slow: it {doing} {format_rate(disk)}."
    return Hit(claim, tuple(_because(seen, disk, rate, others)), rate, others)


def _because(seen: Seen, disk: float, rate: float, others: float) -> Iterator[str]:
    yield f"This computer's disk alone: {format_rate(disk)}; the copy: {format_rate(rate)}."
    yield f"Network and server would allow {format_rate(others)}."
    busy = figures.mean_of(seen, f"{NEAR}.disk_busy_ratio")
    if busy:
        yield f"It was busy {percent(busy)} of the time."


RULE = PlainRule(
    name="source disk",
    layer=Layer.SOURCE,
    source="a copy has no more than the slowest of all it goes through: the ceilings are measured with the same bytes",
    needs=(SOURCE, NETWORK, COPY),
    look=look,
    advice="Copy from or to a faster disk of this computer.",
)
