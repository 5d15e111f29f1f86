"""The data port: open for one run, with one token, for what was announced, and each announced connection once.

Whoever cannot show the token in three seconds is turned away: it is never read more from it than the 28 bytes of a
header, and no more than 16 such strangers are heard at a time. What was refused is counted and told.
"""

from __future__ import annotations

import contextlib
import hmac
import socket
import threading
from typing import TYPE_CHECKING

from graycard.agent.wire import Header, WireError, read_header

HEADER_S = 3.0
MOST_STRANGERS = 16
# The last refusals are kept with their reasons; a scan of ports must not fill the memory.
MOST_TOLD = 50

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Serve = Callable[[socket.socket, Header], None]


class Gate:
    """Listens at once; `close` ends it and every connection that came through it."""

    def __init__(self, address: str, port: int, token: bytes, serve: Serve) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, port))
        self._listener.listen(64)
        self._token = token
        self._serve = serve
        self._lock = threading.Lock()
        self._expected: dict[tuple[int, int], int] = {}
        self._connections: list[socket.socket] = []
        self._strangers = 0
        self.refused_count = 0
        self.refusals: list[str] = []
        threading.Thread(target=self._listen, daemon=True, name="gate").start()

    @property
    def port(self) -> int:
        """The port that the system gave."""
        return int(self._listener.getsockname()[1])

    def expect(self, role: int, streams: int, uses: int = 1) -> None:
        """Let in so many streams of this role, each `uses` times; what was announced before and not used is void."""
        with self._lock:
            self._expected = {key: left for key, left in self._expected.items() if key[0] != role}
            self._expected.update({(role, stream): uses for stream in range(streams)})

    def forget(self, roles: Iterable[int]) -> None:
        """What was announced for these roles is void."""
        for role in roles:
            self.expect(role, 0)

    def close(self) -> None:
        """Nothing more comes in, and what is in ends."""
        for each in (self._listener, *self._connections):
            _end(each)

    def _listen(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:
                return
            with self._lock:
                is_welcome = self._strangers < MOST_STRANGERS
                self._strangers += is_welcome
            if is_welcome:
                threading.Thread(target=self._greet, args=(connection, str(peer[0])), daemon=True).start()
            else:
                self._refuse(connection, str(peer[0]), "too many that show no token")

    def _greet(self, connection: socket.socket, peer: str) -> None:
        try:
            header = self._proven(connection)
        except WireError as error:
            self._refuse(connection, peer, str(error))
            return
        finally:
            with self._lock:
                self._strangers -= 1
        self._connections.append(connection)
        try:
            self._serve(connection, header)
        except OSError as error:
            self._note(peer, "ended early: " + str(error))
        finally:
            _end(connection)
            self._connections.remove(connection)

    def _proven(self, connection: socket.socket) -> Header:
        """The header of a connection that may come in; WireError else. The token is compared in constant time."""
        header = read_header(connection, HEADER_S)
        if not hmac.compare_digest(header.token, self._token):
            raise WireError("a wrong token")
        with self._lock:
            left = self._expected.get((header.role, header.stream), 0)
            if not left:
                raise WireError("not announced, or used before")
            self._expected[(header.role, header.stream)] = left - 1
        return header

    def _refuse(self, connection: socket.socket, peer: str, why: str) -> None:
        self._note(peer, why)
        _end(connection)

    def _note(self, peer: str, why: str) -> None:
        with self._lock:
            self.refused_count += 1
            self.refusals = [*self.refusals, peer + ": " + why][-MOST_TOLD:]


def _end(connection: socket.socket) -> None:
    """Close it, whatever state it is in; a thread that waits in it wakes up."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
