"""What a computer does meanwhile, four times a second: processors, processes, disks, memory, interfaces. Raw counters.

Everything is read from /proc; where there is none nothing is known. Rates are made by whoever asks: a counter is worth
nothing without the one before. The list of all processes is what costs most, so it is read once a second.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

from graycard.agent.processes import is_neighbour, numbers, process, rows
from graycard.agent.processes import text as _text
from graycard.agent.sockets import connections, plain_address
from graycard.agent.sockets import row as connection_row

if TYPE_CHECKING:
    from collections.abc import Callable

    # process number -> (name, ticks)
    All = dict[int, tuple[str, int]]
    Look = Callable[[All | None], dict[str, Any]]

STEP_S = 0.25
ALL_EVERY = 4
# Ten minutes; what is older goes.
MOST_SAMPLES = 2400
# Which processes are told by name: those that serve shares, and those that copy.
SERVERS = ("smbd", "ksmbd", "sshd", "sshd-session", "sftp-server", "nfsd", "ganesha.nfsd", "afpd", "rclone", "nginx",
           "apache2", "httpd")  # fmt: skip
BUSIEST_COUNT = 3
MOST_SERVICES = 3
_TICKS_PER_S = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def nothing(_everyone: All | None) -> dict[str, Any]:
    """No more is looked at."""
    return {}


class Sampler:
    """Samples in a thread until it is stopped. `told` gives the samples from a number on.

    What `look` gives is part of each sample; once a second it is handed all processes, None in between.
    """

    def __init__(self, look: Look = nothing) -> None:
        self._look = look
        self._samples: list[dict[str, Any]] = []
        self._first = 0
        self._taken_count = 0
        self._stop = threading.Event()
        self._cost_s = 0.0
        self._last_processes: dict[int, int] = {}
        self._thread = threading.Thread(target=self._run, daemon=True, name="sampler")
        self._thread.start()

    def stop(self) -> None:
        """The last sample has been taken."""
        self._stop.set()
        self._thread.join()

    def told(self, since: int, count: int) -> dict[str, Any]:
        """Up to `count` samples from number `since` on, the number to ask for next, and the time this thread took."""
        start = max(0, since - self._first)
        found = self._samples[start : start + count]
        return {
            "samples": found,
            "next": self._first + start + len(found),
            "cost_s": self._cost_s,
            "ticks_per_s": _TICKS_PER_S,
        }

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stop.is_set():
            self._samples.append(self._sample())
            if len(self._samples) > MOST_SAMPLES:
                del self._samples[0]
                self._first += 1
            self._cost_s = time.thread_time()
            due += STEP_S
            self._stop.wait(max(0.0, due - time.monotonic()))

    def _sample(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "at_ns": time.monotonic_ns(),
            "cores": cores(_text("/proc/stat")),
            "disks": disks(_text("/proc/diskstats")),
            "memory": memory(_text("/proc/meminfo")),
            "pressure_io": pressure(_text("/proc/pressure/io")),
            "pressure_cpu": pressure(_text("/proc/pressure/cpu")),
            "interfaces": interfaces(_text("/proc/net/dev")),
        }
        everyone = all_processes() if self._taken_count % ALL_EVERY == 0 else None
        found.update(self._look(everyone))
        if everyone is not None:
            found["processes"] = self._processes(everyone)
        self._taken_count += 1
        return found

    def _processes(self, everyone: All) -> list[list[Any]]:
        """[name, ticks since the last look] of the servers and of the busiest others."""
        names = {pid: name for pid, (name, _ticks) in everyone.items()}
        now = {pid: ticks for pid, (_name, ticks) in everyone.items()}
        spent = {pid: ticks - self._last_processes.get(pid, ticks) for pid, ticks in now.items()}
        self._last_processes = now
        by_name: dict[str, int] = {}
        for pid, ticks in spent.items():
            by_name[names[pid]] = by_name.get(names[pid], 0) + ticks
        ranked = sorted(by_name.items(), key=lambda item: -item[1])
        told = {name: ticks for name, ticks in ranked[:BUSIEST_COUNT] if ticks}
        told.update((name, ticks) for name, ticks in ranked if name in SERVERS)
        return [[name, ticks] for name, ticks in told.items()]


class Serving:
    """What serves a copy at this end: the processes of shares, and the connections to the computer that copies.

    `peer` is that computer's address, `ports` those of this end that are graycard's own.
    """

    def __init__(self, peer: str, ports: Callable[[], set[int]], folder: str) -> None:
        self._peer = plain_address(peer) if peer else ""
        self._ports = ports
        self._disk = disk_below(folder)
        self._pids: list[int] = []
        self._ticks: dict[int, int] = {}

    def look(self, everyone: All | None) -> dict[str, Any]:
        """`services`, `tcp` and the `disk` below the folder that was named."""
        if everyone is not None:
            self._pids = self._chosen(everyone)
        found: dict[str, Any] = {"services": rows(self._pids), "disk": self._disk}
        if self._peer:
            found["tcp"] = [
                connection_row(each)
                for each in connections()
                if each.far_address == self._peer and each.near_port not in self._ports()
            ]
        return found

    def _chosen(self, everyone: All) -> list[int]:
        """The servers that ran since the last look, the busiest first, and those that are new."""
        now = {pid: ticks for pid, (name, ticks) in everyone.items() if name in SERVERS and is_neighbour(pid)}
        spent = {pid: ticks - self._ticks.get(pid, ticks) for pid, ticks in now.items()}
        new = [pid for pid in now if pid not in self._ticks and self._ticks]
        self._ticks = now
        ranked = sorted((pid for pid in now if spent[pid]), key=lambda pid: -spent[pid])
        return list(dict.fromkeys([*ranked[:MOST_SERVICES], *new, *self._pids]))[: 2 * MOST_SERVICES]


def all_processes() -> All:
    """Name and ticks of each."""
    found = {}
    for pid in numbers():
        parsed = process(_text(f"/proc/{pid}/stat"))
        if parsed is not None:
            found[pid] = parsed
    return found


def disk_below(folder: str) -> str | None:
    """The name in /proc/diskstats of what holds the folder; None where that is no single disk, or not known."""
    if not folder:
        return None
    try:
        device = os.stat(folder).st_dev
        numbers = [str(getattr(os, part)(device)) for part in ("major", "minor")]
        path = os.path.realpath("/sys/dev/block/" + ":".join(numbers))
    except (OSError, AttributeError):
        return None
    return os.path.basename(path) if os.path.isdir(path) else None


def cores(text: str) -> list[list[int]]:
    """For each core [busy, softirq, steal, all] in ticks since the start (proc(5), /proc/stat)."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) < 9 or not words[0].startswith("cpu") or words[0] == "cpu":
            continue
        user, nice, system, idle, wait, irq, soft, steal = (int(word) for word in words[1:9])
        whole = user + nice + system + idle + wait + irq + soft + steal
        found.append([whole - idle - wait - steal, soft + irq, steal, whole])
    return found


