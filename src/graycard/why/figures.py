"""The figures that rules compare: what is known of each layer and of the copy, None where it is not."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean, median

from graycard.facts import value
from graycard.model import Action, Estimate, Fact
from graycard.model.diagnosis import Evidence, Seen, Timeline
from graycard.why.vocabulary import FAR, MOVED, NEAR

# Protocols over TCP have headers of their own; measured: SMB 106 of 112 MB/s, WebDAV 102, FTP 105.
SHARE_OF_NETWORK_RATIO = 0.95
# A copy has what the network carries, but for its headers and a tool's own loss.
REACHED_RATIO = 0.6
# Fewer readings than a second's tell nothing of a copy.
READING_COUNT = 4


def figure(estimate: Estimate | None) -> float | None:
    """The value where it is a positive, finite number."""
    return positive(estimate.value) if estimate else None


def positive(number: float | None) -> float | None:
    """The number itself where it is positive and finite."""
    return number if number is not None and math.isfinite(number) and number > 0 else None


def is_upload(evidence: Evidence) -> bool:
    """Whether the copy writes at the share."""
    return evidence.action is Action.SEND


def sender(evidence: Evidence) -> str:
    """The end that sends the data; its connection tells what holds it."""
    return NEAR if is_upload(evidence) else FAR


def receiver(evidence: Evidence) -> str:
    """The other end."""
    return FAR if is_upload(evidence) else NEAR


def raw_network(seen: Seen) -> float | None:
    """Raw TCP with one stream, as most copies have."""
    return figure(seen.evidence.ceilings.network)


def most_network(seen: Seen) -> float | None:
    """Raw TCP with as many streams as carry most."""
    ceilings = seen.evidence.ceilings
    return largest((figure(ceilings.network), figure(ceilings.network_streams)))


def network(seen: Seen) -> float | None:
    """What a share can have of the raw network."""
    raw = raw_network(seen)
    return None if raw is None else raw * SHARE_OF_NETWORK_RATIO


def server_disk(seen: Seen) -> float | None:
    """The server's disk in the direction of the copy: written and flushed, or read past its memory."""
    ceilings = seen.evidence.ceilings
    return figure(ceilings.server_flushed if is_upload(seen.evidence) else ceilings.server_read)


def source(seen: Seen) -> float | None:
    """The disk at this end."""
    return figure(seen.evidence.ceilings.source)


def mount(seen: Seen) -> float | None:
    """The share in blocks of 1 MiB."""
    return figure(seen.evidence.ceilings.mount)


def smallest(numbers: Iterable[float | None]) -> float | None:
    """The smallest of those that are known."""
    return min((number for number in numbers if number is not None), default=None)


def largest(numbers: Iterable[float | None]) -> float | None:
    """The largest of those that are known."""
    return max((number for number in numbers if number is not None), default=None)


def allowed(seen: Seen) -> float | None:
    """What the layers below the share allow together. None where the network is not known: it is always one."""
    if network(seen) is None:
        return None
    return smallest((network(seen), server_disk(seen), source(seen)))


def copy_rate(seen: Seen) -> float | None:
    """The copy in question, with its flush; from its timeline without it where nothing else is known."""
    tool = seen.evidence.ceilings.tool(seen.evidence.tool)
    known = figure(tool.rate) if tool else None
    return known if known is not None else running_rate(seen)


def rate_of_way(seen: Seen, raw: float) -> float:
    """What a fault of the network leaves: the copy's rate where it has all of it, else what it could have."""
    rate = copy_rate(seen)
    return rate if rate is not None and rate >= REACHED_RATIO * raw else raw * SHARE_OF_NETWORK_RATIO


def running_rate(seen: Seen) -> float | None:
    """Bytes over time while it ran, the flush at the end left out."""
    timeline = seen.timeline
    if timeline is None or timeline.step_ns <= 0:
        return None
    moved = timeline.known(moved_track(seen.evidence, timeline))
    if len(moved) < READING_COUNT:
        return None
    return positive(sum(moved) * 1e9 / (len(moved) * timeline.step_ns))


def moved_track(evidence: Evidence, timeline: Timeline) -> str:
    """The track that tells best what was moved: the copy itself, else its connection, else the interface."""
    end = sender(evidence)
    names = (MOVED, f"{end}.tcp_acked_bytes", f"{end}.interface_sent_bytes")
    return next((name for name in names if timeline.known(name)), MOVED)


def best_tool(seen: Seen) -> tuple[str, float] | None:
    """The fastest copy over the share but the one in question; blocks of 1 MiB through the mount are one, too."""
    tools = [(tool.name, figure(tool.rate)) for tool in seen.evidence.ceilings.tools if tool.name != seen.evidence.tool]
    known = [(name, rate) for name, rate in (*tools, ("blocks of 1 MiB", mount(seen))) if rate is not None]
    return max(known, key=lambda pair: pair[1], default=None)


def readings(seen: Seen, name: str) -> tuple[float, ...]:
    """The finite values of a track, none where they are too few."""
    known = tuple(filter(math.isfinite, seen.timeline.known(name))) if seen.timeline else ()
    return known if len(known) >= READING_COUNT else ()


def mean_of(seen: Seen, name: str) -> float | None:
    """Mean of a track over the copy."""
    known = readings(seen, name)
    return fmean(known) if known else None


def median_of(seen: Seen, name: str) -> float | None:
    """Median of a track over the copy."""
    known = readings(seen, name)
    return median(known) if known else None


def total_of(seen: Seen, name: str) -> float | None:
    """Sum of a track over the copy."""
    known = readings(seen, name)
    return sum(known) if known else None


def usual_name(timeline: Timeline | None, name: str) -> str | None:
    """The name that stands most often in a track of names."""
    labels = timeline.labels(name) if timeline else ()
    return max(labels, key=labels.count) if labels else None


def text(facts: tuple[Fact, ...], name: str) -> str | None:
    """A fact as a word in lower case; None where it is not known."""
    found = value(facts, name)
    return None if found is None else str(found).strip().lower()
