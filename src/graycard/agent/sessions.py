"""What Samba tells of its sessions while a copy runs: `smbstatus` is asked once there is one, and its text kept.

The text is bounded in size and time, and read by the near end. Samba tells root alone; else nothing is known.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

from graycard.agent.processes import is_neighbour, numbers, process, text
from graycard.agent.sockets import connections, plain_address

if TYPE_CHECKING:
    from collections.abc import Callable

SMB_PORTS = (445, 139)
# A session is some 400 bytes; a line to the near end has at most 1 MiB.
MOST_BYTES = 256 << 10
PATIENCE_S = 5.0
# A client needs some round trips from its connection to its session.
LOOK_EVERY_S = 0.5
MOST_ASKED = 6
_ADMIN_FOLDERS = ("/usr/local/samba/bin", "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/sbin")
# Sessions alone: the list of open files may be long. Before 4.17 there was no JSON.
_FORMS = (("-p", "-j"), ("-p",))


# Windows has none; there is no smbstatus either.
_kill_group = getattr(os, "killpg", os.kill)
_wait4 = getattr(os, "wait4", None)


class Sessions:
    """Looks in a thread of its own until Samba has told of all sessions of `peer`, or it is stopped."""

    def __init__(self, peer: str, ask: Callable[[], tuple[str, float]] | None = None) -> None:
        """`ask` gives what smbstatus printed, and the processor time that it took in s."""
        self._peer = plain_address(peer) if peer else ""
        self._ask = ask or smbstatus
        self._told = ""
        self._asking_s = self._looking_s = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="sessions")
        self._thread.start()

    def stop(self) -> None:
        """Nothing is asked any more; a program that runs ends first."""
        self._stop.set()
        self._thread.join()

    @property
    def cost_s(self) -> float:
        """Processor time of the looking and of smbstatus until now."""
        return self._asking_s + self._looking_s

    def told(self) -> dict[str, Any]:
        """The `smbstatus` of a moment in which the peer had a session; "" where there was none."""
        return {"smbstatus": self._told}

    def _run(self) -> None:
        asked = 0
        while self._peer and asked < MOST_ASKED and not self._stop.wait(LOOK_EVERY_S):
            ports = self._ports()
            self._looking_s = time.thread_time()
            if not ports:
                continue
            asked += 1
            found, spent_s = self._ask()
            self._asking_s += spent_s
            self._looking_s = time.thread_time()
            if self._peer in found:
                self._told = found
            # No program, or no right to ask: that does not change. A mount's session may be there before the copy's.
            if not found or all(f":{port}" in found for port in ports):
                return

    def _ports(self) -> list[int]:
        """The peer's ends of its connections to Samba."""
        known = (each for each in connections() if each.near_port in SMB_PORTS and each.far_address == self._peer)
        return [each.far_port for each in known]


def smbstatus() -> tuple[str, float]:
    """What smbstatus prints of sessions ("" where there is none, or it may not tell), and its processor time in s."""
    program = shutil.which("smbstatus", path=os.pathsep.join((os.environ.get("PATH", ""), *_ADMIN_FOLDERS)))
    if program is None:
        return "", 0.0
    configured, spent_s = configuration(), 0.0
    for form in _FORMS:
        found, took_s = _printed((program, *(("-s", configured) if configured else ()), *form))
        spent_s += took_s
        if found:
            return found, spent_s
    return "", spent_s


def configuration() -> str | None:
    """The configuration that the running smbd was started with, where that was said; smbstatus must read the same.

    Only of root's processes and our own that see the same files: what others call smbd may name a file that makes
    smbstatus write elsewhere, and a container's path is another file here.
    """
    for pid in numbers():
        parsed = process(text(f"/proc/{pid}/stat"))
        if parsed is None or not parsed[0].startswith("smbd") or not is_neighbour(pid) or not _is_trusted(pid):
            continue
        named = config_in(text(f"/proc/{pid}/cmdline").split("\0"))
        if named is not None:
            return named
    return None


def config_in(words: list[str]) -> str | None:
    """The file that smbd's command line names by -s or --configfile; None for the usual one."""
    for number, word in enumerate(words):
        if word in ("-s", "--configfile") and number + 1 < len(words):
            return words[number + 1] or None
        if word.startswith("--configfile="):
            return word.partition("=")[2] or None
        if word.startswith("-s/"):
            return word[2:]
    return None


def _is_trusted(pid: int) -> bool:
    owner = getattr(os, "geteuid", lambda: -1)()
    try:
        is_alike = os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt")
        return is_alike and os.stat(f"/proc/{pid}").st_uid in (0, owner)
    except OSError:
        return False


def _printed(command: tuple[str, ...]) -> tuple[str, float]:
    """Its output, nothing where it fails, hangs or prints too much; and its processor time in s."""
    try:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=dict(os.environ, LC_ALL="C"), start_new_session=True,
        )  # fmt: skip
    except OSError:
        return "", 0.0
    ending = threading.Timer(PATIENCE_S, _kill, (program.pid,))
    ending.start()
    try:
        with program:
            data = program.stdout.read(MOST_BYTES + 1) if program.stdout else b""
            if len(data) > MOST_BYTES:
                _kill(program.pid)
            spent_s = _end_of(program)
    finally:
        ending.cancel()
    is_whole = program.returncode == 0 and len(data) <= MOST_BYTES
    return (data.decode("utf-8", "replace") if is_whole else ""), spent_s


def _end_of(program: subprocess.Popen[bytes]) -> float:
    """Wait for it; the processor time in s that it and what it waited for took, as far as the system tells."""
    if _wait4 is None:
        program.wait()
        return 0.0
    _pid, status, used = _wait4(program.pid, 0)
    # wait(2): the exit code is in the second byte, the signal that ended it in the first.
    program.returncode = -1 if status & 0x7F else status >> 8
    return float(used.ru_utime + used.ru_stime)


def _kill(pid: int) -> None:
    """End it and what it has started, which would keep its output open."""
    with contextlib.suppress(OSError):
        _kill_group(pid, signal.SIGTERM)
