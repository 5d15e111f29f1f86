"""The curve in one line while it is made: the speed of each stretch as a bar."""

from __future__ import annotations

BARS = "▁▂▃▄▅▆▇█"
_MOST = 24


class Sparkline:
    """At most 24 bars for the whole run so far; each stands for the same time, which doubles as the run gets longer."""

    def __init__(self) -> None:
        self._width_ns = 1_000_000_000
        self._moved: list[int] = []
        self._seen_bytes = 0

    def add(self, elapsed_ns: int, moved_bytes: int) -> None:
        """Told how far the run is."""
        while len(self._moved) < elapsed_ns // self._width_ns:
            self._moved.append(moved_bytes - self._seen_bytes)
            self._seen_bytes = moved_bytes
            if len(self._moved) == _MOST:
                self._moved = [a + b for a, b in zip(self._moved[::2], self._moved[1::2], strict=True)]
                self._width_ns *= 2

    def line(self) -> str:
        """The bars; empty during the first second."""
        most = max(self._moved, default=0)
        if not most:
            return ""
        return "".join(BARS[min(len(BARS) - 1, moved * len(BARS) // most)] for moved in self._moved)
