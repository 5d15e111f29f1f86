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

from graycard.agent.processes import rows, tree
from graycard.agent.sampling import STEP_S, Sampler, disk_below
from graycard.agent.sockets import Connection, connections, inodes_of
from graycard.agent.sockets import row as connection_row

# Where shares are served: SMB, NFS, SSH, WebDAV.
SHARE_PORTS = (445, 139, 2049, 22, 80, 443)
KERNEL_PORTS = (445, 139, 2049)
All = dict[int, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Scope:
    """What belongs to the copy at this end.

    `root_pid` is the process below which the copy's programs are, `without` those below it that are graycard's own far
    end; `server` are the addresses of the server, `mount_program` who serves the mount; `folder` holds the data.
    """

    root_pid: int
    server: frozenset[str]
    without: frozenset[int] = frozenset()
    mount_program: str | None = None
    folder: str = ""
    is_other_program: bool = False


class Near:
    """What is asked of this computer in each sample."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._disk = disk_below(scope.folder)
        self._mount_pids: list[int] = []
        self._foreign = {inode for pid in self._monitors() for inode in inodes_of(pid)}
        self._owner: dict[int, bool] = {}
        is_plain = bool(scope.server) and not any(":" in address for address in scope.server)
        self._families = (socket.AF_INET,) if is_plain else (socket.AF_INET, socket.AF_INET6)

    def look(self, everyone: All | None) -> dict[str, Any]:
        """`services` (the tool), `mounts` (who serves the mount), `own` (the monitor), `tcp` and `disk`."""
        scope = self._scope
        if everyone is not None and scope.mount_program:
            self._mount_pids = [pid for pid, (name, _ticks) in everyone.items() if name == scope.mount_program]
        monitors = set(self._monitors())
        own = [pid for pid in tree(scope.root_pid) if pid not in monitors]
        # The first process is graycard itself; it does the copy only where no program does.
        programs = own if scope.is_other_program or len(own) == 1 else own[1:]
        mounts = [pid for root in self._mount_pids for pid in tree(root)]
        rest = [pid for pid in {*own, *monitors} if pid not in programs]
        return {
            "services": rows(programs),
            "mounts": rows(mounts),
            "own": rows(rest),
            "tcp": [connection_row(each) for each in self._chosen(connections(self._families), [*programs, *mounts])],
            "disk": self._disk,
        }

    def _monitors(self) -> list[int]:
        return [pid for root in self._scope.without for pid in tree(root)]

    def _chosen(self, found: list[Connection], pids: list[int]) -> list[Connection]:
        """Those of the copy's programs to the server; else all to its shares that are not graycard's own."""
        to_server = [
            each
            for each in found
            if each.inode not in self._foreign and (not self._scope.server or each.far_address in self._scope.server)
        ]
        if any(each.inode not in self._owner for each in to_server):
            held = {inode for pid in pids for inode in inodes_of(pid)}
            self._owner.update((each.inode, each.inode in held) for each in to_server)
        owned = [each for each in to_server if self._owner.get(each.inode)]
        if owned:
            return owned
        # A mount by the kernel: its connection belongs to no program.
        ports = KERNEL_PORTS if self._scope.is_other_program else SHARE_PORTS
        return [each for each in to_server if each.far_port in ports]


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
