"""Whether a drive is fast again after a rest: a second, shorter burst beside the beginning of the first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graycard.model import Estimate, Samples
from graycard.units import format_duration, format_rate, format_size, percent

RECOVERED_RATIO = 0.9
# The same material difference as between two levels of a run.
SAME_RATIO = 0.15


class Recovered(StrEnum):
    """Whether the burst was there again."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Recovery:
    """The second burst: its rate, that of the first over as many bytes, and what that says."""

    verdict: Recovered
    says: str
    rest_ns: int
    size_bytes: int
    rate: Estimate
    first_rate: Estimate


def recovery(first: Samples, sustained_bytes_per_s: float, again: Samples, rest_ns: int) -> Recovery:
    """Judge the second burst without its flush: at the beginning of the first run there was none, either."""
    size = again.moved_bytes
    rate, before = size * 1e9 / again.io_ns, size * 1e9 / time_of_ns(first, size)
    ratio = rate / before
    rested = f"After {format_duration(rest_ns)} of rest" if rest_ns else "Without a rest"
    beside = f"{format_rate(rate)} over {format_size(size)}, at first {format_rate(before)}"
    if ratio >= RECOVERED_RATIO:
        verdict, says = Recovered.YES, f"{rested} it was as fast as at first again: {beside}."
    elif rate <= sustained_bytes_per_s * (1 + SAME_RATIO):
        verdict, says = Recovered.NO, f"{rested} it was as slow as before the rest: {beside}."
    else:
        fast = _fast_bytes(size, rate, before, sustained_bytes_per_s)
        part = f", as if {format_size(fast)} ({percent(fast / size)}) of it were written at the first speed"
        verdict, says = Recovered.PARTLY, f"{rested} it was faster, but not as at first: {beside}{part}."
    return Recovery(verdict, says, rest_ns, size, _one(rate), _one(before))


def time_of_ns(samples: Samples, size_bytes: int) -> float:
    """How long the first `size_bytes` of a run took, > 0; within a slot evenly spread."""
    moved = 0
    for tick in samples.ticks:
        if moved + tick.moved_bytes >= size_bytes:
            part = (size_bytes - moved) / tick.moved_bytes if tick.moved_bytes else 0.0
            return max(1.0, tick.start_ns + part * samples.tick_ns)
        moved += tick.moved_bytes
    return max(1.0, float(samples.io_ns))


def _fast_bytes(size: int, rate: float, fast: float, slow: float) -> float:
    """The share x of `size` at `fast`, the rest at `slow`, that gives `rate`: x / fast + (size - x) / slow = time."""
    if fast <= slow:
        return 0.0
    return min(max(size * (1 / slow - 1 / rate) / (1 / slow - 1 / fast), 0.0), float(size))


def _one(rate: float) -> Estimate:
    return Estimate(rate, None, None, "bytes/s", 1, None, "single run")
