"""The far end as a program: on the pipes of ssh, or started by hand with a token that it prints."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

from graycard.agent.gate import Gate
from graycard.agent.session import Session
from graycard.agent.traffic import without_delay
from graycard.agent.wire import CONTROL, HERE, MOST_SILENCE_S, TOKEN_BYTES, Header, WireError, packed_line, read_line

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_EVERY_S = 0.2
# The near end may ask for another patience, within these bounds.
LEAST_PATIENCE_S, MOST_PATIENCE_S = 1.0, 600.0


class Silence:
    """Calls `gone` when the near end has said nothing for too long. No time counts in which an answer is made."""

    def __init__(self, gone: Callable[[], None]) -> None:
        self._gone = gone
        self._patience_s = MOST_SILENCE_S
        self._since: float | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="silence").start()

    def begins(self) -> None:
        """From now on it is waited for the near end."""
        self._since = time.monotonic()

    def ends(self) -> None:
        """The near end has said something."""
        self._since = None

    def close(self) -> None:
        """Nobody is waited for any more."""
        self._ended.set()

    def bear(self, seconds: object) -> None:
        """How long it may last, as the near end has it; what is no number changes nothing."""
        if isinstance(seconds, (int, float)):
            self._patience_s = min(MOST_PATIENCE_S, max(LEAST_PATIENCE_S, float(seconds)))

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            since = self._since
            if since is not None and time.monotonic() - since > self._patience_s:
                self._gone()
                return


def converse(session: Session, incoming: BinaryIO, outgoing: BinaryIO, gone: Callable[[], None]) -> None:
    """Answer requests until the near end closes, says goodbye or says what cannot be understood.

    `gone` is called, in another thread, where it says nothing any more, not even that it is there: it has to make an
    end of the reading. Whatever ends it, the session is closed.
    """
    silence = Silence(gone)
    try:
        while True:
            silence.begins()
            request = read_line(incoming.readline)
            silence.ends()
            if request is None or request.get("do") == "bye":
                return
            if request.get("do") == HERE:
                continue
            silence.bear(request.get("silence_s"))
            outgoing.write(packed_line(session.answer(request)))
            outgoing.flush()
    except (WireError, OSError) as error:
        _complain(str(error))
    finally:
        silence.close()
        session.close()


def _complain(says: str) -> None:
    try:
        sys.stderr.write("graycard agent: " + says + "\n")
    except OSError:  # whoever would read it has gone, too
        return


def on_pipes(root: str) -> None:
    """Started by the near end over ssh: standard input and output carry the requests, and end with the connection.

    The data port is opened only at the address at which ssh was reached (the third word of SSH_CONNECTION, ssh(1)).
    """
    words = os.environ.get("SSH_CONNECTION", "").split()
    session = Session(words[2] if len(words) > 2 else "", root=root)

    def leave() -> None:
        # sshd may hold the pipes open for hours after the cable was cut: no reading of them would end.
        session.close()
        os._exit(1)

    converse(session, sys.stdin.buffer, sys.stdout.buffer, leave)


class Standing:
    """Started by hand: waits for one near end after the other, until it is ended. No root, no file written."""

    def __init__(self, address: str, port: int, token: bytes | None = None, root: str = "") -> None:
        self._root = root
        self.token = token or secrets.token_bytes(TOKEN_BYTES)
        self._session: Session | None = None
        self.gate = Gate(address, port, self.token, self._serve)
        self._announce()

    def _announce(self) -> None:
        self.gate.expect(CONTROL, 1)

    def _serve(self, connection: socket.socket, header: Header) -> None:
        """One near end at a time; the next one may come when this one has gone."""
        if header.role != CONTROL:
            session = self._session
            if session is not None:
                session.serve(connection, header)
            return
        without_delay(connection)
        self._session = Session(connection.getsockname()[0], self.gate, self._root)

        def leave() -> None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

        try:
            converse(self._session, connection.makefile("rb"), connection.makefile("wb"), leave)
        finally:
            self._session = None
            self._announce()
