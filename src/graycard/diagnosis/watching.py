"""A copy that another program makes now: both ends are sampled, nothing is measured beside it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import psutil

from graycard.diagnosis.connections import growth_of
from graycard.diagnosis.ends import End
from graycard.diagnosis.near import Scope, program_of_mount
from graycard.diagnosis.places import addresses_of, far_facts, share_facts, way
from graycard.diagnosis.timeline import timeline_of
from graycard.diagnosis.watched import Cost, Watch
from graycard.errors import TargetProblem
from graycard.facts import value
from graycard.link import FarEnd
from graycard.model import Action, Fact
from graycard.model.copying import Place, Scheme
from graycard.model.diagnosis import Evidence, Timeline
from graycard.protocols import Host, Progress
from graycard.why.vocabulary import NEAR

LOOK_EVERY_S = 0.25
# A copy of a folder may rest between two files; one that has rested so long has ended.
QUIET_NS = 10_000_000_000


@dataclass(slots=True)
class Sight:
    """What was seen; `evidence` may be asked for at any moment after it ended."""

    name: str
    pid: int | None
    scope: Scope
    near: tuple[Fact, ...] = ()
    far: tuple[Fact, ...] = ()
    path: tuple[Fact, ...] = ()
    cost: Cost = field(default_factory=Cost)
    timeline: Timeline | None = None
    action: Action = Action.SEND
    moved_bytes: int = 0

    def evidence(self) -> Evidence:
        """For the rules; no layer was measured alone."""
        lines = () if self.timeline is None else (self.timeline,)
        return Evidence(
            tool=self.name, action=self.action, file_count=None, total_bytes=self.moved_bytes or None,
            timelines=lines, near=self.near, far=self.far, path=self.path,
        )  # fmt: skip


def sight_of(target: str, host: Host) -> Sight:
    """Who is watched: a process by its number, or whoever copies to or from a mounted share. TargetProblem."""
    if target.isdecimal():
        return _of_process(int(target), host)
    place = host.resolve(target)
    facts = host.facts(place)
    server, file_system = value(facts, "server"), value(facts, "file_system")
    program = program_of_mount(str(file_system) if file_system else None)
    if server is None and program is None:
        raise TargetProblem(f"{place.shown} is on no share; name a mounted share, or the number of the process")
    addresses = addresses_of(str(server)) if server else frozenset()
    # Process 0 is none: who copies is not known, only its connection.
    scope = Scope(0, addresses, mount_program=program, is_other_program=True)
    return Sight(f"the copy at {place.shown}", None, scope, facts, path=tuple(
        share_facts(Place(Scheme.PATH, target), facts)))  # fmt: skip


def _of_process(pid: int, host: Host) -> Sight:
    try:
        name = psutil.Process(pid).name()
    except psutil.Error:
        raise TargetProblem(f"there is no process {pid}; name one that copies now, or the share") from None
    near = host.facts(host.resolve(os.getcwd()))
    return Sight(name, pid, Scope(pid, frozenset(), is_other_program=True), near)


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
            _until_it_ends(sight, watch, begun, most_ns, hear)
    except KeyboardInterrupt:
        pass
    _take(sight, watch.ends(), begun)


def _until_it_ends(sight: Sight, watch: Watch, begun: int, most_ns: int, hear: Callable[[Progress], None]) -> None:
    moved, changed = 0, begun
    while time.monotonic_ns() - begun < most_ns and _is_there(sight.pid):
        time.sleep(LOOK_EVERY_S)
        now, seen = time.monotonic_ns(), watch.samples()
        last = max((points[-1][1] for name in _FIELDS if (points := growth_of(seen, name))), default=0.0)
        changed = now if last > moved else changed
        moved = max(moved, int(last))
        hear(Progress(now - begun, 0, moved, now - changed))
        if sight.pid is None and moved and now - changed > QUIET_NS:
            return


_FIELDS = ("acked_bytes", "received_bytes")


def _is_there(pid: int | None) -> bool:
    try:
        return pid is None or psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _take(sight: Sight, ends: Sequence[End], begun: int) -> None:
    """The timeline, from the first to the last byte; the direction is that in which more went."""
    near = next((end for end in ends if end.name == NEAR), None)
    if near is None or len(near.samples) < 2:
        return
    grown = {name: growth_of(near.samples, name) for name in _FIELDS}
    most = max(grown, key=lambda name: grown[name][-1][1] if grown[name] else 0.0)
    points = grown[most]
    if not points or not points[-1][1]:
        return
    sight.action = Action.SEND if most == "acked_bytes" else Action.RECEIVE
    sight.moved_bytes = int(points[-1][1])
    begin, end = _busy_time(points)
    sight.timeline = timeline_of(sight.name, max(begun, begin), end, points, ends)


def _busy_time(points: Sequence[tuple[int, float]]) -> tuple[int, int]:
    """From the reading before the first byte to that with the last one."""
    moving = [index for index in range(1, len(points)) if points[index][1] > points[index - 1][1]]
    return points[moving[0] - 1][0], points[moving[-1]][0]