def disks(text: str) -> dict[str, list[int]]:
    """For each disk [bytes read, bytes written, busy ms, requests, ms of all requests] (the kernel's iostats.rst)."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 14 or words[2].startswith("ram"):
            continue
        reads, read_sectors, read_ms = int(words[3]), int(words[5]), int(words[6])
        writes, written_sectors, write_ms = int(words[7]), int(words[9]), int(words[10])
        if reads + writes:
            busy_ms = int(words[12])
            found[words[2]] = [read_sectors * 512, written_sectors * 512, busy_ms, reads + writes, read_ms + write_ms]
    return found


def memory(text: str) -> dict[str, int]:
    """Bytes of main memory, dirty pages, and pages on their way to a disk."""
    wanted = {
        "MemTotal": "total_bytes",
        "Cached": "cached_bytes",
        "Dirty": "dirty_bytes",
        "Writeback": "writeback_bytes",
    }
    found = {}
    for line in text.splitlines():
        name, _colon, rest = line.partition(":")
        if name in wanted and rest.split():
            found[wanted[name]] = int(rest.split()[0]) * 1024
    return found


def pressure(text: str) -> list[int] | None:
    """[some, full] in µs since the start: the time in which some or all work waited for a disk."""
    totals = {line.split()[0]: int(line.rpartition("total=")[2]) for line in text.splitlines() if "total=" in line}
    return [totals.get("some", 0), totals.get("full", 0)] if totals else None


def interfaces(text: str) -> dict[str, list[int]]:
    """For each interface but loopback [bytes received, bytes sent, packets dropped or with errors]."""
    found = {}
    for line in text.splitlines():
        name, colon, rest = line.partition(":")
        words = rest.split()
        if not colon or len(words) < 12 or name.strip() == "lo":
            continue
        errors = int(words[2]) + int(words[3]) + int(words[10]) + int(words[11])
        found[name.strip()] = [int(words[0]), int(words[8]), errors]
    return found
