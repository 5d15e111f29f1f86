"""Processes that have a part in a copy: their processor time, how long they waited for it, and what limits them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_CGROUPS = "/sys/fs/cgroup"
# The kernel gives whole lines of up to a page (seq_file.rst): less than half a page is the end.
_READ_BYTES, _PART_BYTES = 1 << 16, 1 << 11
LIMIT_EVERY_S = 2.0
MOST_REMEMBERED = 1000


def text(path: str) -> str:
    """A file of /proc or /sys; nothing where it is not there, or gone.

    By the system's own calls, in a third of the time that a file of Python takes for some hundred bytes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        parts = []
        while True:
            part = os.read(descriptor, _READ_BYTES)
            parts.append(part)
            if len(part) < _PART_BYTES:
                return b"".join(parts).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def process(stat: str) -> tuple[str, int] | None:
    """(name, ticks of user and system) of a process (proc(5), /proc/PID/stat); a name may hold blanks and brackets."""
    start, end = stat.find("("), stat.rfind(")")
    words = stat[end + 2 :].split()
    if start < 0 or len(words) < 13:
        return None
    return stat[start + 1 : end], int(words[11]) + int(words[12])


def numbers(folder: str = "/proc") -> list[int]:
    """The processes that there are."""
    try:
        return [int(name) for name in os.listdir(folder) if name.isdigit()]
    except OSError:
        return []


def row(pid: int) -> dict[str, Any] | None:
    """Counters of a process: `ticks` it ran, `wait_ns` its first thread waited for a processor; None where it is gone.

    The second of the three numbers in schedstat (the kernel's sched-stats.rst) is that time.
    """
    parsed = process(text(f"/proc/{pid}/stat"))
    if parsed is None:
        return None
    waited = text(f"/proc/{pid}/schedstat").split()
    found: dict[str, Any] = {"pid": pid, "name": parsed[0], "ticks": parsed[1]}
    if len(waited) > 1:
        found["wait_ns"] = int(waited[1])
    found.update(_limits.of(pid))
    return found


class Limits:
    """The limits of processes; where there is none, that is looked for again only after some time."""

    def __init__(self) -> None:
        self._none_until: dict[int, float] = {}

    def of(self, pid: int) -> dict[str, Any]:
        """As `limit`."""
        now = time.monotonic()
        if now < self._none_until.get(pid, 0.0):
            return {}
        found = limit(text(f"/proc/{pid}/cgroup"))
        if not found:
            if len(self._none_until) > MOST_REMEMBERED:
                self._none_until.clear()
            self._none_until[pid] = now + LIMIT_EVERY_S
        return found


def limit(cgroups: str) -> dict[str, Any]:
    """`limit_ratio` of one core that a control group leaves, `throttled_ns` for which it stopped it; {} without one.

    cgroup(7): cpu.max and throttled_usec in version 2, cpu.cfs_quota_us and throttled_time in version 1.
    """
    for line in cgroups.splitlines():
        _number, _colon, rest = line.partition(":")
        names, _colon, path = rest.partition(":")
        path = path.rstrip("/")
        if path and "cpu" in names.split(","):
            return _first(_CGROUPS + "/cpu" + path)
        if path and not names:
            found = _second(_CGROUPS + path)
            if found:
                return found
    return {}


def _first(folder: str) -> dict[str, Any]:
    quota, period = text(folder + "/cpu.cfs_quota_us"), text(folder + "/cpu.cfs_period_us")
    if not quota.strip() or int(quota) <= 0 or not period.strip():
        return {}
    told = {"limit_ratio": int(quota) / int(period)}
    told.update(_stopped(folder, "throttled_time", 1))
    return told


def _second(folder: str) -> dict[str, Any]:
    words = text(folder + "/cpu.max").split()
    if len(words) != 2 or words[0] == "max":
        return {}
    told = {"limit_ratio": int(words[0]) / int(words[1])}
    told.update(_stopped(folder, "throttled_usec", 1000))
    return told


def _stopped(folder: str, name: str, factor: int) -> dict[str, Any]:
    for line in text(folder + "/cpu.stat").splitlines():
        if line.startswith(name + " "):
            return {"throttled_ns": int(line.split()[1]) * factor}
    return {}


def rows(pids: Iterable[int]) -> list[dict[str, Any]]:
    """The counters of those that are there."""
    return [found for found in map(row, pids) if found is not None]


def is_neighbour(pid: int) -> bool:
    """Whether it is in the same network as this program: a container's server is not the one that serves the copy."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net")
    except OSError:
        return True


def has_tree() -> bool:
    """Whether this system tells which processes a process has started."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def tree(pid: int) -> list[int]:
    """The process and all below it (proc(5), /proc/PID/task/TID/children)."""
    found = [pid]
    for parent in found:
        folder = f"/proc/{parent}/task"
        for task in numbers(folder):
            found.extend(int(word) for word in text(f"{folder}/{task}/children").split())
    return found


_limits = Limits()
