"""Threads that work together, watched by one that only looks on: it tells how far they are and can stop them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

LOOK_EVERY_S = 0.1
# What hangs in the system for longer than this after a stop is left to its thread.
PATIENCE_S = 0.6
AWAY_S = 1.0


class Crew:
    """Threads with one `stop`. What one of them raises stops them all, and is raised by `watch`.

    `closes` are called at a stop: they wake those that wait for each other. `was_away` tells, during a look, that the
    last one was long ago: this whole process was stopped (Ctrl-Z), so that others' silence was not theirs.
    """

    def __init__(self, stop: threading.Event) -> None:
        self.stop = stop
        self.closes: list[Callable[[], None]] = []
        self._error: BaseException | None = None
        self._threads: list[threading.Thread] = []
        self._left: set[threading.Thread] = set()
        self.was_away = False

    def start(self, name: str, work: Callable[[], None]) -> threading.Thread:
        """Begin to work in a thread of its own."""

        def run() -> None:
            with _Kept(self):
                work()

        thread = threading.Thread(target=run, name=f"graycard {name}", daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def leave(self, *threads: threading.Thread) -> None:
        """Wait for those threads no more: what they called does not come back."""
        self._left.update(threads)

    def watch(self, look: Callable[[], None]) -> None:
        """Return when all have ended. `look` is called ten times a second and may raise, which stops them."""
        looked_s = time.monotonic()
        try:
            for thread in self._threads:
                while thread.is_alive() and thread not in self._left:
                    thread.join(LOOK_EVERY_S)
                    now_s = time.monotonic()
                    self.was_away, looked_s = now_s - looked_s > AWAY_S, now_s
                    look()
        except BaseException:
            self._end()
            raise
        if self._error is not None:
            raise self._error

    def fail(self, error: BaseException) -> None:
        """Keep the first error, and stop."""
        self._error = self._error or error
        self.stop.set()

    def _end(self) -> None:
        self.stop.set()
        for close in self.closes:
            close()
        until_s = time.monotonic() + PATIENCE_S
        for thread in self._threads:
            if thread not in self._left:
                thread.join(max(0.0, until_s - time.monotonic()))


def nothing() -> None:
    """Looks at nothing."""


def answered(work: Callable[[], None], patience_s: float, on_look: Callable[[], None] = nothing) -> bool:
    """Work in a thread of its own; whether that has ended in this time. What it or `on_look` raises is raised."""
    crew, until_s = Crew(threading.Event()), time.monotonic() + patience_s

    def look() -> None:
        on_look()
        if time.monotonic() > until_s:
            crew.leave(thread)

    thread = crew.start("last call", work)
    crew.watch(look)
    return not thread.is_alive()


class _Kept:
    """Keeps what ends a thread, so that it is raised where somebody hears it."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._crew.fail(error)
        return True
