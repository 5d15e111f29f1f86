"""What this end looks at while a copy runs: the copy tool, the program that serves the mount, their connections."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import psutil

from graycard.agent.files import named_paths
from graycard.agent.partners import partners
from graycard.agent.processes import is_neighbour, numbers, rows, tree
from graycard.agent.sampling import STEP_S, Sampler, disk_below
from graycard.agent.sockets import Connection, connections, inodes_of, row

# Where shares are served: SMB, NFS, SSH, WebDAV.
SHARE_PORTS = (445, 139, 2049, 22, 80, 443)
KERNEL_PORTS = (445, 139, 2049)
All = dict[int, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Scope:
    """What belongs to the copy at this end.

    `root_pid` is the process below which the copy's programs are, `without` those below it that are graycard's own far
    end; `server` are the addresses of the server, `mount_program` who serves the mount at `mount_point`; `folder` holds
    the data. With `is_other_program` somebody else copies, and graycard itself has no part in it.
    """

    root_pid: int
    server: frozenset[str]
    without: frozenset[int] = frozenset()
    mount_program: str | None = None
    folder: str = ""
    is_other_program: bool = False
    mount_point: str = ""


class Near:
    """What is asked of this computer in each sample."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._disk = disk_below(scope.folder)
        self._mount_pids: list[int] = []
        self._owned = Owned(scope, frozenset(inode for pid in self._monitors() for inode in inodes_of(pid)))
        is_plain = bool(scope.server) and not any(":" in address for address in scope.server)
        self._families = (socket.AF_INET,) if is_plain else (socket.AF_INET, socket.AF_INET6)

    def look(self, everyone: All | None) -> dict[str, Any]:
        """`services` (the tool), `mounts` (who serves the mount), `own` (the monitor), `tcp` and `disk`."""
        scope = self._scope
        if everyone is not None:
            self._mount_pids = mount_pids(scope.mount_program, scope.mount_point, everyone)
            self._owned.ask_again()
        monitors = set(self._monitors())
        own = [pid for pid in tree(scope.root_pid) if pid not in monitors] if scope.root_pid else []
        # The first process is graycard itself; it does the copy only where no program does.
        programs = own if scope.is_other_program or len(own) == 1 else own[1:]
        mounts = [pid for root in self._mount_pids for pid in tree(root)]
        rest = [pid for pid in {*own, *monitors} if pid not in programs]
        return {
            "services": rows(programs),
            "mounts": rows(mounts),
            "own": rows(rest),
            "tcp": self._owned.rows(connections(self._families), [*programs, *mounts]),
            "disk": self._disk,
        }

    def _monitors(self) -> list[int]:
        return [pid for root in self._scope.without for pid in tree(root)]


class Owned:
    """Which connections are the copy's, from look to look."""

    def __init__(self, scope: Scope, foreign: frozenset[int]) -> None:
        """`foreign` are sockets that never are."""
        self._scope = scope
        self._foreign = foreign
        self._first: frozenset[int] | None = None
        self._owner: dict[int, bool] = {}
        self._others: dict[int, bool] = {}

    def ask_again(self) -> None:
        """A program that has just begun may hold by now what belonged to nobody."""
        self._owner = {inode: True for inode, is_owned in self._owner.items() if is_owned}

    def rows(self, found: list[Connection], pids: list[int]) -> list[dict[str, Any]]:
        """Readings of the copy's connections; `is_new` tells those that began since the first look."""
        if self._first is None:
            self._first = frozenset(each.inode for each in found)
        first = self._first
        return [dict(row(each), is_new=each.inode not in first) for each in self._chosen(found, pids)]

    def _chosen(self, found: list[Connection], pids: list[int]) -> list[Connection]:
        """Those of the copy's programs to the server, or to wherever they have one; else those of the kernel's mount.

        A program may reach the server by another one (a jump host), or under a name that only itself knows.
        """
        scope, candidates = self._scope, [each for each in found if each.inode not in self._foreign]
        if any(each.inode not in self._owner for each in candidates):
            held = {inode for pid in pids for inode in inodes_of(pid)}
            self._owner.update((each.inode, each.inode in held) for each in candidates)
        owned = [each for each in candidates if self._owner[each.inode]]
        to_server = [each for each in owned if each.far_address in scope.server]
        if owned:
            return to_server or [each for each in owned if not is_inside(each.far_address)] or owned
        if scope.mount_program:
            return []
        return self._kernel_s(candidates)

    def _kernel_s(self, candidates: list[Connection]) -> list[Connection]:
        """A mount by the kernel: its connection belongs to no program."""
        scope = self._scope
        if not scope.server and scope.is_other_program:
            return []
        ports = KERNEL_PORTS if scope.is_other_program else SHARE_PORTS
        found = [
            each
            for each in candidates
            if each.far_port in ports and (not scope.server or each.far_address in scope.server)
        ]
        if scope.is_other_program:
            self._look_for_others(found)
        return [each for each in found if not self._others.get(each.inode)]

    def _look_for_others(self, found: list[Connection]) -> None:
        """Connections to the same server that another program holds are none of this copy's."""
        if all(each.inode in self._others for each in found):
            return
        held = {inode for pid in numbers() for inode in inodes_of(pid)}
        self._others.update((each.inode, each.inode in held) for each in found)


