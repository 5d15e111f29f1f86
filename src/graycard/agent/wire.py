"""What both ends say to each other: a header of fixed length before data, bounded lines of JSON for control."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

# Raised with every change of the header or of a request.
VERSION = 3
TOKEN_BYTES = 16
MAGIC = b"gcA1"
# magic, token, role, number of the stream, time in milliseconds
_HEADER = struct.Struct(">4s16sBBxxI")
HEADER_BYTES = _HEADER.size
# The longest answer holds the slots of a minute on eight streams; a request is far shorter.
LINE_BYTES = 1 << 20

# The near end says that it is there so often, also while it waits for nothing; it gets no answer to that.
HERE = "here"
HERE_EVERY_S = 2.0
# An agent that has heard nothing for so long ends, and leaves nothing: a cable was pulled, a computer is gone.
MOST_SILENCE_S = 30.0

CONTROL = 1
UPLOAD = 2
DOWNLOAD = 3
ECHO = 4


class WireError(Exception):
    """The other end said something that cannot be understood, too much, or nothing in time."""


class Header(NamedTuple):
    """The first bytes of each connection. `time_ms` is how long a download lasts; 0 else."""

    token: bytes
    role: int
    stream: int
    time_ms: int

    def packed(self) -> bytes:
        """As it is sent."""
        return _HEADER.pack(MAGIC, self.token, self.role, self.stream, self.time_ms)


def read_header(connection: socket.socket, seconds: float) -> Header:
    """The header of a connection, read in `seconds` in all; WireError where it is late, short or another protocol."""
    magic, token, role, stream, time_ms = _HEADER.unpack(_exactly(connection, HEADER_BYTES, seconds))
    if magic != MAGIC:
        raise WireError("another protocol")
    return Header(token, role, stream, time_ms)


def _exactly(connection: socket.socket, count: int, seconds: float) -> bytes:
    """So many bytes. The time is for all of them, so that a sender of one byte a second is not waited for."""
    until, got = time.monotonic() + seconds, b""
    while len(got) < count:
        left = until - time.monotonic()
        if left <= 0:
            raise WireError("too slow")
        connection.settimeout(left)
        try:
            part = connection.recv(count - len(got))
        except socket.timeout:
            raise WireError("too slow") from None
        except OSError as error:
            raise WireError(str(error)) from None
        if not part:
            raise WireError("closed before the header was whole")
        got += part
    connection.settimeout(None)
    return got


def packed_line(message: dict[str, Any]) -> bytes:
    """A request or an answer as one line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def read_line(readline: Callable[[int], bytes]) -> dict[str, Any] | None:
    """The next request or answer; None at the end. WireError for what is too long or no object of JSON."""
    line = readline(LINE_BYTES + 1)
    if not line:
        return None
    if len(line) > LINE_BYTES or not line.endswith(b"\n"):
        raise WireError("a line is too long or cut short")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise WireError("a line is no JSON: " + repr(line[:60])) from None
    if not isinstance(message, dict):
        raise WireError("a line is no object")
    return message
