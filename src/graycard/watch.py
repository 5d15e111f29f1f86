"""What is watched while a run goes on: the levels of the host, ten times a second, as series."""

from __future__ import annotations

from graycard.facts import TERMS, number
from graycard.model import Point, Series, Target
from graycard.protocols import Host

WATCHED = ("dirty_bytes", "writeback_bytes", "device_inflight_count", "fuse_waiting_count", "cpu_wait_ns")


class Watch:
    """Collects one reading of each level at every call of `look`."""

    def __init__(self, host: Host, target: Target) -> None:
        self._host = host
        self._target = target
        self._points: dict[str, list[Point]] = {}
        self._sources: dict[str, str] = {}

    def look(self, at_ns: int) -> None:
        """Read the levels; `at_ns` is the time since the run began."""
        levels = self._host.levels(self._target)
        for fact in levels:
            reading = number((fact,), fact.name)
            if fact.name in WATCHED and reading is not None:
                self._points.setdefault(fact.name, []).append(Point(at_ns, reading))
                self._sources[fact.name] = fact.source

    def series(self) -> tuple[Series, ...]:
        """One series for each level that could be read."""
        return tuple(
            Series(name, TERMS[name].unit or "count", self._sources[name], tuple(points))
            for name, points in self._points.items()
        )