def mount_pids(program: str | None, point: str, everyone: All) -> list[int]:
    """The processes that serve the mount: of those of that name the ones that were told its folder, else all of them;
    and the ssh of sshfs.

    A container's programs have networks of their own; their connections are not seen from here.
    """
    if program is None:
        return []
    named = [pid for pid, (name, _ticks) in everyone.items() if _serves(name, program) and is_neighbour(pid)]
    at_point = [pid for pid in named if point and point in named_paths(pid)] or named
    ssh = [pid for pid, (name, _ticks) in everyone.items() if name == "ssh"] if program == "sshfs" else []
    return [*at_point, *partners(at_point, ssh)]


def _serves(name: str, program: str) -> bool:
    """The kernel keeps 15 bytes of a name; GNOME has a program for each protocol beside that of the folder."""
    return name == program[:15] or (program.startswith("gvfsd") and name.startswith("gvfsd-"))


def is_inside(address: str) -> bool:
    """Whether it is this computer itself."""
    return address.startswith("127.") or address == "::1"


class Plain:
    """The same sampling where there is no /proc: what psutil tells of processors and interfaces."""

    def __init__(self) -> None:
        self._samples: list[dict[str, Any]] = []
        self._stop = threading.Event()
        self._cost_s = 0.0
        self._thread = threading.Thread(target=self._run, daemon=True, name="sampler")
        self._thread.start()

    def stop(self) -> None:
        """The last sample has been taken."""
        self._stop.set()
        self._thread.join()

    def told(self, since: int, count: int) -> dict[str, Any]:
        """As `Sampler.told`."""
        found = self._samples[since : since + count]
        return {"samples": found, "next": since + len(found), "cost_s": self._cost_s, "ticks_per_s": 100}

    def _run(self) -> None:
        while not self._stop.wait(STEP_S):
            self._samples.append(_plain_sample())
            self._cost_s = time.thread_time()


def _plain_sample() -> dict[str, Any]:
    cores = [[int(100 * (sum(each) - each.idle)), 0, 0, int(100 * sum(each))] for each in psutil.cpu_times(percpu=True)]
    counted = psutil.net_io_counters(pernic=True).items()
    return {
        "at_ns": time.monotonic_ns(),
        "cores": cores,
        "interfaces": {name: [each.bytes_recv, each.bytes_sent, each.errin + each.errout] for name, each in counted},
    }


def near_sampler(scope: Scope) -> Sampler | Plain:
    """Samples this end until it is stopped."""
    return Sampler(Near(scope).look) if sys.platform.startswith("linux") else Plain()


def program_of_mount(file_system: str | None) -> str | None:
    """Who serves a mount of that type, as "fuse.rclone"; None where the kernel does."""
    return file_system.partition(".")[2] or None if file_system and file_system.startswith("fuse") else None


def children_now(start: Callable[[], Any]) -> tuple[Any, frozenset[int]]:
    """What `start` gives, and the processes that it has started."""
    before = set(_children())
    given = start()
    return given, frozenset(set(_children()) - before)


def _children() -> Iterable[int]:
    return (child.pid for child in psutil.Process(os.getpid()).children())
