"""What each step of a copy was spent on, as the sender's connection tells.

Measured on a wire of 940 Mbit/s: a network that is full has its send queue filled and is busy all the time; one that
stalls has, too, and nothing is acknowledged; a server that does not answer leaves the queue empty and nothing unacked.
A server without processor time looks like a full network. Only that raw TCP carries more tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from graycard.model.diagnosis import Evidence, Seen, Slices, Timeline, Waiting
from graycard.why.expected import negotiated_network
from graycard.why.figures import figure, is_upload, receiver, sender
from graycard.why.vocabulary import FAR, MOVED, NEAR

# Measured busy shares: full 0.92 to 1, a slow disk 0.3, a server that does not answer 0.03.
BUSY_RATIO = 0.5
# Of what raw TCP carries in a step: a full network varies by 3 to 4 %, a shaped one in a step of 250 ms by some 10 %.
FULL_RATIO = 0.8
# Below this the network was not what held it, unless packets were lost.
PART_RATIO = 0.5
STOPPED_RATIO = 0.05
# A process that waits for others half its time can still be what is slow; below a third it hardly is.
OWN_WORK_RATIO = 0.7
IDLE_WORK_RATIO = 0.5
DISK_BUSY_RATIO = 0.8
LIMITED_RATIO = 0.5
STARVED_RATIO = 0.85
# Measured without processor time at the server: 11 ms, where raw TCP had 1.2.
LATE_RATIO = 2.0
THROTTLED_RATIO = 0.2
WRITEBACK_BYTES = 4 << 20


def slices_of(evidence: Evidence, timeline: Timeline) -> Slices:
    """Each step of the timeline in one of the five kinds."""
    looks = [_Moment(evidence, timeline, index) for index in range(timeline.step_count)]
    kinds = [_kind(look) for look in looks]
    return Slices(timeline.step_ns, tuple(_settled(kinds, looks)))


class _Moment:
    """One step, by the names of the vocabulary."""

    def __init__(self, evidence: Evidence, timeline: Timeline, index: int) -> None:
        self.evidence = evidence
        self._at = {
            track.name: track.values[index]
            for track in timeline.tracks
            if index < len(track.values) and _is_number(track.values[index])
        }
        raw = figure(evidence.ceilings.network)
        self.has_raw = raw is not None
        could = raw or negotiated_network(evidence)
        self.could_bytes = could * timeline.step_ns / 1e9 if could else None

    def at(self, end: str, name: str) -> float | None:
        return self._at.get(f"{end}.{name}")

    def sent(self, name: str) -> float | None:
        """Of the connection, at the end that sends."""
        return self.at(sender(self.evidence), name)

    @property
    def carried_bytes(self) -> float | None:
        """What reached the other end: acknowledged, else sent by the interface, else moved by the tool."""
        for found in (self.sent("tcp_acked_bytes"), self.sent("interface_sent_bytes"), self._at.get(MOVED)):
            if found is not None:
                return found
        return None

    @property
    def filled_ratio(self) -> float | None:
        """Share of what raw TCP carries; where that is not known, of what the interface negotiated."""
        if self.carried_bytes is None or not self.could_bytes:
            return None
        return self.carried_bytes / self.could_bytes


def _is_number(found: float | None) -> bool:
    return found is not None and math.isfinite(found)


def _kind(look: _Moment) -> Waiting:
    queue, unacked = look.sent("tcp_queue_bytes"), look.sent("tcp_unacked_count")
    busy = look.sent("tcp_busy_ratio")
    if queue is None and unacked is None and busy is None:
        return _without_connection(look)
    is_sending = busy >= BUSY_RATIO if busy is not None else bool(queue or unacked)
    return _sending(look) if is_sending else _silent(look)


def _without_connection(look: _Moment) -> Waiting:
    """Only bytes are known, as on systems that do not tell of a connection."""
    filled = look.filled_ratio
    return Waiting.NETWORK if filled is not None and filled >= FULL_RATIO else Waiting.UNKNOWN


def _sending(look: _Moment) -> Waiting:
    filled, other = look.filled_ratio, _other(look)
    if filled is not None and filled >= FULL_RATIO:
        return Waiting.NETWORK
    limited = look.sent("tcp_window_limited_ratio")
    if limited is not None and limited >= LIMITED_RATIO:
        return other
    if _stopped(look):
        return Waiting.NETWORK_STALLED if look.sent("tcp_unacked_count") else other
    if _is_starved(look, receiver(look.evidence)):
        return other
    if filled is None or not look.has_raw:
        return Waiting.UNKNOWN
    if look.sent("tcp_retransmit_count"):
        return Waiting.NETWORK
    return Waiting.NETWORK if filled >= PART_RATIO and not _answers_late(look) else other


def _answers_late(look: _Moment) -> bool:
    """Round trips far above those of raw TCP: the other end does not get to acknowledge."""
    trip, loaded = look.sent("tcp_rtt_ns"), figure(look.evidence.ceilings.loaded_round_trip)
    return trip is not None and loaded is not None and trip >= LATE_RATIO * loaded


def _other(look: _Moment) -> Waiting:
    """Who it is that does not take the data."""
    return Waiting.SERVER if is_upload(look.evidence) else Waiting.CLIENT


def _stopped(look: _Moment) -> bool:
    """Nothing was acknowledged though something waits; a count of packets in flight must be known."""
    queue, carried = look.sent("tcp_queue_bytes"), look.carried_bytes
    if not queue or carried is None or look.sent("tcp_unacked_count") is None:
        return False
    return carried <= STOPPED_RATIO * (look.could_bytes or queue)


def _is_starved(look: _Moment, end: str) -> bool:
    """The process at that end has no more processor time to take."""
    limit = look.at(end, "service_limit_ratio")
    used, throttled = look.at(end, "service_ratio"), look.at(end, "throttled_ratio")
    own = used is not None and used >= STARVED_RATIO * min(1.0, limit if limit and limit > 0 else 1.0)
    return own or (throttled is not None and throttled >= THROTTLED_RATIO)


def _silent(look: _Moment) -> Waiting:
    """The connection has nothing to send: one of the two ends does not give anything to it."""
    if _works(look):
        return Waiting.CLIENT
    if _server_works(look) or _client_rests(look):
        return Waiting.SERVER
    return Waiting.UNKNOWN


def _works(look: _Moment) -> bool:
    disk = look.at(NEAR, "disk_busy_ratio")
    own = [look.at(NEAR, name) for name in ("service_ratio", "mount_ratio")]
    busy = sum(each for each in own if each is not None) >= OWN_WORK_RATIO
    return busy or (disk is not None and disk >= DISK_BUSY_RATIO and not _server_works(look))


def _server_works(look: _Moment) -> bool:
    disk, pressure = look.at(FAR, "disk_busy_ratio"), look.at(FAR, "pressure_io_some_ratio")
    writing = look.at(FAR, "writeback_bytes")
    return (
        (disk is not None and disk >= BUSY_RATIO)
        or (pressure is not None and pressure >= LIMITED_RATIO)
        or (writing is not None and writing >= WRITEBACK_BYTES)
        or _is_starved(look, FAR)
    )


def _client_rests(look: _Moment) -> bool:
    """Nothing to do at this end, as its programs or its busiest core tell; its disk, too, must be known."""
    own = [each for name in ("service_ratio", "mount_ratio") if (each := look.at(NEAR, name)) is not None]
    core = look.at(NEAR, "core_busy_ratio")
    known = ([sum(own)] if own else []) + ([core] if core is not None else [])
    disk = look.at(NEAR, "disk_busy_ratio") is not None or look.evidence.ceilings.source is not None
    return disk and bool(known) and min(known) < IDLE_WORK_RATIO


def _settled(kinds: list[Waiting], looks: list[_Moment]) -> Iterator[Waiting]:
    """A stall begins and ends within a step: a half-filled neighbour of one belongs to the network."""
    for index, kind in enumerate(kinds):
        beside = Waiting.NETWORK_STALLED in kinds[max(0, index - 1) : index + 2]
        busy = looks[index].sent("tcp_busy_ratio")
        if beside and kind is not Waiting.NETWORK_STALLED and busy is not None and busy >= BUSY_RATIO:
            filled = looks[index].filled_ratio
            yield Waiting.NETWORK_STALLED if filled is not None and filled < PART_RATIO else Waiting.NETWORK
        else:
            yield kind


def share(seen: Seen, kind: Waiting) -> float | None:
    """Share of the copy's time; None where nothing is known of its connection."""
    slices = seen.slices
    if slices is None or not slices.kinds or slices.ratio(Waiting.UNKNOWN) > PART_RATIO:
        return None
    return slices.ratio(kind)


def episodes(seen: Seen, kind: Waiting) -> int:
    """How often it began."""
    kinds = seen.slices.kinds if seen.slices else ()
    return sum(one is kind and (index == 0 or kinds[index - 1] is not kind) for index, one in enumerate(kinds))
