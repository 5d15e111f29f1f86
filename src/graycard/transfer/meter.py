"""Bytes over time, in slots of 250 ms: fine enough for the swings of a share, coarse enough to cost nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

from graycard.model import Samples, Tick
from graycard.protocols import OnTick, Progress

TICK_NS = 250_000_000


class Meter:
    """Collects how far a copy is. `tell` may be called as often as one likes; `on_tick` may raise to stop the copy."""

    def __init__(self, on_tick: OnTick, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self._on_tick = on_tick
        self._begun_ns = clock()
        self._moved_bytes = 0
        self._moved_at_ns = 0
        self._slots: list[int] = []

    @property
    def elapsed_ns(self) -> int:
        """Since it was made."""
        return self._clock() - self._begun_ns

    @property
    def until_next_s(self) -> float:
        """Until the next slot begins."""
        return (TICK_NS - self.elapsed_ns % TICK_NS) / 1e9

    def elapsed_ns_at(self, at_ns: int) -> int:
        """Since it was made, at that time of its clock."""
        return at_ns - self._begun_ns

    def tell(self, moved_bytes: int) -> None:
        """So many bytes have been copied in all; fewer than before count as no change."""
        now_ns = self.elapsed_ns
        slot = now_ns // TICK_NS
        self._slots.extend([0] * (slot + 1 - len(self._slots)))
        if moved_bytes > self._moved_bytes:
            self._slots[slot] += moved_bytes - self._moved_bytes
            self._moved_bytes, self._moved_at_ns = moved_bytes, now_ns
        self._on_tick(Progress(now_ns, 0, self._moved_bytes, now_ns - self._moved_at_ns))

    def samples(
        self,
        engine: str,
        total_bytes: int,
        file_count: int,
        copied_ns: int,
        *,
        flush_ns: int | None = None,
        cpu_ns: int | None = None,
    ) -> Samples:
        """What was measured: all bytes in `copied_ns`, the flush inside the whole time. An operation is a file.

        What the last look did not see is credited to the end; a watched program may also have moved a little more
        than the files hold.
        """
        slots = _fitted(self._slots, total_bytes, copied_ns)
        ticks = tuple(Tick(number * TICK_NS, 0, moved) for number, moved in enumerate(slots))
        return Samples(
            engine,
            copied_ns + (flush_ns or 0),
            file_count,
            total_bytes,
            ticks,
            TICK_NS,
            None,
            flush_ns=flush_ns,
            cpu_ns=cpu_ns,
        )


def _fitted(slots: list[int], total_bytes: int, copied_ns: int) -> list[int]:
    """The slots of the copy, with the bytes of the files in all."""
    count = max(1, -(-copied_ns // TICK_NS))
    fitted = [*slots[:count], *[0] * (count - len(slots))]
    fitted[-1] += sum(slots[count:])
    missing = total_bytes - sum(fitted)
    for index in reversed(range(count)):
        change = max(missing, -fitted[index])
        fitted[index] += change
        missing -= change
        if not missing:
            break
    return fitted
