"""The manifests of all copies, each written in a thread of its own: a place that does not answer holds up no other."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graycard.errors import Problem
from graycard.mhl import HashFormat
from graycard.offload.crew import Crew
from graycard.offload.faults import Fault, Faults, Kind
from graycard.offload.manifests import Written, write_history
from graycard.offload.meter import Meter
from graycard.offload.silence import Silence, given_up
from graycard.offload.spool import Spool

OnSilence = Callable[[Sequence[Silence]], None]


class _StoppedError(Exception):
    """No more of this manifest is wanted."""


@dataclass(slots=True)
class Vouching:
    """One copy and its manifest: `written` when it is there, `problem` where it cannot be."""

    folder: str
    meter: Meter = field(default_factory=lambda: Meter("manifest"))
    is_given_up: bool = False
    written: Written | None = None
    problem: Problem | None = None

    @property
    def silence(self) -> Silence:
        """How long this place has not answered."""
        return Silence(self.folder, self.meter.silent_ns)

    def run(self, kind: HashFormat, spool: Spool, created_at: datetime, stop: threading.Event) -> None:
        """Write it."""

        def on_answer() -> None:
            self.meter.answered()
            if stop.is_set() or self.is_given_up:
                raise _StoppedError

        with contextlib.suppress(_StoppedError), self.meter.busy():
            try:
                self.written = write_history(self.folder, kind, spool, created_at, on_answer)
            except Problem as problem:
                self.problem = problem


def vouch_all(
    kind: HashFormat,
    spool: Spool,
    vouchings: Sequence[Vouching],
    created_at: datetime,
    faults: Faults,
    on_look: OnSilence,
    patience_ns: int,
) -> None:
    """Write all manifests at once. What `on_look` raises passes through, and nothing half-written is left.

    A place that does not answer for `patience_ns` is given up.
    """
    stop = threading.Event()
    crew = Crew(stop)

    def start(each: Vouching) -> threading.Thread:
        return crew.start("manifest", lambda: each.run(kind, spool, created_at, stop))

    threads = [(each, start(each)) for each in vouchings]

    def look() -> None:
        for each, thread in threads:
            if crew.was_away:
                each.meter.answered()
            if not each.is_given_up and each.silence.is_over(patience_ns):
                each.is_given_up = True
                faults.add(Fault(Kind.FAILED, each.folder, None, given_up(each.silence, patience_ns)))
                crew.leave(thread)
        silences = (each.silence for each in vouchings if not each.is_given_up)
        on_look(tuple(each for each in silences if each.is_worth_saying))

    crew.watch(look)
