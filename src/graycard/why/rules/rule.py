"""What all rules have in common: a rule is data and one function that looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graycard.model.diagnosis import Certainty, Experiment, Finding, Layer, Seen, Severity, Waiting
from graycard.units import format_rate, percent
from graycard.why import figures
from graycard.why.slices import share

_UNKNOWN_COST = "What it costs is not known: no next ceiling was measured."


# Ends the words of what only somebody at the server can tell.
AGENT = " (the agent at the server)"


@dataclass(frozen=True, slots=True)
class Need:
    """A figure that a rule needs: in words, and how to see whether it is there."""

    words: str
    is_known: Callable[[Seen], bool]


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule saw. `rate` is what the copy has, `next_rate` what the next ceiling would allow."""

    claim: str
    because: tuple[str, ...]
    rate: float | None = None
    next_rate: float | None = None
    advice: str | None = None
    layer: Layer | None = None
    certainty: Certainty = Certainty.LIKELY
    cost: str | None = None


@dataclass(frozen=True, slots=True)
class PlainRule:
    """A rule: `look` gives a hit or None. Words of the finding that are always the same stand here."""

    name: str
    layer: Layer
    source: str
    needs: tuple[Need, ...]
    look: Callable[[Seen], Hit | None]
    advice: str
    severity: Severity = Severity.LIMIT
    experiments: tuple[Experiment, ...] = ()
    yields_to: tuple[str, ...] = ()

    def missing(self, seen: Seen) -> tuple[str, ...]:
        """The figures that are not there, in words."""
        return tuple(need.words for need in self.needs if not need.is_known(seen))

    def __call__(self, seen: Seen) -> Finding | None:
        """The finding, or None."""
        hit = self.look(seen)
        if hit is None:
            return None
        ratio = cost_ratio(hit.rate, hit.next_rate)
        return Finding(
            rule=self.name,
            layer=hit.layer or self.layer,
            severity=self.severity,
            claim=hit.claim,
            because=hit.because,
            cost=hit.cost or cost_words(hit.rate, hit.next_rate),
            cost_ratio=ratio,
            advice=hit.advice or self.advice,
            source=self.source,
            certainty=hit.certainty,
            experiments=self.experiments,
        )


def cost_ratio(rate: float | None, next_rate: float | None) -> float | None:
    """The share of the next ceiling that is lost."""
    if rate is None or not next_rate:
        return None
    return max(0.0, 1 - rate / next_rate)


def cost_words(rate: float | None, next_rate: float | None) -> str:
    """The cost in a sentence."""
    lost = cost_ratio(rate, next_rate)
    if lost is None or rate is None or next_rate is None:
        return _UNKNOWN_COST
    if not lost:
        return "It costs nothing now: the copy is at the next ceiling."
    return f"{format_rate(rate)} of the {format_rate(next_rate)} that the next ceiling allows: {percent(lost)} is lost."


NETWORK = Need(f"the raw network{AGENT}", lambda seen: figures.raw_network(seen) is not None)
ROUND_TRIP = Need(
    f"the round trip with nothing on the way{AGENT}",
    lambda seen: figures.figure(seen.evidence.ceilings.idle_round_trip) is not None,
)
DISK = Need(f"the server's disk alone{AGENT}", lambda seen: figures.server_disk(seen) is not None)
COPY = Need("the copy's own rate", lambda seen: figures.copy_rate(seen) is not None)
MOUNT = Need("the share in blocks of 1 MiB", lambda seen: figures.mount(seen) is not None)
SOURCE = Need("the disk at this end alone", lambda seen: figures.source(seen) is not None)
CONNECTION = Need("the state of the copy's own connection", lambda seen: share(seen, Waiting.NETWORK) is not None)


def track(name: str, words: str) -> Need:
    """A need of a track of the timeline."""
    return Need(words, lambda seen: bool(figures.readings(seen, name)))
