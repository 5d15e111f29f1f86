"""The far end as a program: on the pipes of ssh, or started by hand with a token that it prints."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from typing import BinaryIO

from graycard.agent.gate import Gate
from graycard.agent.session import Session
from graycard.agent.traffic import without_delay
from graycard.agent.wire import CONTROL, TOKEN_BYTES, Header, WireError, packed_line, read_line


def converse(session: Session, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer requests until the near end closes, says goodbye or says what cannot be understood."""
    try:
        while True:
            request = read_line(incoming.readline)
            if request is None or request.get("do") == "bye":
                return
            outgoing.write(packed_line(session.answer(request)))
            outgoing.flush()
    except (WireError, OSError) as error:
        sys.stderr.write(f"graycard agent: {error}\n")
    finally:
        session.close()


def on_pipes(root: str) -> None:
    """Started by the near end over ssh: standard input and output carry the requests, and end with the connection.

    The data port is opened only at the address at which ssh was reached (the third word of SSH_CONNECTION, ssh(1)).
    """
    words = os.environ.get("SSH_CONNECTION", "").split()
    converse(Session(words[2] if len(words) > 2 else "", root=root), sys.stdin.buffer, sys.stdout.buffer)


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
        try:
            converse(self._session, connection.makefile("rb"), connection.makefile("wb"))
        finally:
            self._session = None
            self._announce()
