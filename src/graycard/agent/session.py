"""What the far end does when it is asked: open the data port, take part in a test, tell what it counted, end."""

from __future__ import annotations

import os
import platform
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any

from graycard.agent.counting import Counter
from graycard.agent.gate import Gate
from graycard.agent.traffic import answer, receive, send
from graycard.agent.wire import DOWNLOAD, ECHO, TOKEN_BYTES, UPLOAD, VERSION, Header, WireError

ROLES = {"upload": UPLOAD, "download": DOWNLOAD, "echo": ECHO}
MOST_STREAMS = 64
MOST_MS = 600_000
# What the last connections moved is asked for when they have ended; one that hangs is not waited for.
COLLECT_S = 15.0

if TYPE_CHECKING:
    from collections.abc import Callable

    Request = dict[str, Any]


class Session:
    """One near end that has proven itself. `answer` never raises: what went wrong is said in `error`."""

    def __init__(self, address: str = "", standing: Gate | None = None) -> None:
        """The data port is opened at `address`, "" for all; a `standing` gate serves instead of a port of its own."""
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
        """End everything."""
        if self._gate is not None and self._gate is self._standing:
            self._gate.forget(ROLES.values())
        elif self._gate is not None:
            self._gate.close()
        self._gate = None

    def _hello(self, request: Request) -> dict[str, Any]:
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
        }

    def _open_port(self, request: Request) -> dict[str, Any]:
        self.close()
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
        self.close()
        return {}

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
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
