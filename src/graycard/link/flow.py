"""One test: streams one way for a while, with round trips beside it; what both ends counted."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from graycard.agent.counting import Counter
from graycard.agent.traffic import receive, round_trips, send
from graycard.agent.wire import DOWNLOAD, ECHO, UPLOAD
from graycard.errors import RunProblem
from graycard.link.far_end import FarEnd, lost
from graycard.model import Action

# A byte every 20 ms: fifty a second carry nothing, and show a queue that fills within a second.
PAUSE_S = 0.02
LOOK_EVERY_S = 0.1

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Flow:
    """What one test moved. The receiver's count is what arrived; `slots` are its bytes in each `slot_ns`.

    `sent_bytes` is what the sender handed to its socket, `tcp` what the sender's kernel tells of each stream (None:
    not there). `round_trip_ns` are the round trips that were made meanwhile.
    """

    action: Action
    stream_count: int
    moved_bytes: int
    elapsed_ns: int
    slot_ns: int
    slots: tuple[int, ...]
    sent_bytes: int
    tcp: tuple[dict[str, int] | None, ...]
    round_trip_ns: tuple[int, ...]
    refused_count: int

    def of_all(self, name: str) -> int | None:
        """A figure of the kernel, summed over the streams; None where it is not known of each."""
        values = [info.get(name) if info else None for info in self.tcp]
        known = [value for value in values if value is not None]
        return sum(known) if values and len(known) == len(values) else None


def flow(far: FarEnd, action: Action, stream_count: int, time_ns: int, on_progress: OnProgress) -> Flow:
    """Send to, or receive from, the far end for `time_ns`. RunProblem when the far end or the network goes away.

    `on_progress` is told (elapsed ns, bytes so far) ten times a second; what it raises ends the test.
    """
    role = UPLOAD if action is Action.SEND else DOWNLOAD
    far.ask("expect", role="upload" if role == UPLOAD else "download", streams=stream_count)
    far.ask("expect", role="echo", streams=1)
    with contextlib.ExitStack() as opened:
        echo = opened.enter_context(contextlib.closing(far.connect(ECHO)))
        streams = [
            opened.enter_context(contextlib.closing(far.connect(role, number, time_ns // 10**6)))
            for number in range(stream_count)
        ]
        beside = _Beside(lambda: round_trips(echo, time_ns / 1e9, PAUSE_S))
        near = _carry_out(streams, action, time_ns, on_progress)
        trips = beside.result()
    told = far.ask("collect", streams=stream_count)
    return _flow(action, near, told, trips)


def idle_round_trips(far: FarEnd, time_ns: int) -> tuple[int, ...]:
    """Round trips with nothing else on the way, in ns; what `far.look` raises ends it."""
    far.ask("expect", role="echo", streams=1)
    with contextlib.closing(far.connect(ECHO)) as connection:
        beside = _Beside(lambda: round_trips(connection, time_ns / 1e9, PAUSE_S))
        while not beside.wait(LOOK_EVERY_S):
            far.look()
        return tuple(trip["took_ns"] for trip in beside.result())


class _Beside:
    """Work in a thread of its own; what it gives or raises is taken later."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._given: list[Any] = []
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], Any]) -> None:
        try:
            self._given.append(work())
        except OSError as error:
            self._error = error

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> Any:
        """What the work gave; RunProblem where the connection broke."""
        self._thread.join()
        if self._error is not None:
            raise lost(self._error)
        return self._given[0]


def _carry_out(
    streams: list[socket.socket], action: Action, time_ns: int, on_progress: OnProgress
) -> list[dict[str, Any]]:
    counters = [Counter() for _ in streams]
    begun = time.monotonic_ns()
    if action is Action.SEND:
        works = [_Beside(_sending(*pair, time_ns)) for pair in zip(streams, counters, strict=True)]
    else:
        works = [_Beside(_receiving(*pair)) for pair in zip(streams, counters, strict=True)]
    while any(work.is_running for work in works):
        on_progress(time.monotonic_ns() - begun, sum(counter.moved_bytes for counter in counters))
        time.sleep(LOOK_EVERY_S)
    return [work.result() for work in works]


def _sending(connection: socket.socket, counter: Counter, time_ns: int) -> Callable[[], Any]:
    return lambda: send(connection, time_ns / 1e9, counter)


def _receiving(connection: socket.socket, counter: Counter) -> Callable[[], Any]:
    return lambda: receive(connection, counter)


def _flow(action: Action, near: list[dict[str, Any]], told: dict[str, Any], trips: list[dict[str, int]]) -> Flow:
    far = list(_whole(told["streams"]))
    received, sent = (far, near) if action is Action.SEND else (near, far)
    return Flow(
        action=action,
        stream_count=len(near),
        moved_bytes=sum(each["moved_bytes"] for each in received),
        elapsed_ns=max(each["elapsed_ns"] for each in received),
        slot_ns=received[0]["slot_ns"],
        slots=_summed([each["slots"] for each in received]),
        sent_bytes=sum(each["moved_bytes"] for each in sent),
        tcp=tuple(each.get("tcp") for each in sent),
        round_trip_ns=tuple(trip["took_ns"] for trip in trips),
        refused_count=int(told.get("refused", {}).get("count", 0)),
    )


def _whole(streams: list[dict[str, Any] | None]) -> Iterator[dict[str, Any]]:
    for stream in streams:
        if stream is None or "error" in stream:
            why = (stream or {}).get("error", "it did not end")
            raise RunProblem(
                f"a stream broke off at the other end ({why}); check the network, then repeat",
                errno=None,
                offset_bytes=None,
                phase="measure",
            )
        yield stream


def _summed(slots: list[list[int]]) -> tuple[int, ...]:
    length = max(map(len, slots))
    padded = ([*each, *[0] * (length - len(each))] for each in slots)
    return tuple(map(sum, zip(*padded, strict=True)))
