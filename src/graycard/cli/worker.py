"""Work on a volume in a thread of its own: a call that hangs there holds up neither Ctrl-C nor the display.

A share whose server is gone can hold a call for minutes, and no signal ends it. So the main thread only waits; on
Ctrl-C the worker is asked to stop, cleans up, and ends. Where it does not, the program ends without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from types import TracebackType
from typing import Generic, TypeVar

from graycard.protocols import Clock

Given = TypeVar("Given")
# A slow drive needs seconds to remove large files; nobody waits longer for one that hangs.
PATIENCE_S = 5.0
LOOK_EVERY_S = 0.05


class HangingError(Exception):
    """The work was asked to stop and does not."""


class Stop:
    """Asked for by the thread that waits, looked at by the one that works."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._heard = threading.Event()

    def ask(self) -> None:
        """From now on every look raises."""
        self._asked.set()

    def look(self) -> None:
        """Raise KeyboardInterrupt if a stop was asked for."""
        if self._asked.is_set():
            self._heard.set()
            raise KeyboardInterrupt

    def look_first(self) -> None:
        """The same, but only until somebody has heard of it: for waiting that cleaning up may come to, too."""
        if not self._heard.is_set():
            self.look()


class Outcome(AbstractContextManager["Outcome[Given]"], Generic[Given]):
    """What the work gave or raised; known when `ended` is set, at the end of the `with` block."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._given: list[Given] = []
        self._error: BaseException | None = None

    def give(self, given: Given) -> None:
        """Keep the result."""
        self._given.append(given)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._error = error
        self.ended.set()
        return True

    def take(self) -> Given:
        """The result, or what was raised."""
        if self._error is not None:
            raise self._error
        return self._given[0]


def carry_out(work: Callable[[Stop], Given], patience_s: float = PATIENCE_S) -> Given:
    """What `work` gives or raises. On Ctrl-C its stop is asked for; HangingError if it does not end in `patience_s`.

    A second Ctrl-C (see `stop.py` for when it counts) ends the waiting.
    """
    stop, outcome = Stop(), Outcome[Given]()

    def run() -> None:
        with outcome:
            outcome.give(work(stop))

    try:
        threading.Thread(target=run, name="measurement", daemon=True).start()
        # Not without a limit: a signal that comes just before the wait begins does not end it.
        while not outcome.ended.wait(LOOK_EVERY_S):
            continue
    except KeyboardInterrupt:
        stop.ask()
        _wait_for_the_end(outcome.ended, patience_s)
    return outcome.take()


def _wait_for_the_end(ended: threading.Event, patience_s: float) -> None:
    try:
        ended.wait(patience_s)
    except KeyboardInterrupt:
        raise HangingError from None
    if not ended.is_set():
        raise HangingError


class StoppableClock:
    """A clock whose rests end as soon as a stop is asked for."""

    def __init__(self, clock: Clock, stop: Stop) -> None:
        self._clock = clock
        self._stop = stop

    def monotonic_ns(self) -> int:
        """As the clock."""
        return self._clock.monotonic_ns()

    def utc_now(self) -> datetime:
        """As the clock."""
        return self._clock.utc_now()

    def sleep_ns(self, duration_ns: int) -> None:
        """Pause; KeyboardInterrupt when a stop is asked for."""
        while duration_ns > 0:
            self._stop.look()
            part_ns = min(duration_ns, int(LOOK_EVERY_S * 1e9))
            self._clock.sleep_ns(part_ns)
            duration_ns -= part_ns
