"""Which process is at the other end of another one's local sockets (unix_diag, sock_diag(7); Linux).

sshfs starts ssh in such a way that it is no child of its: what joins them is a pair of sockets.
"""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING

from graycard.agent.sockets import asked, inodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

# linux/unix_diag.h
_AF_UNIX = getattr(socket, "AF_UNIX", 1)
_ESTABLISHED = 1 << 1
_SHOW_PEER = 4
_PEER = 2
_REQUEST = struct.Struct("=BBHIIIII")
_ANSWER = struct.Struct("=BBBBIII")
_ATTRIBUTE = struct.Struct("=HH")


def partners(pids: Iterable[int], candidates: Iterable[int]) -> list[int]:
    """Those of the candidates that hold the other end of a socket of one of the processes."""
    held = {inode for pid in pids for inode in inodes_of(pid)}
    wanted = {peer for inode, peer in pairs().items() if inode in held}
    return [pid for pid in candidates if wanted & inodes_of(pid)] if wanted else []


def pairs() -> dict[int, int]:
    """The inodes of both ends of each pair of local sockets; none where the kernel does not tell."""
    request = _REQUEST.pack(_AF_UNIX, 0, 0, _ESTABLISHED, 0, _SHOW_PEER, 0, 0)
    return dict(found for message in asked(request) if (found := pair(message)) is not None)


def pair(message: bytes) -> tuple[int, int] | None:
    """One answer (struct unix_diag_msg and its attributes); None where it is cut short or the other end is gone."""
    if len(message) < _ANSWER.size:
        return None
    inode = _ANSWER.unpack_from(message)[4]
    at = _ANSWER.size
    while at + _ATTRIBUTE.size + 4 <= len(message):
        length, kind = _ATTRIBUTE.unpack_from(message, at)
        if kind == _PEER:
            return inode, struct.unpack_from("=I", message, at + _ATTRIBUTE.size)[0]
        if length < _ATTRIBUTE.size:
            return None
        at += (length + 3) & ~3
    return None
