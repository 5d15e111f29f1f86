"""A copy that another program makes now: both ends are sampled, nothing is measured beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import psutil

from graycard.diagnosis.connections import Growth, growth_of
from graycard.diagnosis.ends import End
from graycard.diagnosis.places import far_facts, way
from graycard.diagnosis.serving import used_facts
from graycard.diagnosis.sight import Ending, Sight
from graycard.diagnosis.timeline import timeline_of
from graycard.diagnosis.watched import Watch
from graycard.facts import value
from graycard.link import FarEnd
from graycard.model import Action
from graycard.model.diagnosis import Timeline
from graycard.protocols import Progress
from graycard.units import format_duration, format_rate, format_size
from graycard.why.vocabulary import MOVED, NEAR

LOOK_EVERY_S = 0.25
# A copy of a folder may rest between two files; one that has rested so long has ended.
QUIET_NS = 10_000_000_000
# A program that is still there may go on after a server that did not answer for a while.
QUIET_PROCESS_NS = 30_000_000_000
# A mount still sends when the copying program has ended: rclone's cache waits 5 s before it writes.
AFTER_NS, AFTER_NOTHING_NS = 2_000_000_000, 10_000_000_000
# What a mount that nobody uses says to its server (echoes, sizes of folders) is less in a second.
LEAST_BYTES = 32 << 10
WITHIN_NS = 1_000_000_000
# Two seconds of slices: with less there is nothing to tell.
LEAST_STEPS = 8
_FIELDS = ("acked_bytes", "received_bytes")


def watch_it(sight: Sight, far: FarEnd | None, most_ns: int, hear: Callable[[Progress], None]) -> None:
    """Sample until it ends, the time is up, or `hear` raises KeyboardInterrupt, which is a way to end it.

    A process ends when it is gone, a share's copy when nothing has moved for ten seconds.
    """
    peer, interface = "", None
    if far is not None:
        found, peer = way(far)
        named = value(found, "network_interface")
        interface = None if named is None else str(named)
        sight.path, sight.far = (*sight.path, *found), far_facts(far)
    watch = Watch(sight.scope, far, peer, interface, sight.cost)
    begun = time.monotonic_ns()
    try:
        with watch.sampling():
            sight.ending = _until_it_ends(sight, watch, begun, most_ns, hear)
    except KeyboardInterrupt:
        sight.ending = Ending.STOPPED
    _take(sight, watch.ends(), begun)
    there = far if watch.lost is None else None
    sight.path = (*sight.path, *used_facts(there, peer, watch.samples(), sight.path, watch.counted))


class Movement:
    """How much has been moved, and when last; `begun` is whether anything to speak of was."""

    def __init__(self, begun_ns: int) -> None:
        self._growths = tuple(Growth(field) for field in _FIELDS)
        self._heard_ns = self._mark_ns = self.changed_ns = begun_ns
        self._mark_bytes = 0.0
        self.begun = False
        self.has_connection = False

    @property
    def moved_bytes(self) -> int:
        """In the direction in which more went."""
        return int(max(growth.total for growth in self._growths))

    def hear(self, samples: Sequence[dict[str, object]], now_ns: int) -> None:
        """Take in what is new in the samples."""
        for sample in samples:
            if int(str(sample["at_ns"])) > self._heard_ns and "tcp" in sample:
                self._heard_ns = int(str(sample["at_ns"]))
                self.has_connection |= bool(sample["tcp"])
                for growth in self._growths:
                    growth.add(sample)
        if self.moved_bytes - self._mark_bytes >= LEAST_BYTES:
            self.begun, self.changed_ns = True, now_ns
        elif now_ns - self._mark_ns < WITHIN_NS:
            return
        self._mark_ns, self._mark_bytes = now_ns, self.moved_bytes


def _until_it_ends(sight: Sight, watch: Watch, begun: int, most_ns: int, hear: Callable[[Progress], None]) -> Ending:
    movement = Movement(begun)
    while (now := time.monotonic_ns()) - begun < most_ns:
        is_gone = sight.pid is not None and not _is_there(sight.pid)
        movement.hear(watch.samples(), now)
        sight.has_connection, sight.has_begun = movement.has_connection, movement.begun
        hear(Progress(now - begun, 0, movement.moved_bytes, now - movement.changed_ns))
        if now - movement.changed_ns >= _patience_ns(sight, is_gone=is_gone, begun=movement.begun):
            return Ending.GONE if is_gone else Ending.QUIET
        time.sleep(LOOK_EVERY_S)
    return Ending.TIME


def _patience_ns(sight: Sight, *, is_gone: bool, begun: bool) -> float:
    """How long nothing may move before that is the end."""
    if is_gone:
        return 0 if not sight.is_on_mount else AFTER_NS if begun else AFTER_NOTHING_NS
    if not begun:
        return float("inf")
    return QUIET_NS if sight.pid is None else QUIET_PROCESS_NS


def _is_there(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _take(sight: Sight, ends: Sequence[End], begun: int) -> None:
    """The timeline, from the first to the last byte; the direction is that in which more went."""
    near = next((end for end in ends if end.name == NEAR), None)
    if near is None or len(near.samples) < 2 or not sight.has_begun:
        return
    grown = {name: growth_of(near.samples, name) for name in _FIELDS}
    most = max(grown, key=lambda name: grown[name][-1][1] if grown[name] else 0.0)
    points = grown[most]
    if not points or not points[-1][1]:
        return
    sight.action = Action.SEND if most == "acked_bytes" else Action.RECEIVE
    begin, end = _busy_time(points)
    sight.timeline = timeline_of(sight.name, max(begun, begin), end, points, ends)
    sight.moved_bytes = int(points[-1][1])
    sight.says = [*_told(sight.timeline, points[-1][1]), *sight.says]


def _told(timeline: Timeline, moved_bytes: float) -> Iterator[str]:
    """How much in what time, and how even it was."""
    yield f"{format_size(moved_bytes)} were moved in {format_duration(timeline.step_count * timeline.step_ns)}."
    if timeline.step_count < LEAST_STEPS:
        yield "That is too short to tell what held it back."
        return
    moved = [value or 0.0 for value in timeline.values(MOVED)]
    per_s = 1_000_000_000 // timeline.step_ns
    seconds = [sum(moved[at : at + per_s]) for at in range(len(moved) - per_s + 1)]
    slowest, fastest = format_rate(min(seconds)), format_rate(max(seconds))
    yield f"In its slowest second it had {slowest}, in its fastest {fastest}."


def _busy_time(points: Sequence[tuple[int, float]]) -> tuple[int, int]:
    """From the reading before the first bytes of the copy to that with its last ones."""
    least = LEAST_BYTES * LOOK_EVERY_S
    moving = [index for index in range(1, len(points)) if points[index][1] - points[index - 1][1] >= least]
    moving = moving or [len(points) - 1]
    return points[moving[0] - 1][0], points[moving[-1]][0]
