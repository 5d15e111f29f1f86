"""Other programs took the processors or the link: what was measured is not the copy."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Layer, Seen, Severity
from graycard.units import format_rate, percent
from graycard.why import figures
from graycard.why.figures import mean_of
from graycard.why.rules.rule import Hit, PlainRule
from graycard.why.vocabulary import MOVED

FOREIGN_CPU_RATIO = 0.5
# Half of the processors do not hurt a copy that needs none of them: it must have had to wait, too.
FULL_CPU_RATIO = 0.9
WAITING_RATIO = 0.3
# The copy's own process tells best: less than a quarter of its time is no more than copies differ by themselves.
OWN_WAITING_RATIO = 0.25
# Headers, acknowledgements and what computers say to each other stay far below a quarter of a link that is full.
FOREIGN_LINK_RATIO = 0.25
FULL_LINK_RATIO = 0.8
_ENDS = (("near", "this computer"), ("far", "the server"))


def look(seen: Seen) -> Hit | None:
    """Processors of both ends, and the link."""
    because = (*_processors(seen), *_link(seen))
    if not because:
        return None
    return Hit(
        "Something else was running during the copy.", because, cost="Nothing can be said of any layer meanwhile."
    )


def _processors(seen: Seen) -> Iterator[str]:
    for track, end in _ENDS:
        foreign = mean_of(seen, f"{track}.foreign_cpu_ratio")
        busy, waiting = mean_of(seen, f"{track}.cpu_busy_ratio"), mean_of(seen, f"{track}.pressure_cpu_ratio")
        own = _own_waiting(seen, track)
        had_to_wait = (
            own >= OWN_WAITING_RATIO
            if own is not None
            else (busy is not None and busy >= FULL_CPU_RATIO) or (waiting is not None and waiting >= WAITING_RATIO)
        )
        if foreign is not None and foreign >= FOREIGN_CPU_RATIO and had_to_wait:
            yield f"Programs that have no part in the copy took {percent(foreign)} of the processors of {end}."


def _own_waiting(seen: Seen, end: str) -> float | None:
    """How long the copy's own process waited for a processor that no limit kept it from; None where not known."""
    waited, stopped = mean_of(seen, f"{end}.service_wait_ratio"), mean_of(seen, f"{end}.throttled_ratio")
    return None if waited is None else max(0.0, waited - (stopped or 0.0))


def _link(seen: Seen) -> Iterator[str]:
    timeline, raw = seen.timeline, figures.most_network(seen)
    sent = mean_of(seen, f"{figures.sender(seen.evidence)}.interface_sent_bytes")
    moved = mean_of(seen, MOVED)
    if timeline is None or timeline.step_ns <= 0 or raw is None or sent is None or moved is None:
        return
    sent, moved = (each * 1e9 / timeline.step_ns for each in (sent, moved))
    if sent >= FULL_LINK_RATIO * raw and sent - moved >= FOREIGN_LINK_RATIO * raw:
        yield f"The link carried {format_rate(sent)}, of which the copy was {format_rate(moved)}."


RULE = PlainRule(
    name="foreign load",
    layer=Layer.NOT_JUDGED,
    source="measured: load of others on 2 cores made the same copy 2.6 times slower",
    needs=(),
    look=look,
    advice="End the other programs, or repeat it when they are done.",
    severity=Severity.VOID,
)
