"""What is watched: a process, or a mounted share on which somebody copies; and what was seen of it."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import psutil

from graycard.agent.files import may_look_at, used_paths
from graycard.agent.processes import tree
from graycard.agent.sockets import connections, inodes_of, plain_address
from graycard.diagnosis.near import Scope, is_inside, program_of_mount
from graycard.diagnosis.places import addresses_of, near_facts, share_facts
from graycard.diagnosis.watched import Cost
from graycard.errors import TargetProblem
from graycard.facts import value
from graycard.model import Action, Fact
from graycard.model.copying import Place, Scheme
from graycard.model.diagnosis import Evidence, Timeline
from graycard.protocols import Host, Volume

# A program that has just been started opens its files and its connection within that time.
FIND_S = 3.0
LOOK_EVERY_S = 0.1


class Ending(StrEnum):
    """Why the watching ended."""

    STOPPED = "stopped by the user"
    TIME = "the time was up"
    GONE = "the process ended"
    QUIET = "nothing was moved any more"


@dataclass(slots=True)
class Sight:
    """What was seen; `evidence` may be asked for at any moment after it ended.

    `where` is what was watched, in words. `says` is what has to be known beside the figures.
    """

    name: str
    where: str
    pid: int | None
    scope: Scope
    near: tuple[Fact, ...] = ()
    far: tuple[Fact, ...] = ()
    path: tuple[Fact, ...] = ()
    cost: Cost = field(default_factory=Cost)
    timeline: Timeline | None = None
    action: Action = Action.SEND
    moved_bytes: int = 0
    has_connection: bool = False
    has_begun: bool = False
    ending: Ending = Ending.TIME
    says: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """What is watched, in a sentence."""
        return self.where if self.pid is not None else f"the copy at {self.where}"

    @property
    def nothing(self) -> str:
        """That no copy was seen, as the beginning of a sentence."""
        if self.pid is not None:
            return f"{self.where} has copied nothing to or from another computer"
        return f"nothing has been copied at {self.where}"

    @property
    def is_on_mount(self) -> bool:
        """Whether somebody else than the copying program speaks with the server."""
        return bool(self.scope.mount_point)

    def evidence(self) -> Evidence:
        """For the rules; no layer was measured alone."""
        lines = () if self.timeline is None else (self.timeline,)
        return Evidence(
            tool=self.name, action=self.action, file_count=None, total_bytes=self.moved_bytes or None,
            timelines=lines, near=self.near, far=self.far, path=self.path,
        )  # fmt: skip


def sight_of(target: str, host: Host, look: Callable[[], None]) -> Sight:
    """Who is watched: a process by its number, or whoever copies to or from a mounted share. TargetProblem.

    `look` may raise to end it.
    """
    # As a variable: type checkers of other platforms would call the rest unreachable.
    platform = sys.platform
    if not platform.startswith("linux"):
        raise TargetProblem("only Linux tells what the connection of another program does; use graycard why here")
    if target.isdecimal():
        return _of_process(int(target), host, look)
    place = host.resolve(target)
    facts = host.facts(place)
    if not _is_share(facts):
        raise TargetProblem(f"{place.shown} is on no share; name a mounted share, or the number of the process")
    # Process 0 is none: who copies is not known, only its connection.
    sight = Sight(f"the copy at {place.shown}", place.shown, None, _scope(0, facts), facts)
    return _at_share(sight, target, facts)


def _is_share(facts: tuple[Fact, ...]) -> bool:
    file_system = value(facts, "file_system")
    return value(facts, "server") is not None or program_of_mount(str(file_system or "")) is not None


def _scope(pid: int, facts: tuple[Fact, ...]) -> Scope:
    """The connections of that mount, and of that process."""
    program = program_of_mount(str(value(facts, "file_system") or ""))
    point = str(value(facts, "mount_point") or "")
    return Scope(pid, _server(facts), mount_program=program, is_other_program=True, mount_point=point)


def _server(facts: tuple[Fact, ...]) -> frozenset[str]:
    """The server's addresses: that in the options of the mount, and those of its name."""
    named, options = value(facts, "server"), str(value(facts, "mount_options") or "")
    told = re.findall(r"(?:^|[,\s])addr=([^,\s]+)", options)
    return frozenset(map(plain_address, told)) | (addresses_of(str(named)) if named else frozenset())


def _at_share(sight: Sight, path: str, facts: tuple[Fact, ...]) -> Sight:
    sight.path = tuple(share_facts(Place(Scheme.PATH, path), facts))
    if sight.scope.mount_program is None:
        server = value(facts, "server")
        sight.says.append(
            f"All shares of {server} that are mounted here may have one connection: it is seen as a whole."
        )
    return sight


def _of_process(pid: int, host: Host, look: Callable[[], None]) -> Sight:
    try:
        process = psutil.Process(pid)
        name, user = process.name(), process.username()
    except psutil.Error:
        raise TargetProblem(f"there is no process {pid}; name one that copies now, or the share") from None
    where = f"{name} (process {pid})"
    if not may_look_at(pid):
        raise TargetProblem(f"{where} belongs to {user}: only that user and root may see what it does; run it so")
    near = near_facts(host.facts(host.resolve(os.getcwd())))
    share = _share_used(pid, where, host, look)
    if share is None:
        return Sight(name, where, pid, Scope(pid, frozenset(), is_other_program=True), near)
    facts = host.facts(host.resolve(share.mount_point))
    return _at_share(Sight(name, where, pid, _scope(pid, facts), near), share.mount_point, facts)


def _share_used(pid: int, where: str, host: Host, look: Callable[[], None]) -> Volume | None:
    """The share that the process copies to or from; None where it has a connection of its own. TargetProblem."""
    until = time.monotonic() + FIND_S
    while True:
        look()
        share = _holding(used_paths(pid), host.volumes())
        if share is not None or _has_connection(pid):
            return share
        if not psutil.pid_exists(pid):
            raise TargetProblem(f"{where} has ended before it moved anything; name one that copies now, or the share")
        if time.monotonic() > until:
            raise TargetProblem(
                f"{where} has no connection to another computer and nothing open on a share; name the program that "
                "copies, or the share"
            )
        time.sleep(LOOK_EVERY_S)


def _holding(paths: Sequence[str], volumes: Sequence[Volume]) -> Volume | None:
    """The first share that holds one of the paths."""
    shares = sorted((each for each in volumes if each.network), key=lambda each: -len(each.mount_point))
    for path in paths:
        for share in shares:
            if path == share.mount_point or path.startswith(share.mount_point.rstrip("/") + "/"):
                return share
    return None


def _has_connection(pid: int) -> bool:
    held = {inode for each in tree(pid) for inode in inodes_of(each)}
    return any(each.inode in held and not is_inside(each.far_address) for each in connections())
