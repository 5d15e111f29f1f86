"""What the far end does when it is asked: open the data port, take part in a test, tell what it counted, end."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from graycard.agent.adapters import way_of
from graycard.agent.counting import Counter
from graycard.agent.gate import Gate
from graycard.agent.ground import Ground
from graycard.agent.sampling import Sampler, Serving
from graycard.agent.sessions import Sessions
from graycard.agent.traffic import answer, receive, send
from graycard.agent.wire import DOWNLOAD, ECHO, TOKEN_BYTES, UPLOAD, VERSION, Header, WireError

ROLES = {"upload": UPLOAD, "download": DOWNLOAD, "echo": ECHO}
MOST_STREAMS = 64
MOST_MS = 600_000
# What the last connections moved is asked for when they have ended; one that hangs is not waited for.
COLLECT_S = 15.0
# A sample is some 2 kB; a line has at most 1 MiB.
MOST_TOLD_SAMPLES = 200

if TYPE_CHECKING:
    from collections.abc import Callable

    Request = dict[str, Any]


class Session:
    """One near end that has proven itself. `answer` never raises: what went wrong is said in `error`."""

    def __init__(self, address: str = "", standing: Gate | None = None, root: str = "") -> None:
        """The data port is opened at `address`, "" for all; a `standing` gate serves instead of a port of its own.

        `root` is the only folder below which disk tests are served; "": none are.
        """
        self._root = root
        self._ground = Ground(root) if root else None
        self._sampler: Sampler | None = None
        self._sessions: Sessions | None = None
        self._address = address
        self._standing = standing
        self._gate: Gate | None = None
        self._told: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._does: dict[str, Callable[[Request], dict[str, Any]]] = {
            "hello": self._hello,
            "open": self._open_port,
            "expect": self._expect,
            "collect": self._collect,
            "close": self._close_port,
            "disk": self._disk,
            "disk_told": self._disk_told,
            "disk_remove": self._disk_remove,
            "keep": self._keep,
            "sample": self._sample,
            "samples": self._samples,
            "sessions": self._sessions_told,
            "clock": self._clock,
        }

    def answer(self, request: Request) -> dict[str, Any]:
        """Do what is asked, and say what came of it."""
        does = self._does.get(str(request.get("do")))
        if does is None:
            return {"error": "unknown request"}
        try:
            return does(request)
        except (OSError, ValueError, KeyError, TypeError, WireError) as error:
            return {"error": str(error) or type(error).__name__}

    def close(self) -> None:
        """End everything, and leave nothing."""
        self._end_sampling()
        if self._ground is not None:
            for remove in (self._ground.remove, self._ground.remove_kept):
                with contextlib.suppress(OSError):  # a disk that is gone keeps what it has
                    remove()
        self._close_gate()

    def _end_sampling(self) -> None:
        for each in (self._sampler, self._sessions):
            if each is not None:
                each.stop()

    def _close_gate(self) -> None:
        if self._gate is not None and self._gate is self._standing:
            self._gate.forget(ROLES.values())
        elif self._gate is not None:
            self._gate.close()
        self._gate = None

    def _hello(self, request: Request) -> dict[str, Any]:
        if self._ground is not None and "folder" in request:
            self._ground.call(str(request["folder"]), str(request.get("marker", "")))
        return {
            "version": VERSION,
            "python": platform.python_version(),
            "system": platform.system() + " " + platform.release(),
            "machine": platform.machine(),
            "cpu_count": os.cpu_count(),
            "memory_bytes": _memory_bytes(),
            "name": socket.gethostname(),
            "address": self._address,
            "has_tcp_info": sys.platform.startswith("linux"),
            "way": way_of(self._address),
            "may_write": os.access(self._root, os.W_OK | os.X_OK) if self._root else None,
        }

    def _open_port(self, request: Request) -> dict[str, Any]:
        self._close_gate()
        token = bytes.fromhex(str(request["token"]))
        if len(token) != TOKEN_BYTES:
            raise ValueError("the token has another length")
        self._gate = self._standing or Gate(self._address, 0, token, self.serve)
        return {"port": self._gate.port}

    def _expect(self, request: Request) -> dict[str, Any]:
        streams = int(request["streams"])
        if not 0 < streams <= MOST_STREAMS:
            raise ValueError(f"1 to {MOST_STREAMS} streams")
        if self._gate is None:
            raise ValueError("the data port is not open")
        with self._changed:
            self._told = {}
        self._gate.expect(ROLES[str(request["role"])], streams)
        return {}

    def _collect(self, request: Request) -> dict[str, Any]:
        """What each stream of the last test moved, when all have ended; `refused` since the port was opened."""
        streams = int(request["streams"])
        with self._changed:
            self._changed.wait_for(lambda: len(self._told) >= streams, COLLECT_S)
            told = [self._told.get(stream) for stream in range(streams)]
        gate = self._gate
        refused = {"count": gate.refused_count, "last": gate.refusals[-5:]} if gate else {}
        return {"streams": told, "refused": refused}

    def _close_port(self, request: Request) -> dict[str, Any]:
        self._close_gate()
        return {}

    def _disk(self, request: Request) -> dict[str, Any]:
        """Begin to write (`what` "write") or read so many `bytes` in the far end's own folder."""
        self._needed_ground().begin(str(request["what"]), int(request["bytes"]))
        return {}

    def _disk_told(self, request: Request) -> dict[str, Any]:
        return self._needed_ground().told()

    def _disk_remove(self, request: Request) -> dict[str, Any]:
        self._needed_ground().remove()
        return {}

    def _keep(self, request: Request) -> dict[str, Any]:
        """A `folder` with that `marker` is the near end's: it goes when that one is gone and has not removed it."""
        self._needed_ground().keep(str(request["folder"]), str(request["marker"]))
        return {}

    def _needed_ground(self) -> Ground:
        if self._ground is None:
            raise ValueError("no folder was named for disk tests")
        return self._ground

    def _sample(self, request: Request) -> dict[str, Any]:
        """Start to sample, or start anew; connections with `peer` are told where one is named."""
        self._end_sampling()
        peer = str(request.get("peer", ""))
        self._sampler = Sampler(Serving(peer, self._own_ports, self._root).look)
        self._sessions = Sessions(peer)
        return {}

    def _sessions_told(self, request: Request) -> dict[str, Any]:
        """What Samba told of the peer's session while it was sampled; `stop` ends the asking."""
        if self._sessions is None:
            raise ValueError("no sampling was begun")
        if request.get("stop"):
            self._sessions.stop()
        return self._sessions.told()

    def _own_ports(self) -> set[int]:
        return {self._gate.port} if self._gate is not None else set()

    def _samples(self, request: Request) -> dict[str, Any]:
        """The samples from number `since` on, and what looking has cost until now; `stop` ends the sampling."""
        if self._sampler is None:
            raise ValueError("no sampling was begun")
        if request.get("stop"):
            self._sampler.stop()
        told = self._sampler.told(int(request["since"]), MOST_TOLD_SAMPLES)
        asking_s = self._sessions.cost_s if self._sessions is not None else 0.0
        return {**told, "cost_s": told["cost_s"] + asking_s}

    def _clock(self, request: Request) -> dict[str, Any]:
        """The time here that never steps back, for comparing with the near one."""
        return {"at_ns": time.monotonic_ns()}

    def serve(self, connection: socket.socket, header: Header) -> None:
        """Take part in a test on a connection that has proven itself."""
        if header.role == ECHO:
            answer(connection)
            return
        counter = Counter()
        try:
            if header.role == UPLOAD:
                told = receive(connection, counter)
            else:
                told = send(connection, min(header.time_ms, MOST_MS) / 1e3, counter)
        except OSError as error:
            told = dict(counter.told(), error=str(error))
        with self._changed:
            self._told[header.stream] = told
            self._changed.notify_all()


def _memory_bytes() -> int | None:
    """The main memory of this computer; None where the system does not tell it."""
    ask = getattr(os, "sysconf", None)
    try:
        return int(ask("SC_PAGE_SIZE")) * int(ask("SC_PHYS_PAGES")) if ask else None
    except (ValueError, OSError):
        return None
