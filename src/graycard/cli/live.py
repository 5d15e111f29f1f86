"""What is shown while a measurement runs: one live line on a terminal, a plain line every few seconds in a log.

The listener only keeps the newest event (well under a microsecond); a thread of its own draws, so that nothing
renders inside the measuring loop, and goes on drawing while no event comes (a stalled disk, a long flush).
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

import rich_click as click

from graycard.cli.screen import has_colour, is_terminal
from graycard.measurement import Event
from graycard.protocols import Progress
from graycard.report.printable import shorten
from graycard.units import format_duration, format_rate

DRAWS_PER_S = 4
LOG_EVERY_S = 5.0
# The rate shown is that of the last second: shorter jumps too much to read, longer hides a stall.
RATE_OVER_NS = 1_000_000_000
QUIET_AFTER_NS = 2_000_000_000


def _is_another(step: tuple[int, int], progress: Progress) -> bool:
    """Whether what is told now began after that step: its time or its bytes begin anew."""
    return progress.elapsed_ns < step[0] or progress.moved_bytes < step[1]


class Watcher:
    """Keeps the newest event and the last second's progress."""

    def __init__(self) -> None:
        self._event: Event | None = None
        self._heard_ns = 0
        self._steps: deque[tuple[int, int]] = deque(maxlen=64)

    def hear(self, event: Event) -> None:
        """Take in one event."""
        progress = event.progress
        if progress is None:
            self._steps.clear()
        else:
            if self._steps and _is_another(self._steps[-1], progress):
                self._steps.clear()
            self._steps.append((progress.elapsed_ns, progress.moved_bytes))
            while len(self._steps) > 2 and progress.elapsed_ns - self._steps[1][0] >= RATE_OVER_NS:
                self._steps.popleft()
        self._event, self._heard_ns = event, time.monotonic_ns()

    def sentence(self) -> str:
        """What is going on now, as one line."""
        event = self._event
        if event is None:
            return "starting"
        parts = [event.says, self._where(event), self._stall(event) or self._rate(), _outlook(event)]
        return " · ".join(part for part in parts if part)

    def _where(self, event: Event) -> str:
        if event.task_label is None:
            return ""
        run = f", run {event.repeat_index + 1}" if event.repeat_index is not None else ""
        return f"{event.task_label}{run}"

    def _rate(self) -> str:
        """The last second's rate; nothing while nothing moves: a stall, an error on its way, is no speed."""
        steps = list(self._steps)
        if len(steps) < 2 or steps[-1][1] == steps[0][1]:
            return ""
        return format_rate((steps[-1][1] - steps[0][1]) * 1e9 / (steps[-1][0] - steps[0][0]))

    def _stall(self, event: Event) -> str:
        """How long nothing has moved, counting on while no event comes."""
        still_ns = time.monotonic_ns() - self._heard_ns
        if event.progress is not None:
            still_ns += event.progress.since_progress_ns
        return f"no progress for {still_ns // 10**9} s" if still_ns > QUIET_AFTER_NS else ""


def _outlook(event: Event) -> str:
    if event.done_ratio is None or event.phase not in {"run", "rest"}:
        return ""
    if event.done_ratio >= 1:
        return "repeating until the intervals are narrow enough"
    left = f", about {_whole(event.eta_ns)} left" if event.eta_ns else ""
    return f"{event.done_ratio * 100:.0f} %{left}"


def _whole(duration_ns: int) -> str:
    """Whole seconds: a forecast, and a clock to watch, have no tenths."""
    seconds = round(duration_ns / 1e9)
    return f"{seconds} s" if seconds < 120 else format_duration(seconds * 1e9)


@contextlib.contextmanager
def display(*, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """The listener for `measure`; whatever is drawn goes to stderr and is gone at the end."""
    watcher = Watcher()
    if quiet or sys.stderr is None:
        yield watcher.hear
    elif is_terminal(sys.stderr):
        with _live_line(watcher):
            yield watcher.hear
    else:
        with _log_lines(watcher):
            yield watcher.hear


@contextlib.contextmanager
def _live_line(watcher: Watcher) -> Iterator[None]:
    # Only a terminal needs rich, which takes 50 ms to import.
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True, no_color=not has_colour(sys.stderr), highlight=False)
    spinner = Spinner("dots" if not console.legacy_windows else "line")

    started_ns = time.monotonic_ns()

    def draw() -> Spinner:
        line = f"{_whole(time.monotonic_ns() - started_ns)} · {watcher.sentence()}"
        spinner.update(text=Text(shorten(line, console.width - 3), no_wrap=True))
        return spinner

    with Live(
        get_renderable=draw,
        console=console,
        refresh_per_second=DRAWS_PER_S,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield


@contextlib.contextmanager
def _log_lines(watcher: Watcher) -> Iterator[None]:
    over = threading.Event()
    writer = threading.Thread(target=_write_log, args=(watcher, over), name="progress", daemon=True)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def _write_log(watcher: Watcher, over: threading.Event) -> None:
    started_ns = time.monotonic_ns()
    ended = False
    while not ended:
        try:
            click.echo(f"{_whole(time.monotonic_ns() - started_ns)} · {watcher.sentence()}", err=True)
        except OSError:
            return  # whoever read the log went away; the measurement goes on
        ended = over.wait(LOG_EVERY_S)
