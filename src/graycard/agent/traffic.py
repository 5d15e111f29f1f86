"""Sending, receiving and answering on one connection. Both ends use the same code, so neither is the faster one."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING, Any

from graycard.agent.counting import Counter, tcp_info

if TYPE_CHECKING:
    from collections.abc import Callable

    Stopped = Callable[[], bool]

# One call moves so much: large enough that Python's own time for a call (some µs) is a small part of it.
CHUNK_BYTES = 1 << 20
# An end that hears nothing for so long gives up: a cable was pulled, or the other computer is gone.
SILENCE_S = 10.0


def never() -> bool:
    """Whether to stop: no."""
    return False


def send(connection: socket.socket, seconds: float, counter: Counter, stopped: Stopped = never) -> dict[str, Any]:
    """Send for so long, then say that this was all and wait until the other end has read it.

    What was sent is what the socket took; what arrived, the other end counts. The data do not compress.
    """
    block = memoryview(os.urandom(CHUNK_BYTES))
    connection.settimeout(SILENCE_S)
    counter.begin()
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stopped():
        counter.add(connection.send(block))
    info = tcp_info(connection)
    connection.shutdown(socket.SHUT_WR)
    _until_closed(connection)
    return dict(counter.told(), tcp=info)


def _until_closed(connection: socket.socket) -> None:
    """The other end closes when it has read everything."""
    while connection.recv(1):
        continue


def receive(connection: socket.socket, counter: Counter, stopped: Stopped = never) -> dict[str, Any]:
    """Read until the other end has sent everything."""
    buffer = bytearray(CHUNK_BYTES)
    connection.settimeout(SILENCE_S)
    counter.begin()
    while not stopped():
        count = connection.recv_into(buffer)
        if not count:
            break
        counter.add(count)
    return dict(counter.told(), tcp=tcp_info(connection))


def answer(connection: socket.socket) -> None:
    """Send back each byte that comes, at once."""
    without_delay(connection)
    connection.settimeout(SILENCE_S)
    while True:
        data = connection.recv(64)
        if not data:
            return
        connection.sendall(data)


def round_trips(
    connection: socket.socket, seconds: float, pause_s: float, stopped: Stopped = never
) -> list[dict[str, int]]:
    """One byte there and back, again and again: `at_ns` since the start, and `took_ns`."""
    without_delay(connection)
    connection.settimeout(SILENCE_S)
    begun = time.perf_counter_ns()
    found: list[dict[str, int]] = []
    while time.perf_counter_ns() - begun < seconds * 1e9 and not stopped():
        took = _round_trip(connection)
        if took is None:
            break
        found.append({"at_ns": time.perf_counter_ns() - begun, "took_ns": took})
        time.sleep(pause_s)
    return found


def _round_trip(connection: socket.socket) -> int | None:
    begun = time.perf_counter_ns()
    connection.sendall(b"?")
    if not connection.recv(1):
        return None
    return time.perf_counter_ns() - begun


def without_delay(connection: socket.socket) -> None:
    """Small messages leave at once (Nagle's algorithm off)."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
